#include "heed/convert/converted_model.h"

#include <algorithm>
#include <filesystem>

#include "heed/base/fail.h"

namespace heed {
namespace {

// Asks the model for its parameters: each must be among the weights, in its shape.
void require_fit(const ConvertedModel& converted) {
  const auto find = [&](const std::string& name) {
    const auto found = std::find_if(converted.weights.begin(), converted.weights.end(),
                                    [&](const NamedTensor& weight) { return weight.name == name; });
    return found == converted.weights.end() ? Tensor() : found->tensor;
  };
  const auto model = make_model(converted.config.model, {.stored = find, .must_be_stored = true});
  std::vector<std::string> names;
  for (const NamedTensor& weight : converted.weights) names.push_back(weight.name);
  const std::string left = first_unknown_name(*model, names);
  check(left.empty(), "convert: the model has no place for {}", left);
}

}  // namespace

void write_converted(const ConvertedModel& model, const std::string& folder) {
  check(!is_run_folder(folder), "{} holds a model already; choose another folder or remove it",
        folder);
  require_fit(model);
  std::filesystem::create_directories(folder);
  model.tokenizer->save(folder);
  export_model(folder, model.weights, 0);
  write_run_config(folder, model.config);  // last: with it the folder is a run
}

}  // namespace heed
