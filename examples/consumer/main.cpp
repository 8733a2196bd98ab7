// A small program outside the repository: a ragged batch, a view of one sequence, and an error.
#include <heed/base/error.h>
#include <heed/tensor/rows.h>
#include <heed/tensor/tensor.h>

#include <iostream>

int main() {
  const heed::Rows rows = heed::Rows::from_lengths({5, 3});            // N = 8
  heed::Tensor x = heed::Tensor::full({rows.total(), 4}, 0.5);         // [N, C]
  const heed::Tensor second = x.slice(0, rows.begin(1), rows.end(1));  // [3, C]

  double sum = 0;
  for (int64_t i = 0; i < second.size(); ++i) sum += second.data<float>()[i];
  std::cout << "the second sequence is " << second.text() << " and its sum is " << sum << "\n";

  try {
    x.slice(0, 0, 9);
    std::cout << "expected an error\n";
    return 1;
  } catch (const heed::Error& error) {
    std::cout << "as expected: " << error.what() << "\n";
  }
  return sum == 6 ? 0 : 1;
}
