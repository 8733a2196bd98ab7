// POST /api/walk: every named intermediate of one input.

#include <fmt/format.h>

#include <cmath>

#include "apps/server/api_error.h"
#include "apps/server/fields.h"
#include "apps/server/layer_json.h"
#include "apps/server/read_input.h"
#include "apps/server/route.h"
#include "apps/server/walk_steps.h"
#include "heed/generate/token_probability.h"
#include "heed/pipeline/read.h"

namespace heed::server {
namespace {

constexpr int64_t kMaxWalkNumbers = 2 << 20;

struct WalkRequest {
  std::string text, target;
  std::vector<std::string> names;
  int64_t columns = 0, row = -1, top = 10;
  RowWindow window = {};
  bool values = true, exact = false;
};

WalkRequest read_walk(Fields& fields) {
  WalkRequest request;
  request.text = fields.text("text");
  request.target = fields.text("target", "");
  request.names = fields.texts("names", 256);
  request.columns = fields.integer("columns", 0, {0, 1 << 20});
  request.window = {.first = fields.integer("first_row", 0, {0, 1 << 24}),
                    .count = fields.integer("rows", -1, {-1, 1 << 24})};
  request.row = fields.integer("row", -1, {-1, 1 << 24});
  request.top = fields.integer("top", 10, {0, 1000});
  request.values = fields.flag("values", true);
  request.exact = fields.flag("exact", false);
  if (!request.values) request.window.count = 0;
  fields.reject_unknown_fields();
  return request;
}

bool is_wanted(const std::string& name, const WalkRequest& request) {
  if (request.names.empty()) return true;
  return std::any_of(request.names.begin(), request.names.end(), [&](const std::string& one) {
    return name == one || (!request.exact && name.starts_with(one + "."));
  });
}

// Of the whole: [T, ..], or of every head [H, T, S].
int64_t rows_of(const WalkStep& step) {
  return step.shape[step.is_pairwise ? step.shape.rank() - 2 : 0];
}

Json step_json(const WalkStep& step, const WalkRequest& request) {
  Json shape = Json::array();
  for (int axis = 0; axis < step.shape.rank(); ++axis) shape.push_back(step.shape[axis]);
  Json page{{"name", step.name},       {"layer", step.layer}, {"part", step.part},
            {"formula", step.formula}, {"side", step.side},   {"shape", shape}};
  const int64_t columns = step.is_pairwise ? 0 : request.columns;
  const int64_t last = step.values.dim(step.values.rank() - 1);
  if (columns > 0 && columns < last) page["columns"] = columns;
  if (request.values && step.rows.count >= 0 && step.rows.count < rows_of(step)) {
    page["first_row"] = step.rows.first;
    page["rows"] = step.rows.count;
  }
  page["values"] = request.values ? tensor_json(step.values, columns) : Json::array();
  return page;
}

// Numbers that a step adds to the answer.
int64_t size_of(const WalkStep& step, const WalkRequest& request) {
  if (!request.values) return 0;
  const int64_t last = step.values.dim(step.values.rank() - 1);
  const bool is_cut = !step.is_pairwise && request.columns > 0 && request.columns < last;
  return is_cut ? step.values.size() / last * request.columns : step.values.size();
}

// What the output layer makes of one row.
Json output_json(const Pipeline& pipeline, const Tensor& features, const WalkRequest& request,
                 std::vector<WalkStep>& steps) {
  const Task task = pipeline.task();
  if (task == Task::embed) return {{"kind", "none"}};
  const int64_t row = request.row < 0 ? features.dim(0) - 1 : request.row;
  if (row >= features.dim(0)) {
    throw ApiError(400, fmt::format("row: the output has rows 0 to {}", features.dim(0) - 1),
                   "row");
  }
  const Tensor logits =
      output_logits(*pipeline.run().model, features.slice(0, row, row + 1).contiguous());
  const std::span<const float> values(logits.data<float>(), static_cast<size_t>(logits.size()));
  const bool is_class = task == Task::classify || task == Task::tag;
  steps.push_back({.name = "logits",
                   .part = "logits",
                   .formula = "logits = h W + b, of one row",
                   .side = is_class ? "classes" : "target",
                   .shape = {logits.size()},
                   .values = logits.reshape({logits.size()})});
  Json top = Json::array();
  for (const TokenProbability& one : likeliest_tokens(values, log_sum_exp(values), request.top)) {
    Json entry = is_class ? Json{{"id", one.token},
                                 {"token", pipeline.labels()[one.token]},
                                 {"text", pipeline.labels()[one.token]}}
                          : token_json(pipeline.tokenizer(), one.token);
    entry["logit"] = number_json(values[one.token]);
    entry["probability"] = std::exp(one.log_probability);
    top.push_back(entry);
  }
  const char* kind = task == Task::classify ? "classes" : task == Task::tag ? "tags" : "next_token";
  return {{"kind", kind}, {"row", row}, {"top", top}};
}

}  // namespace

HttpAnswer post_walk(Service& service, const Call& call) {
  Fields fields(call.body);
  const ServedModel& model = service.model(fields.text("model", ""));
  const WalkRequest request = read_walk(fields);
  const Tokenizer& tokenizer = model.pipeline.tokenizer();
  Json page{{"model", model.id}};
  service.compute(call.http, [&] {
    const ReadInput input = read_input(model.pipeline, request.text, request.target);
    const NoGrad no_grad;
    WalkObserver observer(
        model.pipeline.run().config.model,
        [&](const std::string& name) { return is_wanted(name, request); }, request.window);
    const Tensor features =
        model.pipeline.run().model->features(input.batch, {.observer = &observer}).value();
    std::vector<WalkStep> steps = observer.steps();
    const Json output = output_json(model.pipeline, features, request, steps);
    int64_t numbers = 0;
    for (const WalkStep& step : steps) numbers += size_of(step, request);
    if (numbers > kMaxWalkNumbers) {
      throw ApiError(400, fmt::format("these are {} numbers, more than {} for one answer; ask for "
                                      "fewer names, rows or columns, or send a shorter text",
                                      numbers, kMaxWalkNumbers));
    }
    page["source"] = tokens_json(tokenizer, input.source);
    page["target"] = tokens_json(tokenizer, input.target);
    page["text"] = input.generated;
    page["layers"] = layers_json(model.pipeline.run().config.model);
    page["steps"] = Json::array();
    for (const WalkStep& step : steps) page["steps"].push_back(step_json(step, request));
    page["output"] = output;
  });
  return json_answer(page);
}

}  // namespace heed::server
