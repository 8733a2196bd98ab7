// How a model generates text, and what it generated.
#pragma once

#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "heed/generate/generator.h"

namespace heed {

struct GenerateTextOptions {
  int64_t max_tokens =
      0;  // 0: 256 after a prompt; for an answer twice the tokens of its text, + 50
  int64_t min_tokens = 0;  // before these the text does not end
  SamplingOptions sampling = {};
  BeamOptions beam = {};
  int64_t no_repeat = 0;     // no run of this many tokens is generated twice; 0: any may
  int64_t alternatives = 0;  // likeliest tokens reported at every position
  std::string begin = {};    // what the text begins with, whatever the model would generate
  std::vector<std::string> stop = {};  // the text ends before the first of these
  uint64_t sample = 0;                 // another number draws another text from the same seed
  int64_t sequences = 64;              // hypotheses generated at once at most
  int64_t batch_tokens = 0;            // tokens of texts read at once at most; 0: any number
  // Called with text as it is generated, in whole characters, for the text with this index; not
  // with a beam. False ends it.
  std::function<bool(size_t index, std::string_view more)> on_text = {};
  std::stop_token cancel = {};  // ends all, each with what it has
};

struct GeneratedText {
  std::string text;
  Generation generation;                 // the tokens behind it
  std::vector<std::string> others = {};  // texts of generation.others, no two of all equal
  int64_t prompt_tokens = 0;             // that the model has read before it wrote
  bool cut = false;  // the text to read was longer than the model was trained with, and was cut
};

}  // namespace heed
