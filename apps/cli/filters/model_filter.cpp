#include "apps/cli/filters/model_filter.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "apps/cli/console/result.h"
#include "apps/cli/inputs/lines.h"
#include "apps/cli/options/option_checks.h"
#include "apps/message.h"
#include "heed/base/fail.h"
#include "heed/base/parallel.h"
#include "heed/data/compressed.h"
#include "heed/run/special_tokens.h"
#include "heed/run/text_ids.h"
#include "heed/text/utf8.h"

namespace heed::cli {
namespace {

constexpr size_t kLinesAtOnce = 256;
constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

// From here on stdout gets whole lines: a reader sees each at once, and an interrupt cuts none.
void write_whole_lines() {
  static std::array<char, 1 << 20> buffer;
  std::setvbuf(stdout, buffer.data(), _IOLBF, buffer.size());
}

}  // namespace

void add_filter_options(Command& command, ModelFilter& filter, const std::string& prompt) {
  command.add_option("FILES", filter.files, "Texts, a line each (default, and '-': stdin)")
      .type_name("FILE");
  command.add_option("-m,--model", filter.model, "The folder of the run (required)")
      .type_name("DIR");
  command.add_option("-p,--prompt", filter.text, prompt).type_name("TEXT").may_be_empty();
  command.add_option("-t,--threads", filter.threads, "Threads (default: all cores)")
      .check(whole_number(1, 1024))
      .type_name("N");
  command.add_flag("--json", filter.json, "One JSON object per text");
}

void check_filter(const Command& command, ModelFilter& filter) {
  require_option(command, "--model");
  filter.has_text = command.has("--prompt");
  if (filter.has_text && !filter.files.empty()) wrong_usage("-p and FILES exclude each other");
}

Pipeline open_model(const ModelFilter& filter) {
  if (filter.threads > 0) set_threads(filter.threads);
  return load(filter.model);
}

void for_each_group(const ModelFilter& filter,
                    const std::function<void(std::span<const std::string> texts)>& use,
                    const std::function<std::string(const std::string& text)>& mistake) {
  const auto wrong = [&](const std::string& text) { return mistake ? mistake(text) : ""; };
  if (filter.has_text) {
    if (const std::string what = wrong(filter.text); !what.empty()) fail("-p: {}", what);
    use(std::span(&filter.text, 1));
    return;
  }
  write_whole_lines();
  int64_t not_utf8 = 0;
  std::string first_bad;  // where
  std::vector<std::string> lines;
  const auto use_lines = [&] {
    if (!lines.empty()) use(lines);
    lines.clear();
  };
  const auto add = [&](const Line& line) {
    if (const auto program = unpacked_by(line.text); line.number == 1 && !program.empty()) {
      fail("{}: {}", line.file, compressed_text(program));
    }
    std::string_view text = line.text;
    if (text.ends_with('\r')) text.remove_suffix(1);
    if (line.number == 1 && text.starts_with(kByteOrderMark)) {
      text.remove_prefix(kByteOrderMark.size());
    }
    std::string one(text);
    if (const std::string what = wrong(one); !what.empty()) {
      use_lines();
      fail("{}: line {}: {}", line.file, line.number, what);
    }
    if (valid_utf8_bytes(one) < one.size() && ++not_utf8 == 1) {
      first_bad = fmt::format("{}: line {}", line.file, line.number);
    }
    lines.push_back(std::move(one));
    if (lines.size() == kLinesAtOnce) use_lines();
  };
  for_each_line(filter.files, add, use_lines);
  use_lines();
  if (not_utf8 > 0) {
    say("heed: {} not UTF-8 and will have been misread ({}); if it is Latin-1, convert it: "
        "iconv -f latin1 -t utf-8\n",
        not_utf8 == 1 ? "1 line is" : fmt::format("{} lines are", not_utf8), first_bad);
  }
}

void tell_cut(const Pipeline& pipeline, int64_t count) {
  if (count == 0) return;
  const RunConfig& config = pipeline.run().config;
  say("heed: {} longer than the {} tokens that the model was trained with, and cut\n",
      count == 1 ? "1 text was" : fmt::format("{} texts were", count),
      longest_text(config, special_tokens_of(config, pipeline.tokenizer())));
}

void print_json(const nlohmann::ordered_json& page) {
  print_result("{}\n", page.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

}  // namespace heed::cli
