#include "heed/convert/foreign_weights.h"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "heed/base/fail.h"
#include "heed/convert/json_file_internal.h"

namespace heed {
namespace {

constexpr char kOne[] = "/model.safetensors", kIndex[] = "/model.safetensors.index.json";

// The files of a sharded model: {"weight_map": {"name": "model-00001-of-00002.safetensors", ..}}
std::set<std::string> shards(const std::string& folder) {
  const std::string path = folder + kIndex;
  const Json index = read_json_file(path);
  check(index.contains("weight_map") && index["weight_map"].is_object(),
        "{}: there is no weight_map", path);
  std::set<std::string> names;
  for (const Json& file : index["weight_map"]) {
    check(file.is_string(), "{}: the weight_map does not name files", path);
    const auto name = file.get<std::string>();
    check(!name.empty() && name.find('/') == std::string::npos && !name.starts_with('.'),
          "{}: \"{}\" is not the name of a file in this folder", path, name);
    names.insert(name);
  }
  return names;
}

}  // namespace

ForeignWeights ForeignWeights::open(const std::string& folder) {
  ForeignWeights weights;
  weights.folder_ = folder;
  std::set<std::string> paths;
  if (std::filesystem::exists(folder + kIndex)) {
    for (const std::string& name : shards(folder)) paths.insert(fmt::format("{}/{}", folder, name));
  } else {
    check(std::filesystem::exists(folder + kOne) ||
              !std::filesystem::exists(folder + "/pytorch_model.bin"),
          "{}: pytorch_model.bin cannot be read, because it may hold code; save the model as "
          "safetensors",
          folder);
    paths.insert(folder + kOne);
  }
  for (const std::string& path : paths) {
    weights.files_.push_back(SafetensorsFile::open(path));
    for (const std::string& name : weights.files_.back().names()) {
      const bool is_new = weights.file_of_.emplace(name, weights.files_.size() - 1).second;
      check(is_new, "{}: \"{}\" is in more than one file", path, name);
    }
  }
  return weights;
}

Tensor ForeignWeights::take(const std::string& name, const Shape& shape) {
  const auto found = file_of_.find(name);
  check(found != file_of_.end(), "{}: the weights have no \"{}\"", folder_, name);
  const Tensor tensor = files_[found->second].tensor(name);
  check(tensor.shape() == shape, "{}: \"{}\" is {}, but config.json asks for {}", folder_, name,
        tensor.shape(), shape);
  check(
      tensor.dtype() == DType::f32 || tensor.dtype() == DType::f16 || tensor.dtype() == DType::bf16,
      "{}: \"{}\" is {}; only float32, float16 and bfloat16 can be converted", folder_, name,
      heed::name(tensor.dtype()));
  taken_.insert(name);
  return tensor.to(DType::f32);
}

Tensor ForeignWeights::take_or_zeros(const std::string& name, const Shape& shape) {
  return contains(name) ? take(name, shape) : Tensor::zeros(shape);
}

std::vector<std::string> ForeignWeights::left() const {
  std::vector<std::string> names;
  for (const auto& [name, file] : file_of_) {
    if (!taken_.contains(name)) names.push_back(name);
  }
  return names;
}

Tensor side_by_side(std::span<const Tensor> matrices) {
  const int64_t in = matrices.front().dim(1);
  int64_t out = 0;
  for (const Tensor& matrix : matrices) {
    check(matrix.rank() == 2 && matrix.dim(1) == in, "convert: matrices that do not fit together");
    out += matrix.dim(0);
  }
  Tensor result = Tensor::empty({in, out}, DType::f32);
  int64_t first = 0;
  for (const Tensor& matrix : matrices) {
    const Tensor rows = matrix.contiguous();
    const float* from = rows.data<float>();
    for (int64_t o = 0; o < matrix.dim(0); ++o) {
      float* to = result.data<float>() + first + o;
      for (int64_t i = 0; i < in; ++i) to[i * out] = from[o * in + i];
    }
    first += matrix.dim(0);
  }
  return result;
}

Tensor end_to_end(std::span<const Tensor> vectors) {
  int64_t size = 0;
  for (const Tensor& vector : vectors) size += vector.size();
  Tensor result = Tensor::empty({size}, DType::f32);
  float* to = result.data<float>();
  for (const Tensor& vector : vectors) {
    const Tensor values = vector.contiguous();
    to = std::copy_n(values.data<float>(), values.size(), to);
  }
  return result;
}

}  // namespace heed
