// heed encode and heed decode: text to token ids and back, as filters.

#include <charconv>
#include <memory>
#include <nlohmann/json.hpp>

#include "apps/cli/console/result.h"
#include "apps/cli/inputs/lines.h"
#include "apps/cli/options/command.h"
#include "apps/cli/options/command_line.h"
#include "apps/cli/options/option_checks.h"
#include "heed/base/error.h"
#include "heed/base/fail.h"
#include "heed/text/tokenizer.h"

namespace heed::cli {
namespace {

struct EncodeArguments {
  std::string model = ".";
  std::vector<std::string> files;
  std::string text;
  bool has_text = false;
  bool plain = false;
  bool json = false;
};

std::string as_json(const nlohmann::ordered_json& object) {
  // Text of half a character is not UTF-8, which JSON must be.
  return object.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

std::string encoded(const Tokenizer& tokenizer, std::string_view text,
                    const EncodeArguments& arguments) {
  const std::vector<int32_t> ids =
      tokenizer.encode(text, arguments.plain ? SpecialNames::are_text : SpecialNames::are_tokens);
  if (arguments.json) {
    nlohmann::ordered_json object{{"ids", ids}, {"tokens", nlohmann::json::array()}};
    for (const int32_t id : ids) object["tokens"].push_back(tokenizer.token(id));
    return as_json(object);
  }
  std::string line;
  char digits[16];
  for (const int32_t id : ids) {
    if (!line.empty()) line += ' ';
    line.append(digits, std::to_chars(digits, digits + sizeof digits, id).ptr);
  }
  return line + "\n";
}

void encode(const EncodeArguments& arguments) {
  const auto tokenizer = load_tokenizer(arguments.model);
  if (arguments.has_text) {
    write_result(encoded(*tokenizer, arguments.text, arguments));
    return;
  }
  for_each_line(arguments.files,
                [&](const Line& line) { write_result(encoded(*tokenizer, line.text, arguments)); });
}

// Whole numbers between spaces.
std::vector<int32_t> ids_in(std::string_view text) {
  constexpr std::string_view kBetween = " \t\r";
  std::vector<int32_t> ids;
  while (true) {
    const size_t begin = text.find_first_not_of(kBetween);
    if (begin == std::string_view::npos) return ids;
    text.remove_prefix(begin);
    const std::string_view word = text.substr(0, text.find_first_of(kBetween));
    int32_t id = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), id);
    if (error != std::errc() || end != word.data() + word.size()) {
      std::string shown(word.substr(0, 20));
      for (char& c : shown) c = c > ' ' && c < 0x7f ? c : '?';
      fail("'{}' is not a token id", shown);
    }
    ids.push_back(id);
    text.remove_prefix(word.size());
  }
}

std::string decoded(const Tokenizer& tokenizer, std::string_view text,
                    const EncodeArguments& arguments) {
  const std::string result = tokenizer.decode(ids_in(text));
  return arguments.json ? as_json({{"text", result}}) : result + "\n";
}

void decode(const EncodeArguments& arguments) {
  const auto tokenizer = load_tokenizer(arguments.model);
  if (arguments.has_text) {
    write_result(decoded(*tokenizer, arguments.text, arguments));
    return;
  }
  for_each_line(arguments.files, [&](const Line& line) {
    std::string result;
    try {
      result = decoded(*tokenizer, line.text, arguments);
    } catch (const Error& error) {
      fail("{}: line {}: {}", line.file, line.number, error.what());
    }
    write_result(result);
  });
}

void add_options(Command& command, EncodeArguments& arguments, const char* files,
                 const char* text) {
  command.add_option("FILES", arguments.files, files).type_name("FILE");
  command
      .add_option("-m,--model", arguments.model,
                  "The tokenizer: its folder or file (default: the current folder)")
      .type_name("PATH");
  command.add_option("-p,--prompt", arguments.text, text).type_name("TEXT").may_be_empty();
  command.add_flag("--json", arguments.json, "One JSON object per line");
}

void check_input(const Command& command, EncodeArguments& arguments) {
  arguments.has_text = command.has("--prompt");
  if (arguments.has_text && !arguments.files.empty())
    wrong_usage("-p and FILES exclude each other");
}

}  // namespace

void add_encode_command(CLI::App& app, Run& run) {
  Command command(app, "encode", "Text to token ids, line by line");
  auto arguments = std::make_shared<EncodeArguments>();
  add_options(command, *arguments, "Text files (default, and '-': stdin)",
              "Encode this text as a whole, line breaks included");
  command.add_flag("--plain", arguments->plain,
                   "Names of special tokens, such as <|eos|>, are text like any other");
  command.footer("Example:\n  heed encode -m vocab -p 'Once upon a time'");
  command.callback([&run, command, arguments] {
    check_input(command, *arguments);
    run = [arguments] { encode(*arguments); };
  });
}

void add_decode_command(CLI::App& app, Run& run) {
  Command command(app, "decode", "Token ids to text, line by line");
  auto arguments = std::make_shared<EncodeArguments>();
  add_options(command, *arguments, "Files of ids separated by blanks (default, and '-': stdin)",
              "Decode these ids");
  command.footer("Example:\n  heed decode -m vocab -p '46 77 66 68'");
  command.callback([&run, command, arguments] {
    check_input(command, *arguments);
    run = [arguments] { decode(*arguments); };
  });
}

}  // namespace heed::cli
