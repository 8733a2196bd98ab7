// Vector functions of float: exp, exp_nonpositive, tanh, erf, log, sigmoid.
//
// To be included, after hwy/highway.h, by files that are compiled once per instruction set. All
// take (d, x) with d a tag for float lanes. The accuracy of each is stated in math.h and measured
// by tests/kernels/math_test.cpp. The polynomials are minimax fits (iteratively reweighted least
// squares) of heed's own; each says on which interval and how well it fits.
#if defined(HEED_KERNELS_MATH_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef HEED_KERNELS_MATH_INL_H_
#undef HEED_KERNELS_MATH_INL_H_
#else
#define HEED_KERNELS_MATH_INL_H_
#endif

#include <cstdint>
#include <limits>

#include "heed/kernels/bound-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

inline constexpr float kLog2E = 1.44269504f;
// ln 2 in two parts. The first has ten bits, so that its product with an exponent is exact.
inline constexpr float kLn2High = 0x1.63p-1f;
inline constexpr float kLn2Low = -2.12194440e-4f;

// c[0] + c[1] x + c[2] x^2 + ..
template <class D, size_t kTerms>
HWY_INLINE hn::Vec<D> polynomial(D d, hn::Vec<D> x, const float (&c)[kTerms]) {
  auto sum = hn::Set(d, c[kTerms - 1]);
  for (size_t i = kTerms - 1; i-- > 0;) sum = hn::MulAdd(sum, x, hn::Set(d, c[i]));
  return sum;
}

// 2^n for integers n in [-126, 127].
template <class D>
HWY_INLINE hn::Vec<D> power_of_two(D d, hn::Vec<hn::RebindToSigned<D>> n) {
  const hn::RebindToSigned<D> di;
  return hn::BitCast(d, hn::ShiftLeft<23>(hn::Add(n, hn::Set(di, 127))));
}

// x = n ln 2 + r + rest with |r| <= ln 2 / 2; rest is what rounding r has lost.
template <class D>
struct ReducedExp {
  hn::Vec<D> n, r, rest;

  HWY_INLINE ReducedExp(D d, hn::Vec<D> x) {
    n = hn::Round(hn::Mul(x, hn::Set(d, kLog2E)));
    const auto high = hn::NegMulAdd(n, hn::Set(d, kLn2High), x);
    r = hn::NegMulAdd(n, hn::Set(d, kLn2Low), high);
    rest = hn::NegMulAdd(n, hn::Set(d, kLn2Low), hn::Sub(high, r));
  }
};

// exp(r + rest) - 1 for |r| <= ln 2 / 2, as r + r^2 q(r) + rest; relative error of the fit 1.3e-8.
template <class D>
HWY_INLINE hn::Vec<D> expm1_reduced(D d, const ReducedExp<D>& x) {
  constexpr float q[] = {0.49999997f, 0.166665435f, 0.0416672006f, 0.00836654752f, 0.00138825167f};
  return hn::Add(x.r, hn::MulAdd(hn::Mul(x.r, x.r), polynomial(d, x.r, q), x.rest));
}

template <class D>
HWY_INLINE hn::Vec<D> exp(D d, hn::Vec<D> x) {
  const hn::RebindToSigned<D> di;
  x = at_least(d, at_most(d, x, 89.0f), -104.0f);  // beyond these the result is 0 or infinite
  const ReducedExp<D> reduced(d, x);
  const auto p = hn::Add(expm1_reduced(d, reduced), hn::Set(d, 1.0f));
  // 2^n in two factors: the first is exact, the second rounds once into the subnormals.
  const auto n = hn::ConvertTo(di, reduced.n);
  const auto half = hn::ShiftRight<1>(n);
  return hn::Mul(hn::Mul(p, power_of_two(d, half)), power_of_two(d, hn::Sub(n, half)));
}

// exp(x) for x <= 0 in twelve instructions, for the inside of attention and softmax. exp(0) is
// exactly 1; x below -87.33 gives exactly 0; NaN gives NaN.
template <class D>
HWY_INLINE hn::Vec<D> exp_nonpositive(D d, hn::Vec<D> x) {
  const hn::RebindToUnsigned<D> du;
  // Adding 1.5 * 2^23 rounds to an integer n, which then sits in the lowest bits of the sum; with
  // 127 more, they are the exponent of 2^n.
  const auto shift = hn::Set(d, 0x1.8p23f + 127);
  const auto shifted = hn::MulAdd(x, hn::Set(d, kLog2E), shift);
  const auto n = hn::Sub(shifted, shift);
#if HWY_NATIVE_FMA
  const auto r = hn::NegMulAdd(n, hn::Set(d, 0.693147181f), x);
#else  // the product is rounded, so ln 2 needs two parts
  const auto r =
      hn::Sub(hn::Sub(x, hn::Mul(n, hn::Set(d, kLn2High))), hn::Mul(n, hn::Set(d, kLn2Low)));
#endif
  // Relative error of the fit 9.2e-8.
  constexpr float c[] = {1.0f,         0.999999702f,  0.499991477f,
                         0.166676387f, 0.0418981612f, 0.00829027221f};
  const auto p = polynomial(d, r, c);
  const auto power = hn::BitCast(d, hn::ShiftLeft<23>(hn::BitCast(du, shifted)));
  const auto below = hn::Lt(x, hn::Set(d, -87.33f));
#if HWY_TARGET <= HWY_AVX3  // becomes part of the multiplication
  return hn::IfThenElseZero(hn::Not(below), hn::Mul(p, power));
#else
  return hn::IfThenZeroElse(below, hn::Mul(p, power));
#endif
}

// tanh |x| = e / (e + 2) with e = exp(2 |x|) - 1 = 2^n (exp(r) - 1) + (2^n - 1), which keeps its
// digits near 0. From 9.02 on the result rounds to 1.
template <class D>
HWY_INLINE hn::Vec<D> tanh(D d, hn::Vec<D> x) {
  const hn::RebindToSigned<D> di;
  const auto magnitude = at_most(d, hn::Abs(x), 9.02f);
  const ReducedExp<D> reduced(d, hn::Add(magnitude, magnitude));
  const auto scale = power_of_two(d, hn::ConvertTo(di, reduced.n));
  const auto e = hn::MulAdd(scale, expm1_reduced(d, reduced), hn::Sub(scale, hn::Set(d, 1.0f)));
  return hn::CopySignToAbs(hn::Div(e, hn::Add(e, hn::Set(d, 2.0f))), x);
}

// Below 0.9: x + x p(x^2), relative error of the fit 1.2e-8. Above: 1 - exp(q(|x|)), where
// q(x) = log(1 - erf x), absolute error 1.7e-9. From 4 on the result rounds to 1.
template <class D>
HWY_INLINE hn::Vec<D> erf(D d, hn::Vec<D> x) {
  constexpr float p[] = {0.128379106f,   -0.376125246f,  0.112821408f,
                         -0.0267789084f, 0.00501196226f, -0.000609035778f};
  constexpr float q[] = {-0.000166446203f, -1.12779725f,    -0.636976063f,  -0.104113691f,
                         0.0223152172f,    -0.00306549156f, 0.000198219786f};
  const auto magnitude = at_most(d, hn::Abs(x), 4.0f);
  const auto inner =
      hn::MulAdd(magnitude, polynomial(d, hn::Mul(magnitude, magnitude), p), magnitude);
  const auto outer = hn::Sub(hn::Set(d, 1.0f), exp_nonpositive(d, polynomial(d, magnitude, q)));
  const auto inside = hn::Lt(magnitude, hn::Set(d, 0.9f));
  return hn::CopySignToAbs(hn::IfThenElse(inside, inner, outer), x);
}

// log x = k ln 2 + log(1 + f) with 1 + f in [sqrt(1/2), sqrt(2)), and
// log(1 + f) = f - f^2/2 + f^3 p(f), relative error of the fit 5.9e-9.
template <class D>
HWY_INLINE hn::Vec<D> log(D d, hn::Vec<D> x) {
  const hn::RebindToSigned<D> di;
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  constexpr float p[] = {0.333333313f, -0.250008196f, 0.200012267f, -0.166233569f,
                         0.142017573f, -0.13160184f,  0.127615824f, -0.0763449967f};
  const auto subnormal = hn::Lt(x, hn::Set(d, std::numeric_limits<float>::min()));
  const auto bits = hn::BitCast(di, hn::IfThenElse(subnormal, hn::Mul(x, hn::Set(d, 0x1p25f)), x));
  constexpr int32_t kRootHalf = 0x3f3504f3;  // the bits of sqrt(1/2)
  const auto exponent = hn::ShiftRight<23>(hn::Sub(bits, hn::Set(di, kRootHalf)));
  const auto f =
      hn::Sub(hn::BitCast(d, hn::Sub(bits, hn::ShiftLeft<23>(exponent))), hn::Set(d, 1.0f));
  const auto k =
      hn::Sub(hn::ConvertTo(d, exponent), hn::IfThenElseZero(subnormal, hn::Set(d, 25.0f)));
  const auto square = hn::Mul(f, f);
  auto rest = hn::Mul(hn::Mul(square, f), polynomial(d, f, p));
  rest = hn::MulAdd(k, hn::Set(d, kLn2Low), rest);
  rest = hn::NegMulAdd(square, hn::Set(d, 0.5f), rest);
  auto result = hn::MulAdd(k, hn::Set(d, kLn2High), hn::Add(f, rest));
  result = hn::IfThenElse(hn::Lt(x, hn::Set(d, kInfinity)), result, x);  // infinity and NaN
  result = hn::IfThenElse(hn::Eq(x, hn::Zero(d)), hn::Set(d, -kInfinity), result);
  return hn::IfThenElse(hn::Lt(x, hn::Zero(d)), hn::NaN(d), result);
}

// 1 / (1 + exp(-x)), and exp(x) / (1 + exp(x)) for x < 0 so that small results keep their digits.
template <class D>
HWY_INLINE hn::Vec<D> sigmoid(D d, hn::Vec<D> x) {
  const auto one = hn::Set(d, 1.0f);
  const auto e = exp(d, hn::Neg(hn::Abs(x)));
  return hn::Div(hn::IfThenElse(hn::Lt(x, hn::Zero(d)), e, one), hn::Add(one, e));
}

// The same to a relative error of about 4e-7 with about half the instructions, for activations.
template <class D>
HWY_INLINE hn::Vec<D> sigmoid_fast(D d, hn::Vec<D> x) {
  const auto one = hn::Set(d, 1.0f);
  const auto e = exp_nonpositive(d, hn::Neg(hn::Abs(x)));
  return hn::Div(hn::IfThenElse(hn::Lt(x, hn::Zero(d)), e, one), hn::Add(one, e));
}

}  // namespace heed::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // HEED_KERNELS_MATH_INL_H_
