// What the ways of tuning have in common.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "heed/run/run_folder.h"
#include "heed/run/settings.h"
#include "heed/train/prepared_run.h"
#include "heed/tuning/dialogue_corpus.h"
#include "heed/tuning/record_report.h"

namespace heed {

// The model that is tuned, with complete settings of its shape.
struct Tuning {
  TrainSettings settings;
  RunConfig config;  // model and chat template of what is tuned
  std::shared_ptr<const Tokenizer> tokenizer;
  int64_t context = 0;  // tokens it can read; 0: any number
  OnMistake on_mistake = OnMistake::fail;
};

// Of the base, or of the run that is resumed. An Error unless it is a language model in float32.
Tuning begin_tuning(const TrainSettings& settings, const std::string& folder,
                    const RunConfig* saved);

struct TuningDefaults {
  int64_t batch = 16, epochs = 3, patience = 0;
  int64_t steps = 0;  // instead of epochs, if above 0
  double lr = 1e-4;
  const char* metric = "loss";
  ScheduleKind schedule = ScheduleKind::cosine;
};

// Every setting of the training that was left open; the run keeps how, for other numbers of steps.
void choose_tuning(TrainSettings& settings, int64_t items, const TuningDefaults& defaults,
                   PreparedRun& run);

// "warning: 3 records were skipped; the first: .."
void note_records(const RecordReport& report, std::vector<std::string>& notes);

// "warning: 2 conversations are longer than .."
void note_lengths(const DialogueBuilder& part, int64_t context, std::vector<std::string>& notes);

// What is asked first in a conversation.
std::vector<ChatMessage> first_prompt(std::span<const ChatMessage> messages);

// The first file, and that there is one.
const std::string& only_file(const char* option, const std::vector<std::string>& files);

}  // namespace heed
