#include "heed/pipeline/pipeline.h"

#include "heed/base/fail.h"

namespace heed {
namespace {

template <typename T>
T only(std::vector<T> all) {
  return std::move(all.front());
}

}  // namespace

Pipeline::Pipeline(LoadedRun run) : run_(std::make_shared<const LoadedRun>(std::move(run))) {
  check(run_->model != nullptr, "Pipeline: the run has no model");
}

Pipeline load(const std::string& path) { return Pipeline(load_run(path)); }

const Tokenizer& Pipeline::tokenizer() const {
  const int64_t row_width =
      std::visit([](const auto& config) { return config.source_width; }, run_->config.model);
  check(row_width == 0,
        "this model reads rows of floats, not lines of text; heed eval measures it");
  check(run_->tokenizer != nullptr, "this model has no tokenizer: it does not read text");
  return *run_->tokenizer;
}

int64_t Pipeline::context() const {
  const auto* transformer = std::get_if<TransformerConfig>(&run_->config.model);
  return transformer == nullptr ? 0 : transformer->context;
}

GeneratedText Pipeline::generate(const std::string& prompt,
                                 const GenerateTextOptions& options) const {
  return only(generate(std::span(&prompt, 1), options));
}

GeneratedText Pipeline::translate(const std::string& text,
                                  const GenerateTextOptions& options) const {
  return only(translate(std::span(&text, 1), options));
}

ClassifiedText Pipeline::classify(const std::string& text) const {
  return only(classify(std::span(&text, 1)));
}

std::vector<TaggedWord> Pipeline::tag(const std::string& text, WordEdges edges) const {
  return only(tag(std::span(&text, 1), edges));
}

Tensor Pipeline::embed(const std::string& text, const EmbedOptions& options) const {
  return only(embed(std::span(&text, 1), options));
}

}  // namespace heed
