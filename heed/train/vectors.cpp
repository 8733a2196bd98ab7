#include <algorithm>
#include <cmath>
#include <filesystem>

#include "heed/base/fail.h"
#include "heed/io/array.h"
#include "heed/train/vectors_internal.h"

namespace heed {
namespace {

Rows read_layout(const std::string& path, const Tensor& values) {
  const std::string lengths_path = std::filesystem::path(path).replace_extension(".lengths.npy");
  check(std::filesystem::exists(lengths_path),
        "{}: {} is needed beside it, with the number of rows of each sequence", path, lengths_path);
  const Tensor lengths = load_array(lengths_path).to(DType::i64).contiguous();
  check(lengths.rank() == 1, "{}: expected [sequences], got {}", lengths_path, lengths);
  const std::span numbers(lengths.data<int64_t>(), static_cast<size_t>(lengths.size()));
  for (size_t i = 0; i < numbers.size(); ++i) {
    check(numbers[i] > 0 && numbers[i] <= values.dim(0), "{}: sequence {} cannot have {} rows",
          lengths_path, i, numbers[i]);
  }
  Rows layout = Rows::from_lengths(numbers);
  layout.require_total(values.dim(0), lengths_path.c_str());
  return layout;
}

}  // namespace

SourceVectors read_vectors(const std::string& path) {
  SourceVectors result{load_array(path).to(DType::f32).contiguous(), {}};
  Tensor& values = result.rows;
  if (values.rank() == 3) {
    const std::vector<int64_t> lengths(static_cast<size_t>(values.dim(0)), values.dim(1));
    check(values.dim(1) > 0, "{}: there are no rows in {}", path, values);
    values = values.reshape({values.dim(0) * values.dim(1), values.dim(2)});
    result.layout = Rows::from_lengths(lengths);
  } else {
    check(values.rank() == 2, "{}: expected [rows, width] or [sequences, rows, width], got {}",
          path, values);
    result.layout = read_layout(path, values);
  }
  check(values.size() > 0, "{}: there are no numbers in it", path);
  const float* data = values.data<float>();
  for (int64_t i = 0; i < values.size(); ++i) {
    check(std::isfinite(data[i]), "{}: row {}, column {} is {}, not a finite number", path,
          i / values.dim(1), i % values.dim(1), data[i]);
  }
  return result;
}

SourceVectors choose_sequences(const SourceVectors& all, std::span<const int64_t> items,
                               int64_t max_length) {
  std::vector<int64_t> lengths;
  for (const int64_t item : items) {
    const int64_t length = all.layout.length(item);
    lengths.push_back(max_length > 0 ? std::min(length, max_length) : length);
  }
  const Rows layout = Rows::from_lengths(lengths);
  const int64_t width = all.rows.dim(1);
  Tensor rows = Tensor::empty({layout.total(), width});
  for (size_t i = 0; i < items.size(); ++i) {
    std::copy_n(all.rows.data<float>() + all.layout.begin(items[i]) * width, lengths[i] * width,
                rows.data<float>() + layout.begin(static_cast<int64_t>(i)) * width);
  }
  return {rows, layout};
}

}  // namespace heed
