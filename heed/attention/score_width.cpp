#include "heed/attention/score_width.h"

namespace heed {

Variable width_of(const Score& score) {
  return std::visit(
      [](const auto& kind) -> Variable {
        if constexpr (requires { kind.width; }) {
          return kind.width;
        } else {
          return {};
        }
      },
      score);
}

Score with_width(const Score& score, const Variable& width) {
  return std::visit(
      [&](const auto& kind) -> Score {
        auto copy = kind;
        if constexpr (requires { copy.width; }) copy.width = width;
        return copy;
      },
      score);
}

}  // namespace heed
