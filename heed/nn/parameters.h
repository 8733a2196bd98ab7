// The named parameters of a model.
//
// A layer asks a ParameterScope for each of its parameters, by name and shape. What it gets is
// drawn anew or was stored in a file, may be frozen, and is float32 or float64 (for proofs): the
// layer does not know. Weights of products may also be int8, for inference. What is drawn is a
// function of (seed, name, element), so that adding a layer changes no other one.
//
//   Parameters parameters({.seed = 1});
//   ParameterScope root(parameters);
//   Linear linear(root.in("output"), 8, 3);        // "output.weight", "output.bias"
//   for (const NamedParameter& p : parameters.list()) ...
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heed/autograd/variable.h"
#include "heed/base/export.h"
#include "heed/ops/quantized_affine.h"

namespace heed {

// How new parameters are drawn.
struct HEED_API Initializer {
  enum class Kind : uint8_t { constant, normal, uniform };
  Kind kind = Kind::constant;
  double scale = 0;  // the constant, the standard deviation, or the bound of uniform [-a, a)

  static Initializer constant(double value) { return {Kind::constant, value}; }
  static Initializer normal(double deviation) { return {Kind::normal, deviation}; }
  static Initializer uniform(double bound) { return {Kind::uniform, bound}; }
  // Uniform with variance 2 / (in + out) (Glorot and Bengio 2010).
  static Initializer glorot(int64_t in, int64_t out);
};

struct NamedParameter {
  std::string name;
  Variable variable;  // without gradient if frozen
};

// The weights of a product, in one of two forms.
struct Weight {
  Variable real = {};
  QuantizedMatrix int8 = {};
  // A low-rank adapter of the first form (Hu et al. 2021): the product takes real + down up.
  Variable down = {}, up = {};  // [In, R], [R, Out]
};

// Where parameters come from.
struct ParameterSource {
  uint64_t seed = 0;
  DType type = DType::f32;
  // The stored value of a name; undefined: drawn. Tensors are used as they are, without a copy.
  std::function<Tensor(const std::string& name)> stored = {};
  int64_t max_parameters = 0;          // numbers in all; more is an Error; 0: no limit
  bool only_count = false;             // nothing is stored or drawn: the values are undefined
  bool must_be_stored = false;         // a name without a stored value is an Error
  bool ignore_shape_mismatch = false;  // a stored value of another shape counts as none
  std::function<bool(const std::string& name)> frozen = {};
  // Weights of products become int8, as NAME and NAME.scale, unless they are stored so; nothing can
  // be trained.
  bool int8 = false;
  // More than 0: linear maps get adapters of this rank, as NAME.down and NAME.up, and nothing else
  // is trained. `up` begins with zeros: the model begins as it was.
  int64_t adapter_rank = 0;
};

class HEED_API Parameters {
 public:
  Parameters() = default;
  explicit Parameters(ParameterSource source) : source_(std::move(source)) {}

  Variable create(const std::string& name, const Shape& shape, const Initializer& initializer);
  Weight create_weight(const std::string& name, const Shape& shape, WeightLayout layout,
                       const Initializer& initializer);

  std::span<const NamedParameter> list() const { return list_; }  // in order of creation
  std::vector<Variable> trainable() const;
  int64_t count() const { return count_; }  // of numbers

 private:
  Tensor value_of(const std::string& name, const Shape& shape, const Initializer& initializer);
  void add(const std::string& name, const Variable& variable);

  ParameterSource source_;
  std::vector<NamedParameter> list_;
  int64_t count_ = 0;
};

// A place in the tree of names.
class HEED_API ParameterScope {
 public:
  explicit ParameterScope(Parameters& parameters) : parameters_(&parameters) {}

  ParameterScope in(std::string_view child) const;
  ParameterScope in(std::string_view child, int64_t index) const;  // "child.index"
  Variable create(std::string_view name, const Shape& shape, const Initializer& initializer) const;
  Weight create_weight(std::string_view name, const Shape& shape, WeightLayout layout,
                       const Initializer& initializer) const;

  const std::string& name() const { return name_; }
  uint64_t site() const;  // RandomSite::site of a layer here: a hash of the name

 private:
  std::string child_name(std::string_view child) const;

  Parameters* parameters_;
  std::string name_;
};

}  // namespace heed
