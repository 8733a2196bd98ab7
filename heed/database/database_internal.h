// One part of a database: what one append has added.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heed/database/database.h"

namespace heed {

// Cells: entry begins[c] .. begins[c + 1] - 1 of the part lie within radius[c] of the center.
struct DatabaseCells {
  Tensor centers;               // [cells, D]
  std::vector<double> radius;   // of the keys
  std::vector<double> spread;   // largest distance of a value from the part's origin
  std::vector<int64_t> begins;  // cells + 1
  int64_t count() const { return static_cast<int64_t>(radius.size()); }
};

struct Database::Part {
  Tensor keys;                        // [m, D], float32; a view of a mapping if it is stored
  Tensor values;                      // [m, Dv]
  std::vector<uint64_t> name_begins;  // m + 1, into the names; empty without
  std::string_view names;             // one after the other
  std::shared_ptr<Storage> storage;   // of the names
  Tensor origin;                      // [Dv], float64: the mean of the values
  DatabaseCells cells;                // count() = 0: none
  int64_t first = 0;                  // entry of the database

  int64_t size() const { return keys.dim(0); }
  std::string_view name(int64_t entry) const;
};

// A part with its entries in the order of their cells; `order` says where each came from.
struct OrderedPart {
  Tensor keys, values;
  std::vector<std::string> names;
  Tensor origin;
  DatabaseCells cells;
};
OrderedPart order_part(const Tensor& keys, const Tensor& values,
                       const std::vector<std::string>& names, const AppendOptions& options);

// k-means of float32 keys [m, D]: the centers, and the cell of every key.
struct KMeans {
  Tensor centers;
  std::vector<int64_t> cell;
};
KMeans k_means(const Tensor& keys, int64_t cells, uint64_t seed);

// The certified search; one query each.
DatabaseAnswer approximate_query(std::span<const std::shared_ptr<const Database::Part>> parts,
                                 const Tensor& q, const DatabaseQuery& options);

}  // namespace heed
