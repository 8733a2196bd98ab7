#include "heed/base/fail.h"
#include "heed/text/json.h"
#include "heed/text/token_file_internal.h"

namespace heed {
namespace {

constexpr int64_t kFormat = 1;

struct NamedId {
  const char* name;
  std::optional<int32_t> SpecialIds::*id;
};
constexpr NamedId kSpecials[] = {{"unk", &SpecialIds::unknown},
                                 {"bos", &SpecialIds::bos},
                                 {"eos", &SpecialIds::eos},
                                 {"sep", &SpecialIds::separator},
                                 {"cls", &SpecialIds::cls}};

}  // namespace

TokenFile read_token_file(const nlohmann::json& file, const std::string& name) {
  const nlohmann::json& list = member(file, "tokens", name);
  check(list.is_array() && !list.empty(), "{}: \"tokens\" must be a list of strings", name);
  std::vector<std::string> tokens;
  tokens.reserve(list.size());
  for (const auto& token : list) {
    tokens.push_back(string_of(token, fmt::format("{}: token {}", name, tokens.size())));
    check(!tokens.back().empty(), "{}: token {} is empty", name, tokens.size() - 1);
  }
  TokenFile result{Vocabulary(std::move(tokens), name), {}};
  const nlohmann::json& specials = member(file, "specials", name);
  check(specials.is_null() || specials.is_object(), "{}: \"specials\" must be an object", name);
  for (const NamedId& special : kSpecials) {
    if (!specials.is_object() || !specials.contains(special.name)) continue;
    const std::string what = fmt::format("{}: special token \"{}\"", name, special.name);
    const int64_t id = integer_of(specials[special.name], what);
    check(id >= 0 && id < result.vocabulary.size(), "{}: id {} is not in the list of tokens", what,
          id);
    result.specials.*special.id = static_cast<int32_t>(id);
  }
  return result;
}

std::string write_token_file(TokenizerKind kind, const Vocabulary& vocabulary,
                             const SpecialIds& specials) {
  std::string text = fmt::format("{{\"format\": {}, \"type\": {},\n\"specials\": {{", kFormat,
                                 json_text(name(kind)));
  const char* between = "";
  for (const NamedId& special : kSpecials) {
    if (!(specials.*special.id)) continue;
    text += fmt::format("{}\"{}\": {}", between, special.name, *(specials.*special.id));
    between = ", ";
  }
  text += "},\n\"tokens\": [\n";
  for (int32_t id = 0; id < vocabulary.size(); ++id) {
    text += json_text(vocabulary.token(id)) + (id + 1 < vocabulary.size() ? ",\n" : "\n");
  }
  return text + "]}\n";
}

TokenizerKind token_file_kind(const nlohmann::json& file, const std::string& name) {
  const int64_t format = integer_of(member(file, "format", name), name + ": \"format\"");
  check(format >= 1, "{}: unknown format {}", name, format);
  check(format <= kFormat, "{}: format {} is newer than this heed, which knows {}; update heed",
        name, format, kFormat);
  const std::string& type = string_of(member(file, "type", name), name + ": \"type\"");
  for (const auto kind : {TokenizerKind::byte, TokenizerKind::character, TokenizerKind::word}) {
    if (type == heed::name(kind)) return kind;
  }
  fail("{}: unknown type of tokenizer; expected byte, char or word", name);
}

}  // namespace heed
