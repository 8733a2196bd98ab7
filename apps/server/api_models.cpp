// GET /api/models and POST /api/tokenize.

#include "apps/server/fields.h"
#include "apps/server/json_text.h"
#include "apps/server/layer_json.h"
#include "apps/server/route.h"
#include "apps/server/run_example.h"
#include "heed/models/rnn_config.h"
#include "heed/models/transformer_config.h"
#include "heed/run/task_names.h"

namespace heed::server {
namespace {

const char* kind_of(const ModelConfig& config) {
  const auto* transformer = std::get_if<TransformerConfig>(&config);
  if (transformer == nullptr) return "rnn";
  switch (transformer->kind) {
    case TransformerKind::encoder: return "encoder";
    case TransformerKind::decoder: return "decoder";
    case TransformerKind::encoder_decoder: return "encoder_decoder";
    case TransformerKind::prefix: return "prefix";
  }
  return "";
}

int64_t width_of(const ModelConfig& config) {
  return std::visit([](const auto& one) { return one.width; }, config);
}

int64_t parameter_count(const Model& model) {
  int64_t count = 0;
  for (const NamedParameter& one : model.parameters().list()) {
    if (one.variable.value().defined()) count += one.variable.value().size();
  }
  return count;
}

Json abilities(const Pipeline& pipeline) {
  const Task task = pipeline.task();
  if (pipeline.run().tokenizer == nullptr) return Json::array();
  Json list = {"embeddings", "hidden", "attention", "walk"};
  if (task == Task::lm) list.insert(list.end(), {"generate", "score"});
  if (is_pair_task(task)) list.insert(list.end(), {"generate", "translate", "score"});
  if (task == Task::classify || task == Task::tag) list.push_back(name_of(task));
  return list;
}

Json described_model(const ServedModel& served, const std::string& folder) {
  const Pipeline& pipeline = served.pipeline;
  const RunConfig& config = pipeline.run().config;
  Json page{{"id", served.id},
            {"task", name_of(pipeline.task())},
            {"kind", kind_of(config.model)},
            {"vocabulary", vocabulary_of(config.model)},
            {"context", pipeline.context()},
            {"width", width_of(config.model)},
            {"blocks", pipeline.blocks()},
            {"parameters", parameter_count(*pipeline.run().model)},
            {"int8", config.int8},
            {"labels", config.labels},
            {"attention_layers", layers_json(config.model)},
            {"dialogue", config.chat.defined()},
            {"can", abilities(pipeline)}};
  if (const auto example = run_example(folder, pipeline.run())) {
    page["example"] = {{"source", example->source}};
    if (!example->target.empty()) page["example"]["target"] = example->target;
  }
  return page;
}

}  // namespace

HttpAnswer get_models(Service& service, const Call& /*call*/) {
  Json page{{"models", Json::array()}};
  for (const ServedModel& model : service.models()) {
    page["models"].push_back(described_model(model, service.options().models[model.index]));
  }
  return json_answer(page);
}

HttpAnswer post_tokenize(Service& service, const Call& call) {
  Fields fields(call.body);
  const Pipeline& pipeline = service.model(fields.text("model", "")).pipeline;
  const std::string text = fields.text("text");
  fields.reject_unknown_fields();
  const std::vector<int32_t> ids = pipeline.tokenizer().encode(text, SpecialNames::are_text);
  return json_answer({{"tokens", tokens_json(pipeline.tokenizer(), ids)}});
}

}  // namespace heed::server
