#include "heed/train/starting_weights_internal.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <functional>
#include <sstream>

#include "heed/base/fail.h"
#include "heed/run/run_folder.h"

namespace heed {
namespace {

bool is_frozen(const std::string& name, const std::string& parts) {
  size_t begin = 0;
  while (begin <= parts.size()) {
    const size_t end = std::min(parts.find(',', begin), parts.size());
    const std::string part = parts.substr(begin, end - begin);
    if (!part.empty() && name.starts_with(part)) return true;
    begin = end + 1;
  }
  return false;
}

// "decoder.0.attention.query.weight is f32 [64, 64] there and f32 [32, 32] here"
std::string shape_mismatch(const NamedParameter& parameter, const Tensor& stored,
                           bool is_other_head) {
  if (is_other_head) return parameter.name + " answers with other classes there";
  return stored.defined() ? fmt::format("{} is {} there and {} here", parameter.name,
                                        stored.shape().text(), parameter.variable.shape().text())
                          : fmt::format("{} is not there", parameter.name);
}

using Find = std::function<Tensor(const std::string& name)>;

bool is_of_head(const std::string& name) { return name.starts_with("output."); }

// Whether the run `from` answers with other classes, or with the same in another order.
bool has_other_head(const std::string& from, const RunConfig& config) {
  if (config.labels.empty() || !is_run_folder(from)) return false;
  const RunConfig other = read_run_config(from);
  return other.settings.task != config.settings.task || other.labels != config.labels;
}

// The weights of the run `from` that mean the same in the new one.
Find weights_of(const std::string& from, const RunConfig& config) {
  Find find = stored_weights(from);
  if (!has_other_head(from, config)) return find;
  return [find](const std::string& name) { return is_of_head(name) ? Tensor() : find(name); };
}

}  // namespace

int64_t max_parameters() {
  const int64_t bytes = ::sysconf(_SC_PHYS_PAGES) * ::sysconf(_SC_PAGE_SIZE);
  return bytes / static_cast<int64_t>(4 * sizeof(float));
}

ParameterSource starting_weights(const RunConfig& config) {
  const TrainSettings& settings = config.settings;
  ParameterSource source{.seed = static_cast<uint64_t>(settings.seed),
                         .max_parameters = max_parameters()};
  source.adapter_rank = settings.lora;
  const std::string& from = settings.base.empty() ? settings.init_from : settings.base;
  if (!from.empty()) {
    source.stored = [find = weights_of(from, config)](const std::string& name) {
      const Tensor found = find(name);
      return found.defined() ? found.clone() : found;
    };
    source.ignore_shape_mismatch = true;
  }
  if (!settings.freeze.empty()) {
    source.frozen = [parts = settings.freeze](const std::string& name) {
      return is_frozen(name, parts);
    };
  }
  return source;
}

ParameterSource resumed_weights(RunConfig config, const std::string& folder) {
  const auto stored = checkpoint_weights(folder);
  if (!stored) return starting_weights(config);
  config.settings.init_from.clear();
  config.settings.base.clear();
  ParameterSource source = starting_weights(config);
  source.stored = stored;
  return source;
}

void check_frozen(const Model& model, const std::string& parts) {
  std::istringstream list(parts);
  for (std::string part; std::getline(list, part, ',');) {
    const auto parameters = model.parameters().list();
    const bool found = std::any_of(
        parameters.begin(), parameters.end(),
        [&](const NamedParameter& parameter) { return parameter.name.starts_with(part); });
    if (!found) {
      fail(
          "`freeze` {}: no parameter has a name that begins so; heed info lists the parts of a "
          "model, such as {}",
          part, parameters.front().name);
    }
  }
}

std::string taken_weights(const Model& model, const RunConfig& config) {
  const TrainSettings& settings = config.settings;
  const std::string& from = settings.init_from;
  const Find find = weights_of(from, config);
  const bool other_head = has_other_head(from, config);
  const auto why = [&](const NamedParameter& parameter, const Tensor& stored) {
    return shape_mismatch(parameter, stored, other_head && is_of_head(parameter.name));
  };
  int64_t taken = 0;
  std::string first_mismatch;
  for (const NamedParameter& parameter : model.parameters().list()) {
    const Tensor stored = find(parameter.name);
    if (stored.defined() && stored.shape() == parameter.variable.shape()) {
      ++taken;
      continue;
    }
    if (is_frozen(parameter.name, settings.freeze)) {
      fail(
          "`freeze` {}: {} cannot be taken from {}, so it would stay as it was drawn: {}. Give the "
          "sizes of that model (heed info {}), such as `dim`, or freeze less",
          settings.freeze, parameter.name, from, why(parameter, stored), from);
    }
    if (first_mismatch.empty() || (stored.defined() && first_mismatch.ends_with(" not there"))) {
      first_mismatch = why(parameter, stored);
    }
  }
  const auto all = static_cast<int64_t>(model.parameters().list().size());
  if (taken == 0) {
    fail(
        "`init-from` {}: none of the {} parameters fits: {}. Give the sizes of that model (heed "
        "info {}), such as `dim`",
        from, all, first_mismatch, from);
  }
  return fmt::format("{} of {} parameters from {}{}", taken, all, from,
                     taken == all ? "" : "; the others are new");
}

}  // namespace heed
