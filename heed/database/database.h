// A database of keys and values that answers queries with attention.
//
//   Attention(q, D) = sum_i w_i v_i        D = {(k_1, v_1), .., (k_m, v_m)}
//
//   Database fruit(keys, values, {"apple", "apricot", "orange"});      // in memory
//   fruit.at("apple");                                                 // exact: [Dv], or an Error
//   DatabaseAnswer a = fruit.query(q, {.score = Dot{}, .top = 3});
//
//   Database::create("d.heed", {.key_width = 64, .value_width = 8});
//   Database::append("d.heed", keys, values);
//   Database stored = Database::open("d.heed");                        // mapped, not read
//
// A query reads all keys once, in parts of fixed size that are joined in order: the same bits for
// any number of threads. With max_error > 0, parts that cannot matter are left out: entries lie in
// cells with a center c, a radius r, a count n and the largest distance of a value from a common
// point o. The score of any key in a cell is at most
//
//   q.c + |q| r  (dot)        -max(0, |q - c| - r)^2 / 2  (Gaussian)
//
// so that what the cells U which were not read can change is at most
//
//   |y - y_read| <= Z_U / (Z_read + Z_U) (max_U |v - o| + |y_read - o|),   Z_U = sum n exp(bound)
//
// Cells are read in order of their bound until this is at most max_error: a certificate, up to the
// rounding of float32.
//
// docs/formats.md describes the file. Appending writes behind what is committed, syncs, and then
// commits by one small write; whoever is killed in between leaves the old database.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "heed/attention/attention.h"
#include "heed/base/export.h"
#include "heed/tensor/tensor.h"

namespace heed {

// The four special weightings of scores.
enum class Weighting : uint8_t {
  cone,     // w_i = exp(s_i) or the kernel's value: not negative
  convex,   // softmax, or kernel values divided by their sum: also sum w_i = 1
  one_hot,  // 1 for the best key
  uniform,  // 1 / m
};

// Score and normalizer of a weighting; `score` is replaced for uniform. For cone, a distance-based
// score.
struct DatabaseWeighting {
  Score score;
  Normalizer normalizer;
};
HEED_API DatabaseWeighting database_weighting(Weighting weighting, const Score& score = Gaussian{});

struct DatabaseQuery {
  Score score = ScaledDot{};
  Normalizer normalizer = Normalizer::softmax;
  bool allow_negative = false;  // weights under `sum`
  int64_t top = 0;              // this many entries with the largest weights are named
  double max_error = 0;         // of the output, Euclidean; 0: exact. Dot, ScaledDot and Gaussian
                                // under softmax only
};

struct DatabaseAnswer {
  Tensor value;        // [N, Dv]
  Tensor top_entries;  // int64 [N, top]; -1 where there are fewer; undefined without top
  Tensor top_weights;  // [N, top]
  Tensor error;        // float64 [N]: the certified error; 0 for exact answers
  // Queries, ascending, that no key is in reach of, under softmax and sum: the weights are 0, and
  // so is the value, which is no mean of anything. Empty if all have an answer.
  std::vector<int64_t> unreached = {};
  int64_t keys_read = 0;  // by all queries together, N m at most
};

struct DatabaseShape {
  int64_t key_width = 0;
  int64_t value_width = 0;
  bool has_names = false;  // every entry has a text, for exact lookup
};

struct AppendOptions {
  int64_t cells = 0;  // of these entries; 0: none, they are always read
  uint64_t seed = 1;  // of k-means
};

class HEED_API Database {
 public:
  // In memory: keys [m, D], values [m, Dv], and a name per entry or none. m = 0 is an Error.
  Database(const Tensor& keys, const Tensor& values, const std::vector<std::string>& names = {},
           const AppendOptions& options = {});

  static void create(const std::string& path, const DatabaseShape& shape);
  static Database open(const std::string& path);
  // Whether a file begins like a database, be it damaged further on.
  static bool is_database(const std::string& path);
  static void append(const std::string& path, const Tensor& keys, const Tensor& values,
                     const std::vector<std::string>& names = {}, const AppendOptions& options = {});

  const DatabaseShape& shape() const { return shape_; }
  int64_t size() const { return size_; }  // entries
  int64_t cells() const;                  // of all parts
  int64_t parts() const;                  // one per append

  double value_range() const;  // |largest - smallest|, Euclidean over the columns of the values

  // q [N, D]. An empty database is an Error.
  DatabaseAnswer query(const Tensor& q, const DatabaseQuery& options = {}) const;
  // All weights, exact: [N, m].
  Tensor weights(const Tensor& q, const DatabaseQuery& options = {}) const;

  // The value [Dv] of the first entry with this name, or with this key, number by number; an Error
  // names what is missing.
  Tensor at(const std::string& name) const;
  Tensor at(const Tensor& key) const;  // [D]
  // Of entries by number, from 0, as in DatabaseAnswer::top_entries.
  std::string name(int64_t entry) const;  // empty without names
  Tensor key(int64_t entry) const;        // [D]
  Tensor value(int64_t entry) const;      // [Dv]

  struct Part;

 private:
  Database() = default;
  void require_query(const Tensor& q) const;
  const Part& part_of(int64_t entry) const;

  DatabaseShape shape_;
  int64_t size_ = 0;
  std::vector<std::shared_ptr<const Part>> parts_;
};

}  // namespace heed
