// The small translator of the demos about words in context.
#pragma once

#include <cstdint>

#include "apps/cli/demos/lesson.h"
#include "apps/cli/options/command_line.h"
#include "heed/corpora/context_corpus.h"
#include "heed/pipeline/pipeline.h"

namespace heed::cli {

struct ContextModelOptions {
  int64_t steps = 1200;
  uint64_t seed = 1;
};

void add_context_model_options(Command& command, ContextModelOptions& options);

// Trained on context_sentence(), once, or from the cache. Nothing is added to the embeddings for
// their place (positions are rotary), so a word begins as the same vector everywhere.
Pipeline context_model(const ContextModelOptions& options);

// Different sentences that were not trained.
std::vector<ContextSentence> unseen_context_sentences(uint64_t seed);

// Says how many of them the model translates without an error.
void tell_translations(const Pipeline& model, const std::vector<ContextSentence>& sentences,
                       Lesson& lesson);

// The index of `word` among the words of the text; an Error names the option if it is not there,
// or if the model does not know a word.
int64_t word_index(const Pipeline& model, const std::string& text, const std::string& word,
                   const std::string& option);

}  // namespace heed::cli
