// Names that pass through a translation untouched.
//
// A translator spells a name it has never seen as it likes, or writes the token for unknown words.
// But its attention says where it looked when it wrote a word; so each name that is missing
// in the translation takes the place of the word that looked at it most (Luong et al. 2015 replace
// unknown words this way).
#pragma once

#include <span>
#include <string>
#include <vector>

#include "heed/base/export.h"
#include "heed/pipeline/pipeline.h"
#include "heed/text/words.h"

namespace heed {

// Whether a tag stands for a proper noun or an entity: PROPN, NNP, NNPS, NE, or B-.., I-.., E-..,
// S-..
HEED_API bool is_name_tag(const std::string& tag);

// The names of a text: neighbors with such tags are one name.
HEED_API std::vector<WordPlace> find_names(const std::string& text,
                                           std::span<const TaggedWord> words);

// The translation with every name of the text in it. The translator must have attention to its
// source (Pipeline::has_alignment).
HEED_API std::string keep_names(const Pipeline& translator, const std::string& text,
                                std::span<const WordPlace> names, const std::string& translation);

// Translates, and keeps what the tagger takes for names.
HEED_API std::vector<GeneratedText> translate_keeping_names(
    const Pipeline& translator, const Pipeline& tagger, std::span<const std::string> texts,
    const GenerateTextOptions& options = {});

}  // namespace heed
