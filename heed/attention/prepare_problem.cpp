#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "heed/attention/prepare_problem_internal.h"
#include "heed/base/fail.h"
#include "heed/base/overloaded.h"
#include "heed/ops/reshape.h"

namespace heed::engine {
namespace {

// Positions and windows stay below this, so that their sums cannot overflow.
constexpr int64_t kFarthest = int64_t{1} << 61;

void check_matrix(const Variable& w, int axis, int64_t width, const char* name) {
  check(w.value().defined() && w.value().rank() == 2 && w.value().dim(axis) == width,
        "attention: {} is {}, but axis {} must have size {}, the width it is applied to", name,
        w.value(), axis, width);
}

// An option in the type that is computed with.
template <typename T>
T narrowed(double value, const char* what) {
  check(std::isfinite(value), "attention: {} must be finite, got {}", what, value);
  check(std::abs(value) <= static_cast<double>(std::numeric_limits<T>::max()),
        "attention: {} {} is too large for {}; use float64", what, value, name(dtype_of<T>()));
  return static_cast<T>(value);
}

// Widths as [D] numbers: one for all, or one each.
template <typename T>
std::vector<T> widths_of(const Variable& width, int64_t dimensions) {
  const auto count = static_cast<size_t>(dimensions);
  if (!width.value().defined()) return std::vector<T>(count, T{1});
  const Tensor& w = width.value();
  check(w.size() == 1 || (w.rank() == 1 && w.size() == dimensions),
        "attention: widths are {}, expected one or one for each of {} coordinates", w, dimensions);
  check(w.dtype() == dtype_of<T>(), "attention: widths are {}, q is {}", w, name(dtype_of<T>()));
  const Tensor flat = w.contiguous();
  const T* data = flat.data<T>();
  std::vector<T> result;
  for (size_t d = 0; d < count; ++d) {
    const T x = data[w.size() == 1 ? 0 : d];
    check(x > 0, "attention: a width must be positive, got {}", x);
    result.push_back(x);
  }
  return result;
}

template <typename T>
std::unique_ptr<TileScore<T>> make_score(const Score& score, int64_t width) {
  const auto distance = [&](DistanceKernel kernel, const Variable& widths) {
    return make_distance_score<T>(kernel, widths_of<T>(widths, width));
  };
  return std::visit(
      Overloaded{
          [&](const ScaledDot& s) {
            const double scale = s.scale.value_or(1 / std::sqrt(static_cast<double>(width)));
            return make_dot_score<T>(narrowed<T>(scale, "the scale"));
          },
          [&](const Dot&) { return make_dot_score<T>(1); },
          [&](const Bilinear&) { return make_dot_score<T>(1); },
          [&](const Additive& s) {
            const Tensor w = s.w_v.value().contiguous();
            check(w.dtype() == dtype_of<T>(), "attention: w_v is {}, q is {}", w,
                  name(dtype_of<T>()));
            return make_additive_score<T>({w.data<T>(), w.data<T>() + w.size()});
          },
          [&](const Gaussian& s) { return distance(DistanceKernel::gaussian, s.width); },
          [&](const Boxcar& s) { return distance(DistanceKernel::boxcar, s.width); },
          [&](const Triangular& s) { return distance(DistanceKernel::triangular, s.width); },
          [&](const Epanechnikov& s) { return distance(DistanceKernel::epanechnikov, s.width); },
          [&](const Constant&) { return make_constant_score<T>(); },
          [&](const CustomScore& s) {
            check(static_cast<bool>(s.score), "attention: the custom score has no function");
            return make_custom_score<T>(s);
          },
      },
      score);
}

void check_table(const Tensor& table, const char* name, int64_t sequences, int64_t heads,
                 int64_t queries, int64_t keys) {
  const int rank = table.rank();
  check(rank >= 2 && rank <= 4, "attention: {} is {}, expected [T, S], [B, T, S] or [B, H, T, S]",
        name, table);
  const auto fits = [&](int axis, int64_t min, bool exact) {
    const int64_t size = table.dim(axis);
    return size == 1 || (exact ? size == min : size >= min);
  };
  const bool ok = fits(-1, keys, false) && fits(-2, queries, false) &&
                  (rank < 3 || fits(0, sequences, true)) && (rank < 4 || fits(1, heads, true));
  check(ok, "attention: {} is {}, which does not cover B={} H={} T={} S={} (an axis of 1 repeats)",
        name, table, sequences, heads, queries, keys);
}

template <typename T>
void prepare_mask(const Mask& mask, Prepared<T>& prepared) {
  Problem<T>& p = prepared.problem;
  const int64_t sequences = p.query_rows.count();
  check(mask.offsets.empty() || static_cast<int64_t>(mask.offsets.size()) == sequences,
        "attention: {} offsets for {} sequences", mask.offsets.size(), sequences);
  check(mask.left >= Mask::kUnlimited && mask.right >= Mask::kUnlimited,
        "attention: a window reaches 0 or more positions (or -1: all), got {},{}", mask.left,
        mask.right);
  p.offsets = mask.offsets;
  if (p.offsets.empty()) p.offsets.assign(static_cast<size_t>(sequences), mask.offset);
  for (int64_t offset : p.offsets) {
    check(offset >= -kFarthest && offset <= kFarthest, "attention: offset {} is out of range",
          offset);
  }
  p.is_causal = mask.is_causal;
  p.excludes_self = mask.excludes_self;
  p.left = std::min(mask.left, kFarthest);
  p.right = std::min(mask.right, kFarthest);
  if (mask.lengths.defined()) {
    const Tensor& lengths = mask.lengths;
    const bool integer = lengths.dtype() == DType::i32 || lengths.dtype() == DType::i64;
    const int64_t count = mask.lengths_per_query ? p.query_rows.total() : sequences;
    check(
        integer && lengths.size() == count,
        "attention: lengths are {}, expected int32 or int64, one per {} ({}); the other way is {}",
        lengths, mask.lengths_per_query ? "query" : "sequence", count,
        mask.lengths_per_query ? "key_lengths" : "key_lengths_per_query");
    const Tensor wide = lengths.to(DType::i64).contiguous();
    p.key_limits.assign(wide.data<int64_t>(), wide.data<int64_t>() + wide.size());
    p.limits_per_query = mask.lengths_per_query;
    for (int64_t limit : p.key_limits) check(limit >= 0, "attention: length {} is negative", limit);
  }
  if (mask.allowed.defined()) {
    check(mask.allowed.dtype() == DType::boolean || mask.allowed.dtype() == DType::u8,
          "attention: the mask is {}, expected bool or uint8", mask.allowed);
    check_table(mask.allowed, "the mask", sequences, p.heads, p.query_rows.max_length(),
                p.key_rows.max_length());
    prepared.allowed = mask.allowed.to(DType::u8).contiguous();
    p.allowed = spread(static_cast<const Tensor&>(prepared.allowed).data<uint8_t>(),
                       prepared.allowed.shape());
  }
}

}  // namespace

template <typename T>
Table<T> spread(T* data, const Shape& shape) {
  Table<T> table;
  table.data = data;
  int64_t step = 1;
  for (int axis = shape.rank() - 1, to = 3; axis >= 0; --axis) {
    table.strides[to] = shape[axis] == 1 ? 0 : step;
    step *= shape[axis];
    to = axis == 1 && shape.rank() == 3 ? 0 : to - 1;  // [B, T, S] has no axis for heads
  }
  return table;
}

Variable with_heads(const Variable& x, const char* name) {
  const Tensor& value = x.value();
  check(value.defined() && (value.rank() == 2 || value.rank() == 3) && is_real(value.dtype()),
        "attention: {} is {}, expected float32 or float64 [N, H, D] (or [N, D]: one head)", name,
        value);
  return value.rank() == 3 ? x : split_heads(x, 1);
}

CoreInputs lower_queries(const Variable& q, int64_t key_width, const AttentionOptions& options) {
  CoreInputs core{with_heads(q, "q"), {}, {}, options.bias, {}};
  std::visit(Overloaded{
                 [&](const Bilinear& s) {
                   check_matrix(s.m, 0, core.q.value().dim(-1), "m");
                   check_matrix(s.m, 1, key_width, "m");
                   core.q = project(core.q, s.m, false);
                 },
                 [&](const Additive& s) {
                   check_matrix(s.w_q, 1, core.q.value().dim(-1), "w_q");
                   check_matrix(s.w_k, 1, key_width, "w_k");
                   check(
                       s.w_q.value().dim(0) == s.w_k.value().dim(0) && s.w_v.value().defined() &&
                           s.w_v.value().size() == s.w_q.value().dim(0),
                       "attention: w_q is {}, w_k {} and w_v {}; they must have the same height h",
                       s.w_q.value(), s.w_k.value(), s.w_v.value());
                   core.q = project(core.q, s.w_q, true);
                   core.parameter = s.w_v;
                 },
                 [&](const Gaussian& s) { core.parameter = s.width; },
                 [&](const Boxcar& s) { core.parameter = s.width; },
                 [&](const Triangular& s) { core.parameter = s.width; },
                 [&](const Epanechnikov& s) { core.parameter = s.width; },
                 [](const auto&) {},
             },
             options.score);
  return core;
}

CoreInputs lower(const Variable& q, const Variable& k, const Variable& v,
                 const AttentionOptions& options) {
  const Variable keys = with_heads(k, "k");
  CoreInputs core = lower_queries(q, keys.value().dim(-1), options);
  const auto* additive = std::get_if<Additive>(&options.score);
  core.k = additive == nullptr ? keys : project(keys, additive->w_k, true);
  if (v.value().defined()) core.v = with_heads(v, "v");
  return core;
}

template <typename T>
std::unique_ptr<Prepared<T>> prepare(const CoreInputs& inputs, const Rows& query_rows,
                                     const Rows& key_rows, const AttentionOptions& options) {
  const Tensor& q = inputs.q.value();
  const Tensor& k = inputs.k.value();
  const Tensor& v = inputs.v.value();
  check(k.dtype() == q.dtype() && (!v.defined() || v.dtype() == q.dtype()),
        "attention: q is {}, k {} and v {}; they must have one type", q, k, v);
  check(!v.defined() || (v.dim(0) == k.dim(0) && v.dim(1) == k.dim(1)),
        "attention: k {} and v {} differ in rows or heads", k.shape(), v.shape());
  const KeyShape keys{k.dtype(), k.dim(1), k.dim(2), v.defined() ? v.dim(2) : 0};
  auto prepared = prepare_queries<T>(inputs, keys, query_rows, key_rows, options);
  key_rows.require_total(k.dim(0), "attention: k");
  prepared->problem.k = heads_of<T>(k);
  if (v.defined()) prepared->problem.v = heads_of<T>(v);
  return prepared;
}

template <typename T>
std::unique_ptr<Prepared<T>> prepare_queries(const CoreInputs& inputs, const KeyShape& keys,
                                             const Rows& query_rows, const Rows& key_rows,
                                             const AttentionOptions& options) {
  auto prepared = std::make_unique<Prepared<T>>();
  prepared->inputs = inputs;
  Problem<T>& p = prepared->problem;
  const Tensor& q = inputs.q.value();
  check(q.dtype() == keys.type, "attention: q is {}, but keys and values are {}", q,
        name(keys.type));
  check(q.dim(2) > 0, "attention: q {} has no width", q.shape());
  check(keys.width == q.dim(2), "attention: q {} and k [M, {}, {}] differ in width", q.shape(),
        keys.heads, keys.width);
  check(keys.heads > 0 && q.dim(1) % keys.heads == 0,
        "attention: {} query heads are not a multiple of {} key/value heads", q.dim(1), keys.heads);
  check(query_rows.count() == key_rows.count(), "attention: {} sequences of queries but {} of keys",
        query_rows.count(), key_rows.count());
  query_rows.require_total(q.dim(0), "attention: q");
  check(options.softcap >= 0, "attention: softcap must be 0 (off) or more, got {}",
        options.softcap);
  check(options.dropout >= 0 && options.dropout < 1,
        "attention: dropout must be at least 0 and below 1, got {}", options.dropout);

  p.q = heads_of<T>(q);
  p.heads = q.dim(1);
  p.kv_heads = keys.heads;
  p.width = q.dim(2);
  p.value_width = keys.value_width;
  p.query_rows = query_rows;
  p.key_rows = key_rows;
  prepared->score = make_score<T>(options.score, p.width);
  p.score = prepared->score.get();
  p.normalizer = options.normalizer;
  p.exponential = std::holds_alternative<Gaussian>(options.score) &&
                  (p.normalizer == Normalizer::sum || p.normalizer == Normalizer::none);
  p.allow_negative = options.allow_negative;
  p.softcap = narrowed<T>(options.softcap, "softcap");
  check(options.softcap == 0 || p.softcap >= std::numeric_limits<T>::min(),
        "attention: softcap {} is too small for {}", options.softcap, name(dtype_of<T>()));
  check(options.slopes.empty() || static_cast<int64_t>(options.slopes.size()) == p.heads,
        "attention: {} slopes for {} heads", options.slopes.size(), p.heads);
  for (double slope : options.slopes) p.slopes.push_back(narrowed<T>(slope, "a slope"));
  p.dropout = {options.dropout, options.seed, options.step, options.site};
  prepare_mask(options.mask, *prepared);
  if (inputs.bias.value().defined()) {
    const Tensor bias = inputs.bias.value().contiguous();
    check(bias.dtype() == q.dtype(), "attention: the bias is {}, q is {}", bias, q);
    check_table(bias, "the bias", query_rows.count(), p.heads, query_rows.max_length(),
                key_rows.max_length());
    prepared->bias = bias;
    p.bias = spread(bias.data<T>(), bias.shape());
  }
  return prepared;
}

template Table<float> spread(float*, const Shape&);
template Table<double> spread(double*, const Shape&);
template std::unique_ptr<Prepared<float>> prepare(const CoreInputs&, const Rows&, const Rows&,
                                                  const AttentionOptions&);
template std::unique_ptr<Prepared<double>> prepare(const CoreInputs&, const Rows&, const Rows&,
                                                   const AttentionOptions&);
template std::unique_ptr<Prepared<float>> prepare_queries(const CoreInputs&, const KeyShape&,
                                                          const Rows&, const Rows&,
                                                          const AttentionOptions&);
template std::unique_ptr<Prepared<double>> prepare_queries(const CoreInputs&, const KeyShape&,
                                                           const Rows&, const Rows&,
                                                           const AttentionOptions&);

}  // namespace heed::engine
