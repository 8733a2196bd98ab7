// POST /api/attention: exact weights of any layer, head and rows.

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "apps/server/api_error.h"
#include "apps/server/base64.h"
#include "apps/server/fields.h"
#include "apps/server/layer_json.h"
#include "apps/server/read_input.h"
#include "apps/server/route.h"
#include "heed/nn/attention_recorder.h"

namespace heed::server {
namespace {

constexpr int64_t kMaxWeights = 4 << 20;
constexpr int64_t kMean = -1, kAllHeads = -2;

struct AttentionRequest {
  std::string text, target, layer;
  int64_t head = kMean, first_row = 0, rows = -1, top = 0;
  bool is_packed = false;  // weights in base64
};

AttentionRequest read_attention(Fields& fields) {
  AttentionRequest request;
  request.text = fields.text("text");
  request.target = fields.text("target", "");
  request.layer = fields.text("layer", "");
  const nlohmann::json& head = fields.value("head");
  const bool is_all = head.is_string() && head == "all";
  request.head = is_all ? kAllHeads : fields.integer("head", kMean, {kMean, 1 << 16});
  request.first_row = fields.integer("first_row", 0, {0, 1 << 24});
  request.rows = fields.integer("rows", -1, {-1, 1 << 24});
  request.top = fields.integer("top", 0, {0, 1 << 16});
  request.is_packed = fields.one_of("format", "json", {"json", "base64"}) == "base64";
  fields.reject_unknown_fields();
  return request;
}

// The k largest of a row, largest first; ties go to the earlier one.
Json top_json(const float* row, int64_t size, int64_t top) {
  std::vector<int64_t> order(static_cast<size_t>(size));
  std::iota(order.begin(), order.end(), int64_t{0});
  const auto shown = static_cast<ptrdiff_t>(std::min(top, size));
  std::partial_sort(order.begin(), order.begin() + shown, order.end(), [&](int64_t a, int64_t b) {
    return row[a] != row[b] ? row[a] > row[b] : a < b;
  });
  Json list = Json::array();
  for (auto at = order.begin(); at != order.begin() + shown; ++at) {
    if (row[*at] > 0) list.push_back({{"key", *at}, {"weight", number_json(row[*at])}});
  }
  return list;
}

// The mean is the one of `heed attention`: added head by head.
Tensor weights_of(const AttentionRecorder& recorder, const std::string& layer, int64_t head,
                  int64_t first, int64_t count) {
  if (head != kMean) {
    return recorder.weights(layer, {.sequence = 0, .head = head, .first_row = first, .rows = count})
        .to(DType::f32)
        .contiguous();
  }
  return recorder.mean_weights(layer).slice(0, first, first + count).contiguous();
}

class Maps {
 public:
  Maps(const AttentionRecorder& recorder, const AttentionRequest& request)
      : recorder_(recorder), request_(request) {
    std::vector<std::string> layers = recorder.names();
    if (request.layer != "all") {
      layers = {request.layer.empty() ? default_attention_layer(layers) : request.layer};
    }
    for (const std::string& layer : layers) choose(layer);
    if (numbers_ > kMaxWeights) {
      throw ApiError(400, fmt::format("these are {} weights, more than {} for one answer; ask for "
                                      "fewer layers, heads or rows, or for top",
                                      numbers_, kMaxWeights));
    }
  }

  Json page() const {
    Json maps = Json::array();
    for (const Chosen& one : chosen_) {
      const Tensor weights = weights_of(recorder_, one.layer, one.head, one.first, one.count);
      Json map{{"layer", one.layer}, {"head", one.head}, {"first_row", one.first}};
      if (request_.top == 0 && request_.is_packed) {
        map["shape"] = {weights.dim(0), weights.dim(1)};
        map["weights_base64"] = base64(weights);
      } else if (request_.top == 0) {
        map["weights"] = tensor_json(weights);
      } else {
        map["top"] = Json::array();
        for (int64_t t = 0; t < one.count; ++t) {
          map["top"].push_back(
              top_json(weights.data<float>() + t * weights.dim(1), weights.dim(1), request_.top));
        }
      }
      maps.push_back(map);
    }
    return maps;
  }

 private:
  struct Chosen {
    std::string layer;
    int64_t head, first, count;
  };

  void choose(const std::string& layer) {
    const AttentionCall& call = recorder_.call(layer);
    const int64_t heads = recorder_.heads(layer), T = call.query_rows.length(0);
    const int64_t S = call.key_rows.length(0);
    if (request_.head >= heads) {
      throw ApiError(400, fmt::format("head: {} has heads 0 to {}", layer, heads - 1), "head");
    }
    const int64_t first = std::min(request_.first_row, T);
    const int64_t count = request_.rows < 0 ? T - first : std::min(request_.rows, T - first);
    const int64_t from = request_.head == kAllHeads ? 0 : request_.head;
    const int64_t to = request_.head == kAllHeads ? heads - 1 : request_.head;
    for (int64_t head = from; head <= to; ++head) {
      chosen_.push_back({layer, head, first, count});
      numbers_ += count * (request_.top > 0 ? std::min(request_.top, S) : S);
    }
  }

  const AttentionRecorder& recorder_;
  const AttentionRequest& request_;
  std::vector<Chosen> chosen_;
  int64_t numbers_ = 0;
};

}  // namespace

HttpAnswer post_attention(Service& service, const Call& call) {
  Fields fields(call.body);
  const ServedModel& model = service.model(fields.text("model", ""));
  const AttentionRequest request = read_attention(fields);
  (void)model.pipeline.tokenizer();  // says what a model without one reads
  Json page{{"model", model.id}};
  service.compute(call.http, [&] {
    const ReadInput input = read_input(model.pipeline, request.text, request.target);
    const NoGrad no_grad;
    AttentionRecorder recorder;
    model.pipeline.run().model->features(input.batch, {.observer = &recorder});
    const Tokenizer& tokenizer = model.pipeline.tokenizer();
    page["source"] = tokens_json(tokenizer, input.source);
    page["target"] = tokens_json(tokenizer, input.target_shown);
    page["text"] = input.generated;
    page["layers"] = Json::array();
    for (const std::string& name : recorder.names()) {
      page["layers"].push_back(layer_json(name, recorder.heads(name)));
    }
    page["maps"] = Maps(recorder, request).page();
  });
  return json_answer(page);
}

}  // namespace heed::server
