// Files of JSON records: one object per line, or one list of objects.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "heed/chat/chat_template.h"
#include "heed/tuning/record_report.h"

namespace heed {

using RecordJson = nlohmann::json;

// Calls use(record) for every object. An Error that `use` raises gets the place, "file:12: ..", in
// front, or is counted, as `on_mistake` says; so is a line that is not an object.
RecordReport for_each_record(const std::string& path, OnMistake on_mistake,
                             const std::function<void(const RecordJson& record)>& use);

// [{"role": "user", "content": ".."}, ..], checked: roles, turns, no empty answer.
std::vector<ChatMessage> messages_of(const RecordJson& list);

// The question of {"instruction": .., "input": ..}: both, with an empty line between.
std::string question_of(const RecordJson& record);

// A member that must be a text.
const std::string& text_at(const RecordJson& record, const char* name);

// A text that is not blank; `what` names it.
void require_text(const std::string& text, const char* what);

}  // namespace heed
