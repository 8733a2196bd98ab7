// Lambdas as one function object, for std::visit:
//
//   std::visit(Overloaded{[](const Dot&) { .. }, [](const Additive& score) { .. }}, score)
#pragma once

namespace heed {

template <class... Ts>
struct Overloaded : Ts... {
  using Ts::operator()...;
};
template <class... Ts>
Overloaded(Ts...) -> Overloaded<Ts...>;

}  // namespace heed
