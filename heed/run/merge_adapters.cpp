#include "heed/run/merge_adapters.h"

#include <filesystem>
#include <map>
#include <vector>

#include "heed/base/fail.h"
#include "heed/ops/add.h"
#include "heed/ops/matmul.h"
#include "heed/run/run_folder.h"

namespace heed {

void merge_adapters(const std::string& folder, const std::string& output) {
  LoadedRun run = load_run(folder);
  check(run.config.settings.lora > 0,
        "merge: {} has no adapters; finetuning with `lora` makes them", folder);
  const NoGrad no_grad;
  std::map<std::string, Tensor> all;
  for (const NamedParameter& parameter : run.model->parameters().list()) {
    all[parameter.name] = parameter.variable.value();
  }
  std::vector<NamedTensor> weights;
  for (const NamedParameter& parameter : run.model->parameters().list()) {
    const std::string& name = parameter.name;
    if (name.ends_with(".down") || name.ends_with(".up")) continue;
    const auto down = all.find(name + ".down");
    if (down == all.end()) {
      weights.push_back({name, parameter.variable.value()});
    } else {
      weights.push_back({name, add(all[name], matmul(down->second, all[name + ".up"])).value()});
    }
  }
  run.config.settings.lora = 0;
  run.config.settings.base.clear();
  std::filesystem::create_directories(output);
  if (run.tokenizer) run.tokenizer->save(output);
  export_model(output, weights, run.step);
  write_run_config(output, run.config);
}

}  // namespace heed
