// The "pre_tokenizer" of a tokenizer.json: how the text is cut before merging.

#include <utility>

#include "heed/base/fail.h"
#include "heed/text/bpe_tokenizer_internal.h"
#include "heed/text/json.h"

namespace heed {
namespace {

using nlohmann::json;

// A text as a regular expression that matches it and nothing else.
std::string literally(const std::string& text) {
  std::string pattern;
  for (const char c : text) {
    const bool is_ascii = static_cast<unsigned char>(c) < 128;
    const bool is_plain =
        (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || !is_ascii;
    pattern += is_plain ? std::string(1, c) : fmt::format("\\x{:02x}", static_cast<int>(c));
  }
  return pattern;
}

BpeSplit read_split(const json& node, const std::string& what) {
  const json& pattern = member(node, "pattern", what);
  check(pattern.is_object() && pattern.size() == 1, "{}: \"pattern\" is missing", what);
  BpeSplit split;
  if (pattern.contains("Regex")) {
    split.pattern = string_of(pattern["Regex"], what);
  } else {
    split.pattern = literally(string_of(member(pattern, "String", what), what));
  }
  const std::string& behavior = string_of(member(node, "behavior", what), what);
  const bool invert = bool_of(member(node, "invert", what), false, what);
  const bool drops_gaps = behavior == "Removed" && invert;
  check(drops_gaps || behavior == "Isolated", "{}: behavior \"{}\" of a split is not supported",
        what, behavior.substr(0, 20));
  if (drops_gaps) split.gaps = SplitPattern::Gaps::drop;
  return split;
}

// Returns true if it is the step that turns text into bytes, which must be the last one.
bool read_step(const json& node, BpeModel& model, const std::string& what) {
  const std::string where = what + ": \"type\"";
  const std::string& type = string_of(member(node, "type", what), where);
  if (type == "ByteLevel") {
    model.prefix_space = bool_of(member(node, "add_prefix_space", what), true, what);
    if (bool_of(member(node, "use_regex", what), true, what)) {
      model.splits.push_back({.pattern = kGpt2Pattern});
    }
    return true;
  }
  if (type == "Split") {
    model.splits.push_back(read_split(node, what));
  } else if (type == "Digits") {
    const bool each = bool_of(member(node, "individual_digits", what), false, what);
    model.splits.push_back({.pattern = each ? R"(\p{N})" : R"(\p{N}+)"});
  } else {
    fail("{}: type \"{}\" is not supported", what, type.substr(0, 20));
  }
  return false;
}

}  // namespace

void read_pre_tokenizer(const json& node, BpeModel& model, const std::string& name) {
  const std::string what = name + ": \"pre_tokenizer\"";
  check(node.is_object(), "{} is missing; heed reads byte-level BPE only", what);
  bool done = false;
  if (member(node, "type", what) == json("Sequence")) {
    const json& steps = member(node, "pretokenizers", what);
    check(steps.is_array() && steps.size() <= 16, "{}: expected a list of at most 16 steps", what);
    for (const json& step : steps) {
      check(!done, "{}: a step behind ByteLevel is not supported", what);
      done = read_step(step, model, what);
    }
  } else {
    done = read_step(node, model, what);
  }
  check(done, "{}: no ByteLevel step; heed reads byte-level BPE only", what);
}

}  // namespace heed
