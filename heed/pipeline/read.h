// Texts as a model reads them, in batches.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "heed/pipeline/pipeline.h"

namespace heed {

struct ReadText {
  std::vector<int32_t> ids;
  bool cut = false;
};

// A text cut to the length that the model was trained with.
ReadText read_text(const Pipeline& pipeline, const std::string& text);

// The same, with the tokens that the model wants around it.
ReadText read_source(const Pipeline& pipeline, const std::string& text);

// Calls use(items, rows, ids) for batches of like lengths, until every sequence had its turn.
using UseIds =
    std::function<void(std::span<const size_t> items, const Rows& rows, const Tensor& ids)>;
void for_each_batch(std::span<const std::vector<int32_t>> sequences, const UseIds& use);

// [N, C] -> [N, V]: what the output layer makes of some rows.
Tensor output_logits(const Model& model, const Tensor& rows);

// What a model computed must be numbers; `what` names the task.
void check_finite(const Tensor& computed, const char* what);

// What Pipeline::embed gives, for texts that are tokens already.
std::vector<Tensor> embed_ids(const Pipeline& pipeline,
                              std::span<const std::vector<int32_t>> sequences,
                              const EmbedOptions& options);

}  // namespace heed
