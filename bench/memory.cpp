#include "bench/memory.h"

#include <vector>

#include "bench/attention_run.h"
#include "bench/resident.h"

namespace heed::bench {

MemoryReport measure_memory(const MemoryOptions& options) {
  const AttentionShape shape{.T = options.length, .S = options.length};
  AttentionOptions attention_options;
  attention_options.mask.is_causal = options.causal;
  const AttentionRun run(shape, attention_options);

  // The outputs are touched beforehand; the pool then hands out the same buffers again.
  const int64_t output_elements = shape.T * shape.H * shape.D;
  std::vector<Tensor> outputs(4);  // y, dq, dk, dv
  for (Tensor& output : outputs) output = Tensor::full({output_elements}, 1);
  outputs.clear();

  const int64_t before = peak_resident_bytes();
  run.forward_backward();
  return {.length = options.length,
          .causal = options.causal,
          .inputs_bytes = run.input_bytes(),
          .outputs_bytes = 4 * 4 * output_elements,
          .growth_bytes = peak_resident_bytes() - before};
}

}  // namespace heed::bench
