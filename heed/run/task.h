// What a run is for, and what kind of model it has.
#pragma once

#include <cstdint>
#include <string_view>

#include "heed/base/export.h"

namespace heed {

enum class Task : uint8_t {
  none,       // not said yet
  lm,         // a language model: goes on with a text
  translate,  // a text for a text, of about the same length
  summarize,  // a shorter text for a text
  classify,   // a class for a text
  tag,        // a tag for each word
  embed,      // vectors of a text; such models come from others
  reward,     // a number for an answer
};

// "translate"; empty: none.
HEED_API std::string_view name_of(Task task);

// Whether a task has a source and a target.
constexpr bool is_pair_task(Task task) {
  return task == Task::translate || task == Task::summarize;
}

enum class ModelKind : uint8_t {
  automatic,      // chosen by the task
  transformer,    // an encoder, or an encoder and a decoder
  decoder,        // one stack in which a token sees those before it
  prefix,         // one stack that sees all of the source
  rnn_attention,  // recurrent, with attention
  rnn,            // recurrent, with a fixed context
};

constexpr bool is_recurrent(ModelKind model) {
  return model == ModelKind::rnn || model == ModelKind::rnn_attention;
}

// Whether source and target are read by the same stack.
constexpr bool is_one_stack(ModelKind model) {
  return model == ModelKind::decoder || model == ModelKind::prefix;
}

// How a sentence becomes one row: the mean of its rows, or that of a token of its own before or
// after it.
enum class Pooling : uint8_t { mean, cls, cls_end };

}  // namespace heed
