#include "heed/run/average_runs.h"

#include <algorithm>
#include <filesystem>
#include <vector>

#include "heed/base/fail.h"
#include "heed/run/run_folder.h"

namespace heed {
namespace {

void check_alike(const LoadedRun& first, const LoadedRun& other, const std::string& first_folder,
                 const std::string& folder) {
  const auto require = [&](bool same, const char* what) {
    check(same, "average: {} and {} differ in {}, so their weights cannot be averaged",
          first_folder, folder, what);
  };
  require(first.config.settings.task == other.config.settings.task, "the task");
  require(to_json(first.config.model) == to_json(other.config.model), "the model");
  require(first.config.labels == other.config.labels, "the labels");
  require(!first.tokenizer || first.tokenizer->file_contents() == other.tokenizer->file_contents(),
          "the tokenizer");
}

}  // namespace

void average_runs(std::span<const std::string> folders, const std::string& output) {
  check(!folders.empty(), "average: there must be a run at least");
  for (const std::string& folder : folders) {
    check(!read_run_config(folder).int8,
          "average: the weights of {} are int8; average the float32 runs and quantize the mean",
          folder);
  }
  for (const std::string& folder : folders) {
    check(read_run_config(folder).settings.lora == 0,
          "average: {} holds adapters; merge them first (`merge`)", folder);
  }
  const LoadedRun first = load_run(folders[0]);
  int64_t step = first.step;
  std::vector<Tensor> sums;  // float64
  for (const NamedParameter& parameter : first.model->parameters().list()) {
    sums.push_back(parameter.variable.value().to(DType::f64).clone());
  }
  for (const std::string& folder : folders.subspan(1)) {
    const LoadedRun run = load_run(folder);
    check_alike(first, run, folders[0], folder);
    step = std::max(step, run.step);
    const auto parameters = run.model->parameters().list();
    for (size_t i = 0; i < sums.size(); ++i) {
      const float* from = parameters[i].variable.value().data<float>();
      double* to = sums[i].data<double>();
      for (int64_t k = 0; k < sums[i].size(); ++k) to[k] += static_cast<double>(from[k]);
    }
  }
  std::vector<NamedTensor> weights;
  const auto parameters = first.model->parameters().list();
  for (size_t i = 0; i < sums.size(); ++i) {
    double* sum = sums[i].data<double>();
    for (int64_t k = 0; k < sums[i].size(); ++k) sum[k] /= static_cast<double>(folders.size());
    weights.push_back({parameters[i].name, sums[i].to(DType::f32)});
  }
  std::filesystem::create_directories(output);
  if (first.tokenizer) first.tokenizer->save(output);
  export_model(output, weights, step);
  write_run_config(output, first.config);
}

}  // namespace heed
