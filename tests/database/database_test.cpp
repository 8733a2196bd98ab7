#include "heed/database/database.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "heed/attention/reference.h"
#include "heed/attention/weights.h"
#include "heed/base/error.h"
#include "heed/base/parallel.h"
#include "heed/base/random.h"
#include "heed/database/text_key.h"

namespace heed::database_test {
namespace {

Tensor normal(const Shape& shape, uint64_t seed, double deviation = 1) {
  Tensor result = Tensor::empty(shape);
  const RandomKey key = random_key({.seed = seed});
  for (int64_t i = 0; i < result.size(); ++i) {
    result.data<float>()[i] =
        static_cast<float>(deviation * random_normal(key, static_cast<uint32_t>(i)));
  }
  return result;
}

// Keys in tight groups, far from each other.
Tensor clustered(int64_t m, int64_t D, int64_t groups, uint64_t seed) {
  const Tensor centers = normal({groups, D}, seed, 3);
  Tensor keys = normal({m, D}, seed + 1, 0.1);
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t d = 0; d < D; ++d) {
      keys.data<float>()[i * D + d] += centers.data<float>()[i % groups * D + d];
    }
  }
  return keys;
}

double largest_difference(const Tensor& a, const Tensor& b) {
  const Tensor x = a.to(DType::f64).contiguous();
  const Tensor y = b.to(DType::f64).contiguous();
  double result = 0;
  for (int64_t i = 0; i < x.size(); ++i) {
    result = std::max(
        result, std::abs(std::as_const(x).data<double>()[i] - std::as_const(y).data<double>()[i]));
  }
  return result;
}

class Temporary {
 public:
  explicit Temporary(const std::string& name)
      : path_(std::filesystem::temp_directory_path() / (std::to_string(::getpid()) + "_" + name)) {}
  ~Temporary() { std::filesystem::remove(path_); }
  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

void expect_error(const std::function<void()>& call, const std::string& text) {
  try {
    call();
    FAIL() << "no error: " << text;
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find(text), std::string::npos) << error.what();
  }
}

// R1: any score and normalizer, over chunks and parts, is attention on the whole.
TEST(Database, AnswersAreAttention) {
  const int64_t m = 5000;
  const Tensor keys = normal({m, 6}, 1);
  const Tensor values = normal({m, 3}, 2);
  const Tensor q = normal({4, 6}, 3);
  const Database database(keys, values);
  EXPECT_EQ(database.size(), m);
  const Rows asked = Rows::single(4);
  const Rows seen = Rows::single(m);
  const std::vector<std::pair<Score, Normalizer>> cases{
      {ScaledDot{}, Normalizer::softmax},
      {Dot{}, Normalizer::softmax},
      {Gaussian{}, Normalizer::softmax},
      {Gaussian{}, Normalizer::none},
      {Boxcar{Tensor::full({1}, 2)}, Normalizer::sum},
      {Constant{}, Normalizer::sum},
      {Dot{}, Normalizer::one_hot}};
  for (const auto& [score, normalizer] : cases) {
    const DatabaseQuery options{.score = score, .normalizer = normalizer, .top = 5};
    const AttentionOptions attend{.score = score, .normalizer = normalizer};
    const DatabaseAnswer answer = database.query(q, options);
    const Tensor expected = reference_attention(q, keys, values, asked, seen, attend);
    double size = 1;
    for (int64_t i = 0; i < expected.size(); ++i) {
      size = std::max(size, std::abs(expected.data<double>()[i]));
    }
    EXPECT_LT(largest_difference(answer.value, expected), 2e-5 * size);
    const Tensor weights = reference_attention_weights(q, keys, asked, seen, attend);
    EXPECT_LT(largest_difference(database.weights(q, options), weights), 1e-5);
    const TopWeights top = top_attention_weights(q, keys, asked, seen, 5, attend);
    EXPECT_LT(largest_difference(answer.top_weights, top.weights), 1e-5);
    EXPECT_EQ(answer.keys_read, 4 * m);
  }
}

// R2: in the cone, in the hull, a value itself, the mean.
TEST(Database, FourSpecialWeightings) {
  const Tensor keys = normal({50, 2}, 1);
  const Tensor values = normal({50, 2}, 2);
  const Tensor q = normal({7, 2}, 3);
  const Database database(keys, values);
  for (const Weighting weighting :
       {Weighting::cone, Weighting::convex, Weighting::one_hot, Weighting::uniform}) {
    const DatabaseWeighting chosen = database_weighting(weighting);
    const DatabaseQuery options{.score = chosen.score, .normalizer = chosen.normalizer};
    const Tensor w = database.weights(q, options);
    const Tensor y = database.query(q, options).value;
    for (int64_t i = 0; i < 7; ++i) {
      double sum = 0;
      int ones = 0;
      int64_t best = 0;
      for (int64_t j = 0; j < 50; ++j) {
        const float weight = w.data<float>()[i * 50 + j];
        EXPECT_GE(weight, 0);
        sum += weight;
        ones += weight == 1 ? 1 : 0;
        if (weight > w.data<float>()[i * 50 + best]) best = j;
        if (weighting == Weighting::uniform) {
          EXPECT_NEAR(weight, 0.02, 1e-7);
        }
      }
      if (weighting != Weighting::cone) {
        EXPECT_NEAR(sum, 1, 1e-5);
      }
      if (weighting == Weighting::one_hot) {
        EXPECT_EQ(ones, 1);
        EXPECT_EQ(y.data<float>()[2 * i], values.data<float>()[2 * best]);  // bit for bit
        EXPECT_EQ(y.data<float>()[2 * i + 1], values.data<float>()[2 * best + 1]);
      }
    }
  }
  EXPECT_THROW(database_weighting(Weighting::cone, Dot{}), Error);
}

// R1, R8: exact lookup, by name and by key, with an error that names what is missing.
TEST(Database, ExactLookup) {
  const Tensor keys = normal({3, 4}, 1);
  const Tensor values = Tensor::from(std::vector<float>{8, 4, 3}, {3, 1});
  const Database fruit(keys, values, {"apple", "apricot", "orange"});
  EXPECT_EQ(fruit.at("apple").item(), 8);
  EXPECT_EQ(fruit.at(keys.slice(0, 2, 3)).item(), 3);
  EXPECT_EQ(fruit.name(1), "apricot");
  EXPECT_EQ(fruit.value(1).item(), 4);
  EXPECT_EQ(fruit.at(fruit.key(2)).item(), 3);
  expect_error([&] { fruit.key(3); }, "no entry 3; there are 3");
  expect_error([&] { fruit.value(-1); }, "no entry -1; there are 3");
  expect_error([&] { fruit.at("orangicot"); }, "no entry 'orangicot'");
  expect_error([&] { fruit.at(Tensor::full({4}, 7)); }, "no entry with the key (7, 7, 7, 7)");
  expect_error([&] { Database(keys, values).at("apple"); }, "no names");
  expect_error([&] { Database(Tensor::zeros({0, 4}), Tensor::zeros({0, 1})); }, "nothing in it");
  expect_error([&] { fruit.query(Tensor::zeros({1, 3})); }, "queries must be [N, 4]");
}

// R8: words that are spelled alike are similar.
TEST(TextKey, SharedLettersAreSimilar) {
  const auto similarity = [](const char* a, const char* b) {
    const Tensor x = text_key(a);
    const Tensor y = text_key(b);
    double sum = 0;
    for (int64_t i = 0; i < x.size(); ++i) sum += x.data<float>()[i] * y.data<float>()[i];
    return sum;
  };
  EXPECT_NEAR(similarity("Orange", "orange"), 1, 1e-6);
  EXPECT_GT(similarity("orangicot", "orange"), similarity("orangicot", "apple"));
  EXPECT_GT(similarity("orangicot", "apricot"), similarity("orangicot", "apple"));
  EXPECT_THROW(text_key("a", 0), Error);
  // Words that have nothing to do with each other.
  const std::vector<const char*> words{"apple", "house",  "winter", "train", "woman",
                                       "music", "doctor", "green",  "castle"};
  double mean = 0;
  for (size_t i = 0; i < words.size(); ++i) {
    for (size_t j = 0; j < i; ++j) mean += similarity(words[i], words[j]) / 36;
  }
  EXPECT_LT(std::abs(mean), 0.05);
}

// A mean of nothing is not an answer: the queries that have none are named.
TEST(Database, QueriesOutOfReachAreNamed) {
  const Database line(Tensor::from(std::vector<float>{0, 1, 2}, {3, 1}),
                      Tensor::from(std::vector<float>{5, 6, 7}, {3, 1}));
  const Tensor q = Tensor::from(std::vector<float>{0.5, 9, 2, -4}, {4, 1});
  const DatabaseAnswer sum = line.query(q, {.score = Boxcar{}, .normalizer = Normalizer::sum});
  EXPECT_EQ(sum.unreached, (std::vector<int64_t>{1, 3}));
  EXPECT_EQ(sum.value.data<float>()[1], 0);
  EXPECT_EQ(sum.value.data<float>()[0], 5.5);
  // Kernel values as they are may be 0; a Gaussian reaches everything.
  EXPECT_TRUE(line.query(q, {.score = Boxcar{}, .normalizer = Normalizer::none}).unreached.empty());
  EXPECT_TRUE(line.query(q, {.score = Gaussian{}}).unreached.empty());
}

TEST(Database, SameBitsForAnyThreads) {
  const Database database(normal({20000, 8}, 1), normal({20000, 3}, 2));
  const Tensor q = normal({5, 8}, 3);
  const Tensor expected = database.query(q).value;
  for (const int threads : {1, 2, 3, 8}) {
    const ThreadScope scope(threads);
    EXPECT_EQ(largest_difference(database.query(q).value, expected), 0);
  }
}

TEST(Database, AFileAnswersLikeMemory) {
  const Temporary file("answers.heed");
  const Tensor keys = normal({300, 5}, 1);
  const Tensor values = normal({300, 2}, 2);
  std::vector<std::string> names;
  for (int i = 0; i < 300; ++i) names.push_back("entry " + std::to_string(i));
  Database::create(file.path(), {.key_width = 5, .value_width = 2, .has_names = true});
  expect_error([&] { Database::open(file.path()).query(Tensor::zeros({1, 5})); }, "empty");
  const auto part = [&](int64_t begin, int64_t end, int64_t cells) {
    Database::append(file.path(), keys.slice(0, begin, end), values.slice(0, begin, end),
                     {names.begin() + begin, names.begin() + end}, {.cells = cells});
  };
  part(0, 100, 0);
  part(100, 250, 7);
  part(250, 300, 0);
  const Database stored = Database::open(file.path());
  EXPECT_EQ(stored.size(), 300);
  EXPECT_EQ(stored.parts(), 3);
  EXPECT_EQ(stored.cells(), 7);
  const Tensor q = normal({4, 5}, 3);
  const Database memory(keys, values);
  EXPECT_LT(largest_difference(stored.query(q).value, memory.query(q).value), 1e-6);
  EXPECT_EQ(largest_difference(stored.at("entry 123"), values.slice(0, 123, 124)), 0);
  EXPECT_EQ(largest_difference(stored.at("entry 299"), values.slice(0, 299, 300)), 0);
  expect_error(
      [&] {
        Database::append(file.path(), Tensor::zeros({1, 4}), Tensor::zeros({1, 2}));
      },
      "keys [m, 5]");
  expect_error(
      [&] {
        Database::append(file.path(), Tensor::full({1, 5}, NAN), Tensor::zeros({1, 2}), {"x"});
      },
      "not finite");
}

// A writer that was killed at any byte leaves the database as it was before.
TEST(Database, AKilledAppendLeavesTheOldDatabase) {
  const Temporary file("killed.heed");
  Database::create(file.path(), {.key_width = 2, .value_width = 1});
  Database::append(file.path(), normal({5, 2}, 1), normal({5, 1}, 2));
  const auto contents = [&] {
    std::ifstream stream(file.path(), std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(stream), {});
  };
  const std::string before = contents();
  Database::append(file.path(), normal({3, 2}, 3), normal({3, 1}, 4));
  const std::string after = contents();
  ASSERT_GT(after.size(), before.size());
  // The new part up to any length, with the old commits: five entries. Then another append works.
  for (size_t length = before.size(); length <= after.size(); length += 13) {
    std::string torn = after.substr(0, length);
    torn.replace(0, 4096, before.substr(0, 4096));
    std::ofstream(file.path(), std::ios::binary) << torn;
    EXPECT_EQ(Database::open(file.path()).size(), 5) << length;
    Database::append(file.path(), normal({2, 2}, 5), normal({2, 1}, 6));
    EXPECT_EQ(Database::open(file.path()).size(), 7);
  }
  // A commit that was half written: the other one counts.
  for (size_t cut = 0; cut < 40; ++cut) {
    std::string torn = after;
    const size_t slot = after.compare(512, 40, before, 512, 40) != 0 ? 512 : 1024;
    torn.replace(slot + cut, 40 - cut, before, slot + cut, 40 - cut);
    std::ofstream(file.path(), std::ios::binary) << torn;
    const int64_t size = Database::open(file.path()).size();
    EXPECT_TRUE(size == 5 || (size == 8 && torn == after)) << cut << ": " << size;
  }
}

TEST(Database, DamagedAndHostileFiles) {
  const Temporary file("hostile.heed");
  Database::create(file.path(), {.key_width = 2, .value_width = 1, .has_names = true});
  Database::append(file.path(), normal({40, 2}, 1), normal({40, 1}, 2),
                   std::vector<std::string>(40, "abc"), {.cells = 4});
  std::string good;
  {
    std::ifstream stream(file.path(), std::ios::binary);
    good.assign(std::istreambuf_iterator<char>(stream), {});
  }
  const auto open_with = [&](const std::string& bytes) {
    std::ofstream(file.path(), std::ios::binary) << bytes;
    try {
      const Database database = Database::open(file.path());
      if (database.size() > 0) {
        database.query(Tensor::zeros({1, 2}), {.max_error = 0.1});
        database.query(Tensor::zeros({1, 2}));
        database.name(database.size() - 1);
        database.key(database.size() - 1);
        database.value(database.size() - 1);
      }
    } catch (const Error&) {
    }
  };
  for (size_t length = 0; length < good.size(); length += 97) open_with(good.substr(0, length));
  const RandomKey draw = random_key({.seed = 9});
  for (uint32_t i = 0; i < 200; ++i) {
    std::string bad = good;
    const size_t at = i % 2 == 0 ? random_bits(draw, 3 * i) % bad.size()
                                 : 4096 + random_bits(draw, 3 * i) % (bad.size() - 4096);
    bad[at] = static_cast<char>(random_bits(draw, 3 * i + 1));
    open_with(bad);
  }
  std::ofstream(file.path(), std::ios::binary) << "hello";
  expect_error([&] { Database::open(file.path()); }, "not a database");
  expect_error([&] { Database::open(file.path() + ".none"); }, "cannot open");
}

// The bound is never violated: 10,000 random queries against double arithmetic.
TEST(Database, TheCertifiedErrorHolds) {
  int64_t tried = 0;
  int64_t skipped = 0;
  for (uint64_t seed = 0; seed < 100; ++seed) {
    const RandomKey draw = random_key({.seed = seed, .site = 7});
    const int64_t m = 50 + random_bits(draw, 0) % 400;
    const int64_t D = 1 + random_bits(draw, 1) % 8;
    const int64_t cells = 1 + random_bits(draw, 2) % 20;
    const Tensor keys = seed % 3 == 0 ? normal({m, D}, seed) : clustered(m, D, 1 + seed % 9, seed);
    Tensor values = normal({m, 2}, seed + 1000);
    for (int64_t i = 0; i < 2 * m; ++i) values.data<float>()[i] += 100;  // far from 0
    const Database database(keys, values, {}, {.cells = cells});
    const Tensor q = normal({100, D}, seed + 2000, 2);
    DatabaseQuery options{.score = Gaussian{}};
    if (seed % 4 == 1) options.score = Dot{};
    if (seed % 4 == 2) options.score = ScaledDot{};
    if (seed % 4 == 3) options.score = Gaussian{Tensor::full({D}, 0.5f)};
    options.max_error = seed % 2 == 0 ? 0.01 : 0.5;
    const DatabaseAnswer answer = database.query(q, options);
    const Tensor exact = reference_attention(q, keys, values, Rows::single(100), Rows::single(m),
                                             {.score = options.score});
    for (int64_t i = 0; i < 100; ++i) {
      double error = 0;
      for (int64_t d = 0; d < 2; ++d) {
        error +=
            std::pow(answer.value.data<float>()[2 * i + d] - exact.data<double>()[2 * i + d], 2);
      }
      const double certified = answer.error.data<double>()[i];
      EXPECT_LE(certified, options.max_error);
      // Scores of float32 are off by about 1e-6 of their size; the values by 100 2^-24.
      EXPECT_LE(std::sqrt(error), certified + 3e-4) << seed << " " << i;
      ++tried;
    }
    skipped += answer.keys_read < 100 * m ? 1 : 0;
  }
  EXPECT_EQ(tried, 10000);
  EXPECT_GT(skipped, 40);  // and it does save work
}

// Groups in turn, so that keys at equal distances all belong to one of them.
TEST(Database, CellsFindGroupsInAnyOrder) {
  const int64_t groups = 16, m = groups * 64 * groups, D = 4;
  const Tensor centers = normal({groups, D}, 1, 50);
  Tensor keys = normal({m, D}, 2);
  for (int64_t i = 0; i < m * D; ++i) {
    keys.data<float>()[i] += centers.data<float>()[i / D % groups * D + i % D];
  }
  const Database database(keys, normal({m, 1}, 3), {}, {.cells = groups});
  const DatabaseAnswer answer =
      database.query(keys.slice(0, 0, 32), {.score = Gaussian{}, .max_error = 1e-6});
  EXPECT_LE(answer.keys_read, 32 * m * 3 / groups);
}

TEST(Database, WithoutClustersEverythingIsRead) {
  const int64_t m = 2000;
  const Database even(normal({m, 16}, 1), normal({m, 1}, 2), {}, {.cells = 20});
  const DatabaseAnswer all =
      even.query(normal({3, 16}, 3, 0.1), {.score = Gaussian{}, .max_error = 1e-6});
  EXPECT_EQ(all.keys_read, 3 * m);
  const Database plain(normal({m, 4}, 1), normal({m, 1}, 2));  // no cells at all
  EXPECT_EQ(plain.query(normal({3, 4}, 3), {.max_error = 0.1}).keys_read, 3 * m);
  expect_error(
      [&] {
        plain.query(normal({1, 4}, 3), {.score = Boxcar{}, .max_error = 1});
      },
      "max_error needs");
  expect_error([&] { plain.query(normal({1, 4}, 3), {.max_error = -1}); }, "not be negative");
  EXPECT_THROW(Database(normal({3, 4}, 1), normal({3, 1}, 2), {}, {.cells = 4}), Error);
}

}  // namespace
}  // namespace heed::database_test
