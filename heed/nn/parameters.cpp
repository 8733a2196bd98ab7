#include "heed/nn/parameters.h"

#include <algorithm>
#include <cmath>

#include "heed/base/divide_up.h"
#include "heed/base/fail.h"
#include "heed/base/parallel.h"
#include "heed/base/random.h"

namespace heed {
namespace {

constexpr int64_t kDrawBlock = 4096;
constexpr char kDown[] = ".down", kUp[] = ".up";  // of an adapter

// FNV-1a (Fowler, Noll and Vo), mixed.
uint64_t hash_of(std::string_view text) {
  uint64_t h = 0xcbf29ce484222325u;
  for (const char c : text) h = (h ^ static_cast<uint8_t>(c)) * 0x100000001b3u;
  return mix_bits(h);
}

template <typename T>
void draw(const Initializer& initializer, uint64_t seed, uint64_t site, Tensor& tensor) {
  T* out = tensor.data<T>();
  const int64_t size = tensor.size();
  const int64_t blocks = divide_up(size, kDrawBlock);
  parallel_for(blocks, 20.0 * static_cast<double>(size), [&](int64_t b) {
    const RandomKey key =
        random_key({.seed = seed, .site = site, .position = static_cast<uint64_t>(b)});
    const int64_t begin = b * kDrawBlock, end = std::min(size, begin + kDrawBlock);
    for (int64_t i = begin; i < end; ++i) {
      const auto column = static_cast<uint32_t>(i - begin);
      const double value = initializer.kind == Initializer::Kind::normal
                               ? random_normal(key, column)
                               : 2.0 * random_uniform(key, column) - 1.0;
      out[i] = static_cast<T>(initializer.scale * value);
    }
  });
}

Tensor drawn(const Initializer& initializer, uint64_t seed, uint64_t site, const Shape& shape,
             DType type) {
  if (initializer.kind == Initializer::Kind::constant) {
    return Tensor::full(shape, initializer.scale, type);
  }
  Tensor result = Tensor::empty(shape, type);
  if (type == DType::f64) {
    draw<double>(initializer, seed, site, result);
  } else {
    draw<float>(initializer, seed, site, result);
  }
  return result;
}

}  // namespace

Initializer Initializer::glorot(int64_t in, int64_t out) {
  return uniform(std::sqrt(6.0 / static_cast<double>(in + out)));
}

void Parameters::add(const std::string& name, const Variable& variable) {
  for (const NamedParameter& other : list_) {
    check(other.name != name, "parameters: there are two with the name {}", name);
  }
  list_.push_back({name, variable});
}

// The stored value, or a new one.
Tensor Parameters::value_of(const std::string& name, const Shape& shape,
                            const Initializer& initializer) {
  Tensor value = source_.stored ? source_.stored(name) : Tensor();
  check(!value.defined() || value.dtype() != DType::i8,
        "parameters: {} is int8, which is for inference; take the float32 model it was made from",
        name);
  if (source_.ignore_shape_mismatch && value.defined() && value.shape() != shape) value = Tensor();
  if (value.defined()) {
    check(value.shape() == shape, "parameters: {} is {}, the model needs {}", name, value, shape);
    return value.to(source_.type);
  }
  check(!source_.must_be_stored, "parameters: {} is missing from the stored model", name);
  return drawn(initializer, source_.seed, hash_of(name), shape, source_.type);
}

Variable Parameters::create(const std::string& name, const Shape& shape,
                            const Initializer& initializer) {
  count_ += shape.size();
  check(source_.max_parameters == 0 || count_ <= source_.max_parameters,
        "model: {} {} brings the parameters to {}, but there is memory for {}; choose a smaller "
        "width, fewer layers or a smaller vocabulary",
        name, shape, count_, source_.max_parameters);
  if (source_.only_count) {
    add(name, Variable(Tensor::empty(shape, source_.type)));
    return list_.back().variable;
  }
  const Tensor value = value_of(name, shape, initializer);
  const bool is_adapter = name.ends_with(kDown) || name.ends_with(kUp);
  const bool frozen = source_.int8 || (source_.adapter_rank > 0 && !is_adapter) ||
                      (source_.frozen && source_.frozen(name));
  add(name, frozen ? Variable(value) : Variable::parameter(value));
  return list_.back().variable;
}

Weight Parameters::create_weight(const std::string& name, const Shape& shape, WeightLayout layout,
                                 const Initializer& initializer) {
  if (!source_.int8 || source_.only_count) {
    Weight weight{.real = create(name, shape, initializer)};
    if (source_.adapter_rank > 0 && layout == WeightLayout::in_out) {
      const int64_t rank = source_.adapter_rank;
      const double deviation = 1 / std::sqrt(static_cast<double>(shape[0]));
      weight.down = create(name + kDown, {shape[0], rank}, Initializer::normal(deviation));
      weight.up = create(name + kUp, {rank, shape[1]}, Initializer::constant(0));
    }
    return weight;
  }
  check(source_.type == DType::f32, "parameters: int8 weights go with float32, not with {}",
        heed::name(source_.type));
  const bool out_in = layout == WeightLayout::out_in;
  QuantizedMatrix weight{.in = shape[out_in ? 1 : 0], .out = shape[out_in ? 0 : 1]};
  const Tensor stored = source_.stored ? source_.stored(name) : Tensor();
  const std::string scale_name = name + ".scale";
  if (stored.defined() && stored.dtype() == DType::i8) {
    const Shape blocks = QuantizedMatrix::blocks_shape(weight.in, weight.out);
    check(stored.shape() == blocks, "parameters: {} is {}, the model needs {}", name, stored,
          blocks);
    weight.blocks = stored;
    weight.scale = source_.stored(scale_name);
    check(weight.scale.defined(), "parameters: {} is missing from the stored model", scale_name);
    check(weight.scale.dtype() == DType::f32 && weight.scale.shape() == Shape{weight.out},
          "parameters: {} is {}, the model needs float32 [{}]", scale_name, weight.scale,
          weight.out);
  } else {
    const Tensor real = value_of(name, shape, initializer);
    try {
      weight = quantize(real, layout);
    } catch (const Error& error) {
      fail("parameters: {}: {}", name, error.what());
    }
  }
  count_ += shape.size();
  add(name, Variable(weight.blocks));
  add(scale_name, Variable(weight.scale));
  return {.int8 = weight};
}

std::vector<Variable> Parameters::trainable() const {
  std::vector<Variable> result;
  for (const NamedParameter& parameter : list_) {
    if (parameter.variable.requires_gradient()) result.push_back(parameter.variable);
  }
  return result;
}

std::string ParameterScope::child_name(std::string_view child) const {
  return name_.empty() ? std::string(child) : name_ + "." + std::string(child);
}

ParameterScope ParameterScope::in(std::string_view child) const {
  ParameterScope result = *this;
  result.name_ = child_name(child);
  return result;
}

ParameterScope ParameterScope::in(std::string_view child, int64_t index) const {
  return in(child).in(std::to_string(index));
}

Variable ParameterScope::create(std::string_view name, const Shape& shape,
                                const Initializer& initializer) const {
  return parameters_->create(child_name(name), shape, initializer);
}

Weight ParameterScope::create_weight(std::string_view name, const Shape& shape, WeightLayout layout,
                                     const Initializer& initializer) const {
  return parameters_->create_weight(child_name(name), shape, layout, initializer);
}

uint64_t ParameterScope::site() const { return hash_of(name_); }

}  // namespace heed
