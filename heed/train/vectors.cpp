#include <filesystem>

#include "heed/base/fail_internal.h"
#include "heed/io/array.h"
#include "heed/train/vectors_internal.h"

namespace heed {

SourceVectors read_vectors(const std::string& path) {
  Tensor values = load_array(path).to(DType::f32).contiguous();
  if (values.rank() == 3) {
    const std::vector<int64_t> lengths(static_cast<size_t>(values.dim(0)), values.dim(1));
    return {values.reshape({values.dim(0) * values.dim(1), values.dim(2)}),
            Rows::from_lengths(lengths)};
  }
  check(values.rank() == 2, "{}: expected [rows, width] or [sequences, rows, width], got {}", path,
        values.text());
  const std::string lengths_path = std::filesystem::path(path).replace_extension(".lengths.npy");
  check(std::filesystem::exists(lengths_path),
        "{}: {} is needed beside it, with the number of rows of each sequence", path, lengths_path);
  const Tensor lengths = load_array(lengths_path).to(DType::i64).contiguous();
  check(lengths.rank() == 1, "{}: expected [sequences], got {}", lengths_path, lengths.text());
  const int64_t* data = lengths.data<int64_t>();
  const Rows rows = Rows::from_lengths(std::span(data, static_cast<size_t>(lengths.size())));
  rows.require_total(values.dim(0), lengths_path.c_str());
  return {values, rows};
}

}  // namespace heed
