#include "heed/pipeline/keep_names.h"

#include <algorithm>
#include <optional>

#include "heed/base/fail.h"
#include "heed/pipeline/read.h"

namespace heed {
namespace {

bool overlap(const WordPlace& a, const WordPlace& b) { return a.begin < b.end && b.begin < a.end; }

std::string_view part(std::string_view text, const WordPlace& place) {
  return text.substr(place.begin, place.end - place.begin);
}

// Where each token stands in the text. A token whose text is not there, such as the one for unknown
// words, stands for the next word.
std::vector<WordPlace> token_places(const Tokenizer& tokenizer, std::span<const int32_t> ids,
                                    std::string_view text) {
  const std::vector<WordPlace> words = find_words(text);
  std::vector<WordPlace> places;
  DecodeState state;
  size_t at = 0;
  for (const int32_t id : ids) {
    std::string piece;
    tokenizer.decode_next(id, state, piece);
    piece.erase(0, piece.find_first_not_of(" \t\n"));
    while (at < text.size() && (text[at] == ' ' || text[at] == '\t')) ++at;
    size_t end = at;
    if (text.substr(at).starts_with(piece)) {
      end = at + piece.size();
    } else {
      const auto word = std::find_if(words.begin(), words.end(),
                                     [&](const WordPlace& one) { return one.end > at; });
      end = word == words.end() ? text.size() : word->end;
    }
    places.push_back({at, end});
    at = end;
  }
  return places;
}

// The words of `text` that are exactly these words, one after the other.
std::optional<std::pair<size_t, size_t>> find_run(std::string_view text,
                                                  const std::vector<WordPlace>& words,
                                                  const std::vector<bool>& is_taken,
                                                  std::string_view name) {
  for (size_t first = 0; first < words.size(); ++first) {
    if (!text.substr(words[first].begin).starts_with(name)) continue;
    const size_t end = words[first].begin + name.size();
    size_t last = first;
    while (last < words.size() && !is_taken[last] && words[last].end < end) ++last;
    if (last < words.size() && !is_taken[last] && words[last].end == end) return {{first, last}};
  }
  return {};
}

struct Pairing {
  size_t name, word;
  float weight;
};

// How much each word of the translation looks at each name, most first.
std::vector<Pairing> pairings(const Pipeline& translator, const std::string& text,
                              std::span<const WordPlace> names, const std::string& translation,
                              const std::vector<WordPlace>& words) {
  const Tokenizer& tokenizer = translator.tokenizer();
  const std::vector<int32_t> read = read_text(translator, text).ids;
  const std::vector<int32_t> generated = tokenizer.encode(translation, SpecialNames::are_text);
  const AttentionMap map = translator.alignment(text, translation);
  const auto sources = token_places(tokenizer, read, text);
  const auto targets = token_places(tokenizer, generated, translation);
  const int64_t T = map.weights.dim(0), S = map.weights.dim(1);
  std::vector<Pairing> all;
  for (size_t n = 0; n < names.size(); ++n) {
    for (size_t w = 0; w < words.size(); ++w) {
      float sum = 0;
      int64_t tokens = 0;
      for (size_t t = 0; t < std::min(targets.size(), static_cast<size_t>(T)); ++t) {
        if (!overlap(targets[t], words[w])) continue;
        ++tokens;
        for (size_t s = 0; s < std::min(sources.size(), static_cast<size_t>(S)); ++s) {
          const auto at = static_cast<int64_t>(t) * S + static_cast<int64_t>(s);
          if (overlap(sources[s], names[n])) sum += map.weights.data<float>()[at];
        }
      }
      all.push_back({n, w, tokens == 0 ? 0 : sum / static_cast<float>(tokens)});
    }
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const Pairing& a, const Pairing& b) { return a.weight > b.weight; });
  return all;
}

}  // namespace

bool is_name_tag(const std::string& tag) {
  for (const char* name : {"PROPN", "NNP", "NNPS", "NE"}) {
    if (tag == name) return true;
  }
  return tag.size() > 2 && tag[1] == '-' &&
         std::string_view("BIES").find(tag[0]) != std::string_view::npos;
}

std::vector<WordPlace> find_names(const std::string& text, std::span<const TaggedWord> words) {
  std::vector<WordPlace> names;
  for (const TaggedWord& word : words) {
    if (!is_name_tag(word.tag)) continue;
    const bool follows = !names.empty() && !word.tag.starts_with("B-") &&
                         !word.tag.starts_with("S-") &&
                         std::all_of(text.begin() + static_cast<ptrdiff_t>(names.back().end),
                                     text.begin() + static_cast<ptrdiff_t>(word.begin),
                                     [](char c) { return c == ' '; });
    if (follows) {
      names.back().end = word.end;
    } else {
      names.push_back({word.begin, word.end});
    }
  }
  return names;
}

std::string keep_names(const Pipeline& translator, const std::string& text,
                       std::span<const WordPlace> names, const std::string& translation) {
  const std::vector<WordPlace> words = find_words(translation);
  std::vector<bool> is_taken(words.size(), false);
  std::vector<std::optional<size_t>> place(names.size());  // the word that a name replaces
  std::vector<bool> is_there(names.size(), false);
  for (size_t n = 0; n < names.size(); ++n) {
    if (const auto run = find_run(translation, words, is_taken, part(text, names[n]))) {
      is_there[n] = true;
      for (size_t w = run->first; w <= run->second; ++w) is_taken[w] = true;
    }
  }
  if (std::find(is_there.begin(), is_there.end(), false) == is_there.end()) return translation;
  if (!words.empty()) {
    for (const Pairing& pair : pairings(translator, text, names, translation, words)) {
      const bool is_free = !is_taken[pair.word] && !words[pair.word].is_mark;
      if (is_there[pair.name] || place[pair.name] || !is_free) continue;
      place[pair.name] = pair.word;
      is_taken[pair.word] = true;
    }
  }
  std::string result;
  size_t at = 0;
  for (size_t w = 0; w < words.size(); ++w) {
    const auto found = std::find(place.begin(), place.end(), std::optional<size_t>(w));
    if (found == place.end()) continue;
    result += translation.substr(at, words[w].begin - at);
    result += part(text, names[found - place.begin()]);
    at = words[w].end;
  }
  result += translation.substr(at);
  for (size_t n = 0; n < names.size(); ++n) {
    if (is_there[n] || place[n]) continue;
    result += (result.empty() ? "" : " ") + std::string(part(text, names[n]));
  }
  return result;
}

std::vector<GeneratedText> translate_keeping_names(const Pipeline& translator,
                                                   const Pipeline& tagger,
                                                   std::span<const std::string> texts,
                                                   const GenerateTextOptions& options) {
  check(translator.has_alignment(),
        "names are kept by a translator with attention to its source; this model has none");
  const std::vector<std::vector<TaggedWord>> tagged = tagger.tag(texts);
  std::vector<GeneratedText> generated = translator.translate(texts, options);
  for (size_t i = 0; i < texts.size(); ++i) {
    const std::vector<WordPlace> names = find_names(texts[i], tagged[i]);
    generated[i].text = keep_names(translator, texts[i], names, generated[i].text);
    for (std::string& other : generated[i].others) {
      other = keep_names(translator, texts[i], names, other);
    }
  }
  return generated;
}

}  // namespace heed
