#include <unordered_map>

#include "heed/base/fail.h"
#include "heed/optim/named_state_internal.h"

namespace heed {

void copy_state(std::span<const NamedTensor> state, std::span<const NamedTensor> saved,
                const std::string& who) {
  std::unordered_map<std::string, const Tensor*> by_name;
  for (const NamedTensor& one : saved) {
    check(by_name.emplace(one.name, &one.tensor).second, "{}: the saved state has \"{}\" twice",
          who, one.name);
  }
  for (const NamedTensor& one : state) {
    const auto found = by_name.find(one.name);
    check(found != by_name.end(), "{}: the saved state has no \"{}\": was it of another model?",
          who, one.name);
    const Tensor& tensor = *found->second;
    check(tensor.shape() == one.tensor.shape() && tensor.dtype() == one.tensor.dtype(),
          "{}: the saved \"{}\" is {}, expected {}", who, one.name, tensor, one.tensor);
  }
  check(saved.size() == state.size(), "{}: the saved state has {} tensors, expected {}", who,
        saved.size(), state.size());
  for (const NamedTensor& one : state) {
    Tensor to = one.tensor;
    to.copy_from(*by_name.at(one.name));
  }
}

}  // namespace heed
