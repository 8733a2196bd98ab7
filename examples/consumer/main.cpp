// A small program outside the repository: causal self-attention over a ragged batch, the exact
// weights behind one row of it, a gradient, and an error.
#include <heed/heed.h>

#include <iostream>

int main() {
  const heed::Rows rows = heed::Rows::from_lengths({5, 3});    // N = 8
  heed::Tensor x = heed::Tensor::empty({rows.total(), 2, 4});  // [N, H, D]
  const heed::RandomKey key = heed::random_key({.seed = 1});
  for (int64_t i = 0; i < x.size(); ++i) {
    x.data<float>()[i] = heed::random_uniform(key, static_cast<uint32_t>(i));
  }

  const heed::AttentionOptions causal{.mask = heed::Mask::causal()};
  const heed::Variable values = heed::Variable::parameter(x);
  const heed::Variable y = heed::attention(x, x, values, rows, rows, causal);  // [N, H, D]
  const heed::Tensor w =
      heed::attention_weights(x, x, rows, rows, causal, {.sequence = 1, .head = 0});  // [3, 3]
  double sum = 0;
  for (int64_t j = 0; j < 3; ++j) sum += w.data<float>()[6 + j];
  std::cout << "the output is " << y.value().text() << "; the weights of the last query sum to "
            << sum << "\n";

  // Every query hands out a weight of 1 in all, so the gradients of the values add up to their
  // count.
  const heed::Tensor gradient = heed::backward(heed::sum(y)).of(values);
  double total = 0;
  for (int64_t i = 0; i < gradient.size(); ++i) total += gradient.data<float>()[i];
  std::cout << "the gradients of the values sum to " << total << "\n";

  try {
    heed::attention(x, x.slice(0, 0, 5), x, rows, rows);
    std::cout << "expected an error\n";
    return 1;
  } catch (const heed::Error& error) {
    std::cout << "as expected: " << error.what() << "\n";
  }
  const bool right = sum > 0.99999 && sum < 1.00001 && total > 63.99 && total < 64.01;
  return right ? 0 : 1;
}
