#include "heed/ops/embedding.h"

#include <gtest/gtest.h>

#include <string>

#include "heed/base/error.h"
#include "tests/ops/gradient_check.h"

namespace heed {
namespace {

Operation embedding_of(const Tensor& ids) {
  return [ids](const Inputs& in) { return embedding(in[0], ids); };
}

// Ids of which a few are very frequent, as in text.
Tensor skewed_ids(int64_t count, int64_t V) {
  std::vector<int32_t> ids;
  for (int64_t n = 0; n < count; ++n) {
    const double u = random_uniform(random_key({.position = static_cast<uint64_t>(n)}), 0);
    ids.push_back(static_cast<int32_t>(u * u * u * static_cast<double>(V)));
  }
  return Tensor::from(ids, {count});
}

TEST(Embedding, ByHand) {
  const Tensor table = Tensor::from<float>({1, 2, 3, 4, 5, 6}, {3, 2});
  const Tensor ids = Tensor::from<int32_t>({2, 0, 2}, {3});
  const Tensor y = embedding(table, ids).value();
  const float expected[] = {5, 6, 1, 2, 5, 6};
  for (int i = 0; i < 6; ++i) EXPECT_EQ(y.data<float>()[i], expected[i]);
}

TEST(Embedding, Gradients) {
  for (const Tensor& ids :
       {Tensor::from<int32_t>({6, 2, 6, 0, 2}, {5}), Tensor::from<int64_t>({6, 2, 6, 0, 2}, {5})}) {
    check_gradients(embedding_of(ids), {random_tensor({7, 3}, 1)});
    check_float32(embedding_of(ids), {random_tensor({7, 3}, 1)});
  }
}

TEST(Embedding, SameBitsForAnyThreads) {
  check_threads(embedding_of(skewed_ids(3000, 501)), {random_tensor({501, 96}, 1, DType::f32)});
}

// The sum per id is that of the plain loop, in the order of the rows.
TEST(Embedding, SumsInOrderOfRows) {
  const int64_t N = 700, V = 40, C = 5;
  const Tensor ids = skewed_ids(N, V);
  const Derivatives got = differentiate(embedding_of(ids), {random_tensor({V, C}, 1, DType::f32)});
  const Tensor dy = random_tensor({N, C}, 77, DType::f32);
  Tensor expected = Tensor::zeros({V, C});
  for (int64_t n = 0; n < N; ++n) {
    for (int64_t c = 0; c < C; ++c) {
      expected.data<float>()[ids.data<int32_t>()[n] * C + c] += dy.data<float>()[n * C + c];
    }
  }
  expect_same_bits(got.dx[0], expected, "gradient of the table");
}

TEST(Embedding, AnIdOutsideIsNamed) {
  const Tensor table = Tensor::zeros({7, 3});
  for (int32_t id : {-1, 7, 1 << 30}) {
    try {
      embedding(table, Tensor::from<int32_t>({0, id}, {2}));
      FAIL() << "id " << id << " was accepted";
    } catch (const Error& error) {
      const std::string text = error.what();
      EXPECT_NE(text.find("id " + std::to_string(id)), std::string::npos) << text;
      EXPECT_NE(text.find("position 1"), std::string::npos) << text;
      EXPECT_NE(text.find("7"), std::string::npos) << text;
    }
  }
}

TEST(Embedding, BadInput) {
  const Tensor ids = Tensor::zeros({2}, DType::i64);
  EXPECT_THROW(embedding(Tensor::zeros({7}), ids), Error);
  EXPECT_THROW(embedding(Tensor::zeros({7, 3}, DType::i32), ids), Error);
  EXPECT_THROW(embedding(Tensor::zeros({7, 3}), Tensor::zeros({2})), Error);
  EXPECT_EQ(embedding(Tensor::zeros({7, 3}), Tensor::zeros({0}, DType::i64)).shape(),
            Shape({0, 3}));
}

}  // namespace
}  // namespace heed
