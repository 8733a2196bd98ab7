// heed vocab: trains a tokenizer.

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>

#include "apps/cli/inputs/lines.h"
#include "apps/cli/options/command.h"
#include "apps/cli/options/command_line.h"
#include "apps/cli/options/named_options.h"
#include "apps/cli/options/option_checks.h"
#include "apps/message.h"
#include "heed/base/fail.h"
#include "heed/data/compressed.h"
#include "heed/data/text_blocks.h"
#include "heed/tensor/storage.h"
#include "heed/text/train_tokenizer.h"
#include "heed/text/utf8.h"

namespace heed::cli {
namespace {

// The figures of the report are counted on no more than this of each file.
constexpr size_t kMaxCounted = 16 << 20;

struct VocabArguments {
  std::vector<std::string> files;
  std::string output;
  std::string type = "bpe";
  int64_t size = 0;
  bool json = false;
};

TokenizerKind kind_of(const std::string& type) {
  for (const auto kind : {TokenizerKind::byte, TokenizerKind::character, TokenizerKind::word,
                          TokenizerKind::bpe, TokenizerKind::unigram}) {
    if (type == name(kind)) return kind;
  }
  return TokenizerKind::sentencepiece_bpe;
}

// A file, mapped; a pipe or stdin, read.
struct Text {
  std::string name;
  std::shared_ptr<const Storage> mapped;
  std::string read;

  std::string_view view() const {
    if (!mapped) return read;
    return {reinterpret_cast<const char*>(mapped->data()), mapped->bytes()};
  }
};

Text load_any_text(const std::string& name) {
  Text text{.name = name, .mapped = nullptr, .read = {}};
  std::error_code ignored;  // what cannot be looked at cannot be mapped either
  if (name != "-" && !std::filesystem::is_fifo(name, ignored)) {
    text.mapped = Storage::map_file(name);
    return text;
  }
  for_each_line({name}, [&](const Line& line) { text.read.append(line.text) += '\n'; });
  return text;
}

// As heed train reads it: what is learned from JSON lines is their field "text".
Text load_text(const std::string& name) {
  Text text = load_any_text(name);
  if (!is_json_lines(text.view())) return text;
  Text texts{.name = name, .mapped = nullptr, .read = {}};
  const TextReport report =
      for_each_block({text.view(), name}, {}, [&](std::string_view block) { texts.read += block; });
  for (const Finding& finding : report.findings()) {
    say("{}: {}\n", name, with_option_names(finding.text));
  }
  return texts;
}

void refuse_bad_bytes(const std::vector<Text>& texts) {
  for (const Text& text : texts) {
    const std::string_view view = text.view();
    const size_t valid = valid_utf8_bytes(view);
    if (valid == view.size()) continue;
    if (const auto program = unpacked_by(view); !program.empty()) {
      fail("{}: {}", text.name, compressed_text(program));
    }
    const auto line = std::count(view.begin(), view.begin() + static_cast<ptrdiff_t>(valid), '\n');
    fail(
        "{}: line {}: 0x{:02X} is not UTF-8; if the file is in Latin-1, convert it: iconv -f "
        "LATIN1 -t UTF-8 FILE (--type byte takes any bytes)",
        text.name, line + 1, static_cast<unsigned char>(view[valid]));
  }
}

struct Counts {
  int64_t bytes = 0;
  int64_t words = 0;  // between white space
  int64_t tokens = 0;
  int64_t unknown = 0;
};

int64_t words_in(std::string_view line) {
  int64_t words = 0;
  bool inside = false;
  for (const char c : line) {
    const bool blank = c == ' ' || c == '\t' || c == '\r';
    if (!blank && !inside) ++words;
    inside = !blank;
  }
  return words;
}

Counts count(const Tokenizer& tokenizer, const std::vector<Text>& texts) {
  Counts counts;
  for (const Text& text : texts) {
    std::string_view rest = text.view();
    for (size_t seen = 0; !rest.empty() && seen < kMaxCounted;) {
      const size_t end = std::min({rest.find('\n'), rest.size(), kMaxCounted});
      const std::string_view line = rest.substr(0, end);
      rest.remove_prefix(std::min(end + 1, rest.size()));
      seen += end + 1;
      counts.bytes += static_cast<int64_t>(line.size());
      counts.words += words_in(line);
      const std::vector<int32_t> ids = tokenizer.encode(line);
      counts.tokens += static_cast<int64_t>(ids.size());
      if (const auto unknown = tokenizer.specials().unknown) {
        counts.unknown += std::count(ids.begin(), ids.end(), *unknown);
      }
    }
  }
  return counts;
}

struct Report {
  std::string path;
  std::string type;
  int64_t size = 0;
  double seconds = 0;
  double coverage = 1;
  double tokens_per_word = 0;
  double bytes_per_token = 0;
};

void print_vocabulary_report(const Report& report, bool as_json) {
  if (as_json) {
    const nlohmann::ordered_json page{{"file", report.path},
                                      {"type", report.type},
                                      {"size", report.size},
                                      {"seconds", report.seconds},
                                      {"coverage", report.coverage},
                                      {"tokens_per_word", report.tokens_per_word},
                                      {"bytes_per_token", report.bytes_per_token}};
    fmt::print("{}\n", page.dump());
    return;
  }
  fmt::print("type              {}\n", report.type);
  fmt::print("size              {} tokens\n", report.size);
  fmt::print("coverage          {:.2f} % of the tokens of the text are known\n",
             100 * report.coverage);
  fmt::print("tokens per word   {:.3f}\n", report.tokens_per_word);
  fmt::print("bytes per token   {:.3f}\n", report.bytes_per_token);
  fmt::print("time              {:.2f} s\n", report.seconds);
}

// A model means something only with the ids that it was trained with.
void refuse_model_folder(const std::string& folder) {
  for (const char* name : {"config.json", "model.safetensors"}) {
    if (!std::filesystem::exists(std::filesystem::path(folder) / name)) continue;
    fail("{} holds a model ({}), which needs the tokenizer that it has; name another folder",
         folder, name);
  }
}

void train_vocabulary(const VocabArguments& arguments) {
  refuse_model_folder(arguments.output);
  std::vector<Text> texts;
  for (const std::string& file : arguments.files) texts.push_back(load_text(file));
  std::vector<std::string_view> views;
  views.reserve(texts.size());
  for (const Text& text : texts) views.push_back(text.view());
  const TokenizerKind kind = kind_of(arguments.type);
  if (kind != TokenizerKind::byte) refuse_bad_bytes(texts);

  const auto begin = std::chrono::steady_clock::now();
  const auto tokenizer = train_tokenizer(views, {.kind = kind, .vocab_size = arguments.size});
  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - begin;
  Report report{.path = tokenizer->save(arguments.output),
                .type = arguments.type,
                .size = tokenizer->size(),
                .seconds = time.count()};
  say("wrote {}\n", report.path);
  if (tokenizer->size() < arguments.size && kind != TokenizerKind::byte) {
    say("heed: the text gives {} tokens, fewer than the {} asked for\n", tokenizer->size(),
        arguments.size);
  }

  const Counts counts = count(*tokenizer, texts);
  const auto ratio = [](int64_t a, int64_t b) {
    return b == 0 ? 0.0 : static_cast<double>(a) / static_cast<double>(b);
  };
  report.coverage = 1 - ratio(counts.unknown, counts.tokens);
  report.tokens_per_word = ratio(counts.tokens, counts.words);
  report.bytes_per_token = ratio(counts.bytes, counts.tokens);
  print_vocabulary_report(report, arguments.json);
}

}  // namespace

void add_vocab_command(CLI::App& app, Run& run) {
  Command command(app, "vocab", "Train a tokenizer on text files");
  auto arguments = std::make_shared<VocabArguments>();
  command
      .add_option("FILES", arguments->files,
                  "Text files, or JSON lines with a field text; '-': stdin (required)")
      .type_name("FILE");
  command
      .add_option("-o,--output", arguments->output,
                  "The folder for tokenizer.json or spm.model (required)")
      .type_name("DIR");
  command
      .add_option("--type", arguments->type,
                  "bpe (byte-level, default), byte, char, word, spm (SentencePiece unigram) or "
                  "spm-bpe")
      .check(one_of({"bpe", "byte", "char", "word", "spm", "spm-bpe"}))
      .type_name("TYPE");
  command
      .add_option("--vocab-size", arguments->size,
                  "Tokens at most, special ones included (default: 8000; char and word: all)")
      .check(whole_number(1, std::numeric_limits<int32_t>::max()))
      .type_name("N");
  command.add_flag("--json", arguments->json, "Print the report as JSON");
  command.footer("Example:\n  heed vocab text.txt -o vocab --type bpe --vocab-size 8000");
  command.callback([&run, command, arguments] {
    if (arguments->files.empty()) wrong_usage("FILES are required: the text to train on");
    require_option(command, "--output");
    if (arguments->output.empty()) wrong_usage("--output needs the name of a folder");
    run = [arguments] { train_vocabulary(*arguments); };
  });
}

}  // namespace heed::cli
