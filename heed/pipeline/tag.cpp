// Pipeline::tag.

#include <algorithm>

#include "heed/base/fail.h"
#include "heed/pipeline/pipeline.h"
#include "heed/pipeline/read.h"
#include "heed/run/special_tokens.h"
#include "heed/run/task_names.h"
#include "heed/run/text_ids.h"

namespace heed {
namespace {

// A piece of a text that the model reads at once.
struct Piece {
  std::vector<int32_t> ids = {};
  std::vector<size_t> first = {};  // of each word, the row of its first token
  size_t text = 0, begin = 0;      // where it belongs: words of text `text` from `begin` on
};

}  // namespace

std::vector<std::vector<TaggedWord>> Pipeline::tag(std::span<const std::string> texts,
                                                   WordEdges edges) const {
  check(task() == Task::tag, "this is a model for {}; tagging needs one of heed train tag",
        name_of(task()));
  const SpecialTokens special = special_tokens_of(run_->config, tokenizer());
  const auto max_length = static_cast<size_t>(longest_text(run_->config, special));
  std::vector<std::vector<TaggedWord>> result(texts.size());
  std::vector<Piece> pieces;
  for (size_t i = 0; i < texts.size(); ++i) {
    const size_t before = pieces.size();
    for (const WordPlace& place : find_words(texts[i], edges)) {
      TaggedWord word{.word = texts[i].substr(place.begin, place.end - place.begin),
                      .tag = {},
                      .begin = place.begin,
                      .end = place.end};
      std::vector<int32_t> ids = word_ids(tokenizer(), word.word);
      if (max_length > 0 && ids.size() > max_length) ids.resize(max_length);
      // A text longer than the model reads is tagged in pieces.
      if (pieces.size() == before ||
          (max_length > 0 && pieces.back().ids.size() + ids.size() > max_length)) {
        pieces.push_back({.text = i, .begin = result[i].size()});
      }
      Piece& piece = pieces.back();
      piece.first.push_back(special.before.size() + piece.ids.size());
      piece.ids.insert(piece.ids.end(), ids.begin(), ids.end());
      result[i].push_back(std::move(word));
    }
  }
  std::vector<std::vector<int32_t>> sequences;
  sequences.reserve(pieces.size());
  for (const Piece& piece : pieces) sequences.push_back(special.around(piece.ids));
  const NoGrad no_grad;
  for_each_batch(sequences, [&](std::span<const size_t> items, const Rows& rows,
                                const Tensor& ids) {
    Batch batch;
    batch.source = ids;
    batch.source_rows = rows;
    const Tensor logits = output_logits(*run_->model, run_->model->features(batch, {}).value());
    check_finite(logits, "tag");
    const auto classes = static_cast<size_t>(logits.dim(1));
    check(classes == labels().size(), "the model has {} tags, but config.json names {}", classes,
          labels().size());
    for (size_t i = 0; i < items.size(); ++i) {
      const Piece& piece = pieces[items[i]];
      for (size_t w = 0; w < piece.first.size(); ++w) {
        const auto at = static_cast<size_t>(rows.begin(static_cast<int64_t>(i))) + piece.first[w];
        const float* row = logits.data<float>() + at * classes;
        const auto best = std::max_element(row, row + classes) - row;
        result[piece.text][piece.begin + w].tag = labels()[best];
      }
    }
  });
  return result;
}

}  // namespace heed
