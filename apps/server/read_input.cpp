#include "apps/server/read_input.h"

#include "heed/run/pair_layout.h"
#include "heed/run/task_input.h"

namespace heed::server {
namespace {

std::vector<int32_t> ids_of(const Tensor& tensor) {
  if (!tensor.defined()) return {};
  return {tensor.data<int32_t>(), tensor.data<int32_t>() + tensor.size()};
}

}  // namespace

ReadInput read_input(const Pipeline& pipeline, const std::string& text, const std::string& target) {
  ReadInput input;
  input.batch = task_input(pipeline.run(), text, target).batch;
  input.source = ids_of(input.batch.source);
  input.target = ids_of(input.batch.target);
  input.target_shown = input.target;
  if (!is_pair_task(pipeline.task())) return input;
  const auto prefix = static_cast<size_t>(input.batch.prefixes.at(0));
  const std::vector<int32_t> generated(input.target.begin() + static_cast<ptrdiff_t>(prefix),
                                       input.target.end());
  input.generated = answer_text(pipeline.tokenizer(), generated);
  if (!input.source.empty()) {
    input.target_shown = generated;
    input.target_shown.push_back(pair_tokens(pipeline.tokenizer()).eos);
  }
  return input;
}

}  // namespace heed::server
