#include "heed/convert/llama2c.h"

#include <cmath>
#include <cstring>

#include "heed/base/fail.h"
#include "heed/convert/decoder_names_internal.h"
#include "heed/convert/foreign_weights.h"
#include "heed/tensor/storage.h"
#include "heed/text/sentencepiece_bpe.h"

namespace heed {
namespace {

constexpr int32_t kLargestField = 1 << 24;  // of any number in the header
constexpr int32_t kBegin = 1;
constexpr size_t kLongestPiece = 1 << 16;

// A file read from the front; never past its end.
class Reader {
 public:
  explicit Reader(const std::string& path) : path_(path), file_(Storage::map_file(path)) {}

  template <typename T>
  T number() {
    T value;
    std::memcpy(&value, take(sizeof value), sizeof value);
    return value;
  }
  std::string text(size_t size) { return {reinterpret_cast<const char*>(take(size)), size}; }

  // A copy, because nothing in the file need be aligned.
  Tensor floats(const Shape& shape) {
    const size_t bytes = checked_bytes(shape);
    Tensor tensor = Tensor::empty(shape, DType::f32);
    std::memcpy(tensor.data<float>(), take(bytes), bytes);
    return tensor;
  }
  void skip_floats(const Shape& shape) { take(checked_bytes(shape)); }

  bool at_end() const { return at_ == file_->bytes(); }

 private:
  // The factors are below 2^24 each and there are at most three: in double nothing overflows.
  size_t checked_bytes(const Shape& shape) const {
    double count = sizeof(float);
    for (int axis = 0; axis < shape.rank(); ++axis) count *= static_cast<double>(shape[axis]);
    check(count <= static_cast<double>(file_->bytes() - at_),
          "{}: cut short, or not a model of llama2.c (layout v0)", path_);
    return static_cast<size_t>(count);
  }
  const std::byte* take(size_t bytes) {
    check(bytes <= file_->bytes() - at_, "{}: cut short, or not a file of llama2.c", path_);
    at_ += bytes;
    return file_->data() + at_ - bytes;
  }

  std::string path_;
  std::shared_ptr<Storage> file_;
  size_t at_ = 0;
};

struct Header {
  int64_t width, hidden, layers, heads, kv_heads, vocabulary, context;
  bool tied;
};

Header read_header(Reader& reader, const std::string& path) {
  int32_t numbers[7];
  for (int32_t& number : numbers) number = reader.number<int32_t>();
  const bool tied = numbers[5] > 0;
  check(numbers[5] != INT32_MIN, "{}: not a model of llama2.c (layout v0)", path);
  numbers[5] = std::abs(numbers[5]);
  for (const int32_t number : numbers) {
    check(number > 0 && number < kLargestField, "{}: not a model of llama2.c (layout v0)", path);
  }
  const Header h{numbers[0], numbers[1], numbers[2], numbers[3],
                 numbers[4], numbers[5], numbers[6], tied};
  check(h.width % h.heads == 0 && h.heads % h.kv_heads == 0 && (h.width / h.heads) % 2 == 0,
        "{}: {} heads and {} of keys do not fit the width {}", path, h.heads, h.kv_heads, h.width);
  return h;
}

std::vector<NamedTensor> read_weights(Reader& reader, const Header& h) {
  using N = DecoderNames;
  const int64_t L = h.layers, C = h.width, F = h.hidden, head = C / h.heads, KD = h.kv_heads * head;
  const Tensor table = reader.floats({h.vocabulary, C});
  const Tensor norm_1 = reader.floats({L, C}), q = reader.floats({L, C, C});
  const Tensor k = reader.floats({L, KD, C}), v = reader.floats({L, KD, C});
  const Tensor o = reader.floats({L, C, C}), norm_2 = reader.floats({L, C});
  const Tensor gate = reader.floats({L, F, C}), outer = reader.floats({L, C, F});
  const Tensor inner = reader.floats({L, F, C}), norm = reader.floats({C});
  reader.skip_floats({h.context, head});
  std::vector<NamedTensor> weights{{N::kTable, table}, {N::kNormGain, norm}};
  const auto row = [](const Tensor& all, int64_t i) {
    return all.slice(0, i, i + 1).reshape({all.dim(1)}).clone();
  };
  for (int64_t i = 0; i < L; ++i) {
    const auto add = [&](const char* name, Tensor tensor) {
      weights.push_back({N::layer(i, name), std::move(tensor)});
    };
    const auto of = [&](const Tensor& all) { return all.select(0, i); };
    add("attention_norm.gain", row(norm_1, i));
    add("attention.qkv.weight", side_by_side(std::vector{of(q), of(k), of(v)}));
    add("attention.output.weight", side_by_side(std::vector{of(o)}));
    add("feed_forward_norm.gain", row(norm_2, i));
    add("feed_forward.inner.weight", side_by_side(std::vector{of(gate), of(inner)}));
    add("feed_forward.outer.weight", side_by_side(std::vector{of(outer)}));
  }
  if (!h.tied) {
    weights.push_back({N::kOutput, side_by_side(std::vector{reader.floats({h.vocabulary, C})})});
  }
  return weights;
}

// llama2.c writes spaces where SentencePiece has U+2581, and line breaks around begin and end.
std::string piece_text(const std::string& text, size_t id) {
  if (id == kBegin) return "<s>";
  if (id == 2) return "</s>";
  std::string result;
  for (const char c : text) {
    if (c == ' ') {
      result += "\u2581";
    } else {
      result += c;
    }
  }
  return result;
}

std::shared_ptr<const Tokenizer> read_tokenizer(const std::string& path, int64_t vocabulary) {
  Reader reader(path);
  const auto longest = reader.number<int32_t>();
  check(longest > 0 && static_cast<size_t>(longest) <= kLongestPiece,
        "{}: not a tokenizer of llama2.c", path);
  std::vector<ScoredPiece> pieces;
  while (!reader.at_end()) {
    const auto score = reader.number<float>();
    const auto size = reader.number<int32_t>();
    check(size > 0 && static_cast<size_t>(size) <= kLongestPiece && std::isfinite(score),
          "{}: piece {} is damaged, or this is not a tokenizer of llama2.c", path, pieces.size());
    pieces.push_back({piece_text(reader.text(static_cast<size_t>(size)), pieces.size()), score});
  }
  check(static_cast<int64_t>(pieces.size()) == vocabulary,
        "{}: the tokenizer has {} pieces, the model {}", path, pieces.size(), vocabulary);
  // The begin of a story is the end of the one before; nothing else ends one.
  return with_bos_eos(sentencepiece_bpe_tokenizer(pieces, path), {.bos = kBegin, .eos = kBegin});
}

}  // namespace

ConvertedModel convert_llama2c(const std::string& model, const std::string& tokenizer) {
  Reader reader(model);
  const Header h = read_header(reader, model);
  ConvertedModel result;
  result.weights = read_weights(reader, h);
  check(reader.at_end(), "{}: there is more in it than a model of llama2.c (layout v0) holds",
        model);
  result.tokenizer = read_tokenizer(tokenizer, h.vocabulary);
  result.config.model = TransformerConfig{.kind = TransformerKind::decoder,
                                          .vocabulary = h.vocabulary,
                                          .decoder_layers = h.layers,
                                          .width = h.width,
                                          .hidden = h.hidden,
                                          .heads = h.heads,
                                          .kv_heads = h.kv_heads,
                                          .context = h.context,
                                          .positions = PositionKind::rotary,
                                          .rotary_pairs = RotaryPairs::adjacent,
                                          .norm = NormKind::rms,
                                          .feed_forward = FeedForwardKind::silu_gated,
                                          .bias = false,
                                          .tied = h.tied,
                                          .scaled_embedding = false};
  result.config.settings.task = Task::lm;
  result.config.settings.model = ModelKind::decoder;
  result.config.begin = "<s>";
  return result;
}

}  // namespace heed
