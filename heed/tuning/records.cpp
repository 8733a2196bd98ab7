#include <algorithm>
#include <fstream>

#include "heed/base/blanks.h"
#include "heed/base/fail.h"
#include "heed/data/compressed.h"
#include "heed/data/refuse_pipe.h"
#include "heed/io/read_file.h"
#include "heed/tuning/records_internal.h"

namespace heed {
namespace {

constexpr int64_t kLongestLine = int64_t{64} << 20;

// Whether the file is one JSON list.
bool is_list(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  check(static_cast<bool>(in), "{}: cannot read it", path);
  char c = 0;
  while (in.get(c) && is_blank({&c, 1})) {
  }
  return c == '[';
}

class Records {
 public:
  Records(OnMistake on_mistake, const std::function<void(const RecordJson&)>& use)
      : on_mistake_(on_mistake), use_(use) {}

  void take(const RecordJson& record, const std::string& place) {
    try {
      check(!record.is_discarded(), "this is not JSON");
      check(record.is_object(), "expected a JSON object, got {}", record.type_name());
      use_(record);
      ++report_.used;
    } catch (const Error& error) {
      refuse(place, error.what());
    }
  }

  void refuse(const std::string& place, const std::string& reason) {
    const std::string text = place + ": " + reason;
    if (on_mistake_ == OnMistake::fail) throw BadRecord(text);
    if (report_.skipped++ == 0) report_.first_mistake = text;
  }

  const RecordReport& report() const { return report_; }

 private:
  OnMistake on_mistake_;
  const std::function<void(const RecordJson&)>& use_;
  RecordReport report_;
};

}  // namespace

RecordReport for_each_record(const std::string& path, OnMistake on_mistake,
                             const std::function<void(const RecordJson& record)>& use) {
  refuse_pipe(path, "its records are read twice; write it to a file first");
  Records records(on_mistake, use);
  if (is_list(path)) {
    const RecordJson list = RecordJson::parse(read_file(path), nullptr, false);
    check(list.is_array(), "{}: it begins like a JSON list, but is not JSON", path);
    for (size_t i = 0; i < list.size(); ++i) {
      records.take(list[i], fmt::format("{}: record {}", path, i + 1));
    }
  } else {
    LineReader reader(path, {.bad_bytes = OnMistake::count, .longest = kLongestLine});
    int64_t bad_lines = 0;
    while (const auto line = reader.next()) {
      const std::string place = fmt::format("{}:{}", path, reader.line());
      const bool is_bad = reader.report().bad_bytes.count > bad_lines;
      bad_lines = reader.report().bad_bytes.count;
      if (is_bad) {
        records.refuse(place, "there are bytes that are not UTF-8, as JSON must be");
      } else if (!is_blank(*line)) {
        records.take(RecordJson::parse(*line, nullptr, false), place);
      }
    }
    const std::string& compressed = reader.report().compressed;
    check(compressed.empty(), "{}: {}", path, compressed_text(compressed));
    check(reader.report().too_long.count == 0, "{}:{}: the line is longer than {} MB", path,
          reader.report().too_long.lines.empty() ? 0 : reader.report().too_long.lines[0],
          kLongestLine >> 20);
  }
  check(records.report().used > 0, "{}: there is no record that can be used{}{}", path,
        records.report().skipped > 0 ? "; the first: " : "", records.report().first_mistake);
  return records.report();
}

const std::string& text_at(const RecordJson& record, const char* name) {
  const auto found = record.find(name);
  check(found != record.end(), "there is no \"{}\"", name);
  check(found->is_string(), "\"{}\" must be a text, got {}", name, found->type_name());
  return found->get_ref<const std::string&>();
}

void require_text(const std::string& text, const char* what) {
  check(!is_blank(text), "{} is empty", what);
}

std::vector<ChatMessage> messages_of(const RecordJson& list) {
  check(list.is_array(), "messages must be a list, got {}", list.type_name());
  std::vector<ChatMessage> messages;
  for (const RecordJson& message : list) {
    check(message.is_object(), "message {} must be an object, got {}", messages.size() + 1,
          message.type_name());
    messages.push_back({text_at(message, "role"), text_at(message, "content")});
  }
  require_conversation(messages);
  for (const ChatMessage& message : messages) {
    if (message.role == "assistant") require_text(message.content, "an answer");
  }
  return messages;
}

std::string question_of(const RecordJson& record) {
  std::string question = text_at(record, "instruction");
  require_text(question, "the instruction");
  if (record.contains("input") && !record["input"].is_null()) {
    const std::string& input = text_at(record, "input");
    if (!is_blank(input)) question += "\n\n" + input;
  }
  return question;
}

}  // namespace heed
