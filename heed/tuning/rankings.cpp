#include "heed/tuning/rankings.h"

#include <algorithm>
#include <numeric>

#include "heed/base/blanks.h"
#include "heed/base/fail.h"
#include "heed/tuning/records_internal.h"

namespace heed {
namespace {

constexpr std::string_view kHuman = "\n\nHuman:", kAssistant = "\n\nAssistant:";

// A dialogue as one text with the names of those who speak.
std::vector<ChatMessage> spoken(std::string_view text) {
  check(text.starts_with(kHuman),
        "there is no \"prompt\"; without one, a dialogue must begin with \"\\n\\nHuman:\"");
  std::vector<ChatMessage> messages;
  while (!text.empty()) {
    const bool human = text.starts_with(kHuman);
    text.remove_prefix(human ? kHuman.size() : kAssistant.size());
    const size_t end = std::min(text.find(kHuman), text.find(kAssistant));
    messages.push_back({human ? "user" : "assistant", std::string(trimmed(text.substr(0, end)))});
    text.remove_prefix(std::min(end, text.size()));
  }
  require_conversation(messages);
  return messages;
}

std::vector<ChatMessage> dialogue_of(const RecordJson& value, const char* name) {
  check(value.is_string() || value.is_array(), "\"{}\" must be a text or a list of messages", name);
  std::vector<ChatMessage> messages =
      value.is_string() ? spoken(value.get_ref<const std::string&>()) : messages_of(value);
  check(messages.back().role == "assistant", "\"{}\" must end with an answer", name);
  return messages;
}

std::vector<ChatMessage> prompt_of(const RecordJson& record) {
  if (record.contains("instruction")) return {{"user", question_of(record)}};
  const char* const name = record.contains("messages") ? "messages" : "prompt";
  check(record.contains(name), "expected a \"prompt\" or an \"instruction\"");
  const RecordJson& prompt = record[name];
  std::vector<ChatMessage> messages;
  if (prompt.is_array()) {
    messages = messages_of(prompt);
  } else {
    messages = {{"user", text_at(record, name)}};
  }
  check(messages.back().role == "user", "the prompt must end with the user's message");
  return messages;
}

std::vector<std::string> ranked_answers(const RecordJson& record) {
  const RecordJson& list = record["answers"];
  check(list.is_array(), "\"answers\" must be a list, got {}", list.type_name());
  std::vector<std::string> answers;
  for (const RecordJson& answer : list) {
    check(answer.is_string(), "an answer must be a text, got {}", answer.type_name());
    answers.push_back(answer.get<std::string>());
  }
  if (!record.contains("ranks")) return answers;
  const RecordJson& ranks = record["ranks"];
  check(ranks.is_array() && ranks.size() == answers.size(), "\"ranks\" must have {} numbers",
        answers.size());
  std::vector<size_t> order(answers.size());
  std::iota(order.begin(), order.end(), size_t{0});
  for (const RecordJson& rank : ranks) check(rank.is_number(), "a rank must be a number");
  const auto rank_of = [&](size_t i) { return ranks[i].get<double>(); };
  std::sort(order.begin(), order.end(),
            [&](size_t a, size_t b) { return rank_of(a) < rank_of(b); });
  std::vector<std::string> sorted;
  for (size_t i = 0; i < order.size(); ++i) {
    check(i == 0 || rank_of(order[i - 1]) < rank_of(order[i]),
          "two answers have the rank {}; a ranking must not have ties", rank_of(order[i]));
    sorted.push_back(answers[order[i]]);
  }
  return sorted;
}

Ranking ranking_of(const RecordJson& record) {
  Ranking ranking;
  if (record.contains("answers")) {
    ranking = {prompt_of(record), ranked_answers(record)};
  } else {
    check(record.contains("chosen") && record.contains("rejected"),
          "expected \"answers\", or \"chosen\" and \"rejected\"");
    const RecordJson &chosen = record["chosen"], &rejected = record["rejected"];
    const bool with_prompt = record.contains("prompt") || record.contains("instruction");
    if (with_prompt && chosen.is_string()) {
      ranking = {prompt_of(record), {chosen.get<std::string>(), text_at(record, "rejected")}};
    } else {
      std::vector<ChatMessage> better = dialogue_of(chosen, "chosen"),
                               worse = dialogue_of(rejected, "rejected");
      ranking.answers = {better.back().content, worse.back().content};
      better.pop_back();
      worse.pop_back();
      check(better == worse, "the two dialogues differ before their last answer");
      ranking.prompt = std::move(better);
    }
  }
  check(ranking.answers.size() >= 2, "a ranking needs two answers or more, got {}",
        ranking.answers.size());
  for (const std::string& answer : ranking.answers) require_text(answer, "an answer");
  for (size_t i = 0; i < ranking.answers.size(); ++i) {
    const auto begin = ranking.answers.begin();
    check(std::find(begin, begin + static_cast<std::ptrdiff_t>(i), ranking.answers[i]) ==
              begin + static_cast<std::ptrdiff_t>(i),
          "two answers are the same; a ranking must not have ties");
  }
  return ranking;
}

}  // namespace

RecordReport for_each_ranking(const std::string& path, OnMistake on_mistake,
                              const std::function<void(const Ranking& ranking)>& use) {
  return for_each_record(path, on_mistake,
                         [&](const RecordJson& record) { use(ranking_of(record)); });
}

std::string to_json(const Ranking& ranking) {
  nlohmann::ordered_json json;
  if (ranking.prompt.size() == 1) {
    json["prompt"] = ranking.prompt[0].content;
  } else {
    for (const ChatMessage& message : ranking.prompt) {
      json["prompt"].push_back({{"role", message.role}, {"content", message.content}});
    }
  }
  json["answers"] = ranking.answers;
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace heed
