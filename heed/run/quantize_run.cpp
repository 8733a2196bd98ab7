#include "heed/run/quantize_run.h"

#include <filesystem>
#include <vector>

#include "heed/base/fail.h"
#include "heed/run/run_folder.h"

namespace heed {

void quantize_run(const std::string& folder, const std::string& output) {
  LoadedRun run = load_run(folder);
  check(!run.config.int8, "quantize: the weights of {} are int8 already", folder);
  run.model = make_model(run.config.model,
                         {.stored = stored_weights(folder), .must_be_stored = true, .int8 = true});
  std::vector<NamedTensor> weights;
  for (const NamedParameter& parameter : run.model->parameters().list()) {
    weights.push_back({parameter.name, parameter.variable.value()});
  }
  run.config.int8 = true;
  std::filesystem::create_directories(output);
  if (run.tokenizer) run.tokenizer->save(output);
  export_model(output, weights, run.step);
  write_run_config(output, run.config);
}

}  // namespace heed
