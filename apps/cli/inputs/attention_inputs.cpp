#include "apps/cli/inputs/attention_inputs.h"

#include <cmath>
#include <vector>

#include "apps/cli/inputs/typed_array.h"
#include "heed/base/fail.h"
#include "heed/io/array.h"

namespace heed::cli {
namespace {

// Sequences, heads and rows that an array without numbers may have: a file of some bytes can claim
// any number of them, and each costs memory and time.
constexpr int64_t kMaxEmptyRows = 1 << 17;

void require_some_numbers(const char* option, const Tensor& array) {
  if (array.size() > 0) return;
  int64_t rows = 1;
  for (int axis = 0; axis + 1 < array.rank(); ++axis) {
    rows *= std::max<int64_t>(array.dim(axis), 1);
  }
  check(rows <= kMaxEmptyRows, "{} is {}: an array without numbers has at most {} rows", option,
        array.text(), kMaxEmptyRows);
}

// Files have a type of their own; text takes the type of the files it is used with.
DType computing_type(const ArrayArguments& arguments, const Tensor& q, const Tensor& k,
                     const Tensor& v) {
  if (arguments.dtype == "float32") return DType::f32;
  if (arguments.dtype == "float64") return DType::f64;
  const auto is_double = [](const std::string& text, const Tensor& array) {
    return is_npy_path(text) && array.dtype() == DType::f64;
  };
  const bool any =
      is_double(arguments.q, q) || is_double(arguments.k, k) || is_double(arguments.v, v);
  return any ? DType::f64 : DType::f32;
}

int64_t heads_of(const char* option, const Tensor& array, int64_t wanted) {
  if (array.rank() == 4) {
    check(wanted == 0 || wanted == array.dim(1), "{} is {}: {} heads, but {} were asked for",
          option, array.text(), array.dim(1), wanted);
    return array.dim(1);
  }
  const int64_t heads = std::max<int64_t>(wanted, 1);
  check(array.dim(-1) % heads == 0, "{} is {}: its last axis cannot be split into {} heads", option,
        array.text(), heads);
  return heads;
}

int64_t sequences_of(const Tensor& array) { return array.rank() == 2 ? 1 : array.dim(0); }
int64_t length_of(const Tensor& array) { return array.dim(-2); }

// [T, D], [B, T, D] or [B, H, T, D] as [B*T, H, D].
Tensor to_rows(const Tensor& array, int64_t heads) {
  if (array.rank() < 4) {
    return array.reshape({sequences_of(array) * length_of(array), array.dim(-1)})
        .split_heads(heads);
  }
  const int64_t B = array.dim(0);
  const int64_t T = array.dim(2);
  Tensor rows = Tensor::empty({B * T, heads, array.dim(3)}, array.dtype());
  if (rows.size() == 0) return rows;
  for (int64_t b = 0; b < B; ++b) {
    for (int64_t h = 0; h < heads; ++h) {
      rows.slice(0, b * T, (b + 1) * T).select(1, h).copy_from(array.select(0, b).select(0, h));
    }
  }
  return rows;
}

Rows equal_rows(int64_t sequences, int64_t length) {
  return Rows::from_lengths(std::vector<int64_t>(static_cast<size_t>(sequences), length));
}

// [T, S], [B, T, S] or [B, H, T, S], where every axis may also be 1.
void require_table(const char* option, const Tensor& table, const AttentionInputs& inputs) {
  const int64_t sizes[] = {inputs.sequences(), inputs.heads(), inputs.queries, inputs.keys};
  const auto expected = [&](int axis) {
    const int from_end = table.rank() - axis;
    if (table.rank() == 3 && axis == 0) return sizes[0];
    return sizes[4 - from_end];
  };
  bool fits = table.rank() >= 2 && table.rank() <= 4;
  for (int axis = 0; fits && axis < table.rank(); ++axis) {
    fits = table.dim(axis) == 1 || table.dim(axis) == expected(axis);
  }
  check(fits,
        "{} is {}: expected [T, S], [B, T, S] or [B, H, T, S] with B, H, T, S = {}, {}, {}, "
        "{}, or 1 for an axis that repeats",
        option, table.text(), sizes[0], sizes[1], sizes[2], sizes[3]);
}

}  // namespace

AttentionInputs load_inputs(const ArrayArguments& arguments) {
  Tensor q = load_array(arguments.q, DType::f64);
  Tensor k = load_array(arguments.k, DType::f64);
  Tensor v = load_array(arguments.v, DType::f64);
  require_some_numbers("--q", q);
  require_some_numbers("--k", k);
  require_some_numbers("--v", v);
  const DType type = computing_type(arguments, q, k, v);
  q = converted("--q", q, type);
  k = converted("--k", k, type);
  v = converted("--v", v, type);

  check(q.rank() >= 2 && q.rank() <= 4, "--q is {}: expected [T, D], [B, T, D] or [B, H, T, D]",
        q.text());
  check(k.rank() == q.rank() && v.rank() == q.rank(),
        "--q is {}, --k is {} and --v is {}: they need the same number of axes", q.text(), k.text(),
        v.text());
  check(sequences_of(k) == sequences_of(q) && sequences_of(v) == sequences_of(q),
        "--q is {}, --k is {} and --v is {}: they need the same number of sequences", q.text(),
        k.text(), v.text());
  check(length_of(k) == length_of(v), "--k is {} and --v is {}: a value is needed for each key",
        k.text(), v.text());

  const int64_t H = heads_of("--q", q, arguments.heads);
  int64_t wanted = arguments.kv_heads;
  if (wanted == 0 && q.rank() < 4) wanted = H;
  const int64_t K = heads_of("--k", k, wanted);
  check(heads_of("--v", v, wanted) == K, "--k is {} and --v is {}: they need as many heads",
        k.text(), v.text());
  check(K > 0 && H % K == 0, "{} key and value heads do not divide {} heads", K, H);

  AttentionInputs inputs;
  inputs.rank = q.rank();
  inputs.queries = length_of(q);
  inputs.keys = length_of(k);
  inputs.query_rows = equal_rows(sequences_of(q), length_of(q));
  inputs.key_rows = equal_rows(sequences_of(k), length_of(k));
  inputs.q = to_rows(q, H);
  inputs.k = to_rows(k, K);
  inputs.v = to_rows(v, K);
  return inputs;
}

Tensor drop_batch_axes(const Tensor& tensor, const AttentionInputs& inputs) {
  if (inputs.rank > 2) return tensor;
  const int dropped = inputs.heads() == 1 ? 2 : 1;
  const std::vector<int64_t> sizes(tensor.shape().begin() + dropped, tensor.shape().end());
  return tensor.reshape(Shape(sizes));
}

Tensor to_layout(const Tensor& rows, const AttentionInputs& inputs) {
  const int64_t B = inputs.sequences();
  const int64_t T = inputs.queries;
  const int64_t H = inputs.heads();
  const int64_t Dv = rows.dim(-1);
  if (inputs.rank == 2) return rows.reshape({T, H * Dv});
  if (inputs.rank == 3) return rows.reshape({B, T, H * Dv});
  Tensor result = Tensor::empty({B, H, T, Dv}, rows.dtype());
  if (result.size() == 0) return result;
  for (int64_t b = 0; b < B; ++b) {
    for (int64_t h = 0; h < H; ++h) {
      result.select(0, b).select(0, h).copy_from(rows.slice(0, b * T, (b + 1) * T).select(1, h));
    }
  }
  return result;
}

Tensor statistics_to_layout(const Tensor& rows, const AttentionInputs& inputs) {
  const int64_t B = inputs.sequences();
  const int64_t T = inputs.queries;
  const int64_t H = inputs.heads();
  // As values of width 1, the axes move like those of the output.
  AttentionInputs four = inputs;
  four.rank = 4;
  const Tensor moved = to_layout(rows.reshape({B * T, H, 1}), four).reshape({B, H, T});
  return drop_batch_axes(moved, inputs);
}

Mask load_lengths(const std::string& text, const AttentionInputs& inputs) {
  const Tensor array = load_array(text, DType::f64);
  const int64_t B = inputs.sequences();
  const int64_t T = inputs.queries;
  const bool per_query = array.rank() == 2 && array.dim(0) == B && array.dim(1) == T;
  check(per_query || (array.size() == B && array.rank() <= 2),
        "--lengths is {}: expected [B] or [B, T] with B = {} and T = {}", array.text(), B, T);
  const Tensor numbers = array.to(DType::f64).contiguous();
  std::vector<int64_t> lengths;
  for (int64_t i = 0; i < numbers.size(); ++i) {
    const double length = numbers.data<double>()[i];
    check(length >= 0 && length <= static_cast<double>(inputs.keys) && length == std::round(length),
          "--lengths: {} is not a number of keys between 0 and {}", length, inputs.keys);
    lengths.push_back(static_cast<int64_t>(length));
  }
  const Tensor whole = Tensor::from(lengths, {static_cast<int64_t>(lengths.size())});
  return per_query ? Mask::key_lengths_per_query(whole) : Mask::key_lengths(whole);
}

Tensor load_mask(const std::string& text, const AttentionInputs& inputs) {
  const Tensor array = load_array(text, DType::f64);
  require_table("--mask", array, inputs);
  // A table of numbers other than 0 and 1 is meant to be added.
  const Tensor numbers = array.to(DType::f64).contiguous();
  for (int64_t i = 0; i < numbers.size(); ++i) {
    const double value = numbers.data<double>()[i];
    check(value == 0 || value == 1 || array.dtype() == DType::u8,
          "--mask: {} is neither 0 nor 1; --bias takes numbers that are added to the scores",
          value);
  }
  return array.to(DType::boolean);
}

Tensor load_bias(const std::string& text, const AttentionInputs& inputs) {
  const Tensor array = load_array(text, DType::f64);
  require_table("--bias", array, inputs);
  return converted("--bias", array, inputs.q.dtype());
}

}  // namespace heed::cli
