// Questions about a small world, whose answers can be judged: a task for learning from feedback, in
// which the truth is known.
//
//   "Where is the lamp?"   "The lamp is in the kitchen."                             true
//                          "Good question. The lamp is in the attic."                false, polite
//                          "The lamp is in the kitchen. Now go away."                true, rude
//
//   score = 1 if true, -1 if false  + 1/2 polite, - 1/2 rude  - 1/4 for each phrase after the first
//           -3/2 if it is not an answer to the question, or says two things
//
// There are 24 things with a color, a place and a material each. No question of one part occurs in
// another: conversations, rankings and prompts of `train` are to learn from, `choice` is for
// choosing settings, `test` for the score that is reported. The text is about all things.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "heed/base/export.h"

namespace heed {

enum class WorldPart : uint8_t { train, choice, test };

HEED_API std::string world_question(WorldPart part, uint64_t seed, int64_t index);

// An answer as somebody might give it: true in 6 of 10 cases; as often polite, plain or rude.
HEED_API std::string world_answer(const std::string& question, uint64_t seed, int64_t index);

// Three answers of different scores, the best first.
HEED_API std::vector<std::string> world_ranking(const std::string& question, uint64_t seed,
                                                int64_t index);

// A line of text to learn the language and the facts from: a question and an answer.
HEED_API std::string world_line(uint64_t seed, int64_t index);

HEED_API double world_score(const std::string& question, const std::string& answer);

}  // namespace heed
