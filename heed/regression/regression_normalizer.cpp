#include <type_traits>

#include "heed/regression/regression_normalizer_internal.h"

namespace heed {
namespace {

template <typename T>
constexpr bool kIsKernel =
    std::is_same_v<T, Boxcar> || std::is_same_v<T, Triangular> || std::is_same_v<T, Epanechnikov> ||
    std::is_same_v<T, Constant> || std::is_same_v<T, CustomScore>;

}  // namespace

Normalizer regression_normalizer(const Score& kernel) {
  return std::visit(
      [](const auto& score) {
        return kIsKernel<std::decay_t<decltype(score)>> ? Normalizer::sum : Normalizer::softmax;
      },
      kernel);
}

}  // namespace heed
