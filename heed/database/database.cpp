#include "heed/database/database.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include "heed/base/fail.h"
#include "heed/database/database_internal.h"
#include "heed/io/number.h"

namespace heed {
DatabaseWeighting database_weighting(Weighting weighting, const Score& score) {
  const bool is_kernel = std::holds_alternative<Boxcar>(score) ||
                         std::holds_alternative<Triangular>(score) ||
                         std::holds_alternative<Epanechnikov>(score);
  switch (weighting) {
    case Weighting::cone:
      check(is_kernel || std::holds_alternative<Gaussian>(score),
            "database: cone weights need a score that is a kernel: Gaussian, boxcar, triangular or "
            "Epanechnikov");
      return {score, Normalizer::none};
    case Weighting::convex: return {score, is_kernel ? Normalizer::sum : Normalizer::softmax};
    case Weighting::one_hot: return {score, Normalizer::one_hot};
    case Weighting::uniform: return {Constant{}, Normalizer::sum};
  }
  fail("database: unknown weighting");
}

std::string_view Database::Part::name(int64_t entry) const {
  if (name_begins.empty()) return {};
  const auto at = static_cast<size_t>(entry);
  return names.substr(name_begins[at], name_begins[at + 1] - name_begins[at]);
}

Database::Database(const Tensor& keys, const Tensor& values, const std::vector<std::string>& names,
                   const AppendOptions& options) {
  check(keys.defined() && keys.rank() == 2 && values.defined() && values.rank() == 2 &&
            keys.dim(0) == values.dim(0),
        "database: keys [m, D] and values [m, Dv] are needed, got {} and {}", keys, values);
  check(keys.dim(0) > 0 && keys.dim(1) > 0 && values.dim(1) > 0,
        "database: there is nothing in it; at least one key and one value are needed");
  check(names.empty() || static_cast<int64_t>(names.size()) == keys.dim(0),
        "database: {} names for {} entries; one each is needed, or none", names.size(),
        keys.dim(0));
  const OrderedPart ordered = order_part(keys.to(DType::f32).contiguous(),
                                         values.to(DType::f32).contiguous(), names, options);
  auto part = std::make_shared<Part>();
  part->keys = ordered.keys;
  part->values = ordered.values;
  part->origin = ordered.origin;
  part->cells = ordered.cells;
  if (!names.empty()) {
    std::string all;
    part->name_begins.push_back(0);
    for (const std::string& name : ordered.names) {
      all += name;
      part->name_begins.push_back(all.size());
    }
    part->storage = Storage::allocate(std::max<size_t>(all.size(), 1));
    std::memcpy(part->storage->data(), all.data(), all.size());
    part->names = {reinterpret_cast<const char*>(part->storage->data()), all.size()};
  }
  shape_ = {keys.dim(1), values.dim(1), !names.empty()};
  size_ = keys.dim(0);
  parts_.push_back(part);
}

int64_t Database::cells() const {
  int64_t count = 0;
  for (const auto& part : parts_) count += part->cells.count();
  return count;
}

int64_t Database::parts() const { return static_cast<int64_t>(parts_.size()); }

double Database::value_range() const {
  const auto Dv = static_cast<size_t>(shape_.value_width);
  std::vector<float> low(Dv, std::numeric_limits<float>::infinity());
  std::vector<float> high(Dv, -std::numeric_limits<float>::infinity());
  for (const auto& part : parts_) {
    const float* values = std::as_const(part->values).data<float>();
    for (int64_t i = 0; i < part->size(); ++i, values += Dv) {
      for (size_t c = 0; c < Dv; ++c) {
        low[c] = std::min(low[c], values[c]);
        high[c] = std::max(high[c], values[c]);
      }
    }
  }
  double squares = 0;
  for (size_t c = 0; c < Dv; ++c) {
    if (high[c] > low[c]) squares += std::pow(static_cast<double>(high[c]) - low[c], 2);
  }
  return std::sqrt(squares);
}

void Database::require_query(const Tensor& q) const {
  check(size_ > 0, "database: it is empty; add entries before the first query");
  check(q.defined() && q.rank() == 2 && q.dim(1) == shape_.key_width,
        "database: queries must be [N, {}], as wide as the keys, got {}", shape_.key_width, q);
  const Tensor numbers = q.to(DType::f32).contiguous();
  for (int64_t i = 0; i < numbers.size(); ++i) {
    check(std::isfinite(std::as_const(numbers).data<float>()[i]),
          "database: query {} has a number that is not finite", i / shape_.key_width + 1);
  }
}

Tensor Database::at(const std::string& wanted) const {
  check(shape_.has_names, "database: its entries have no names; look up by a key");
  for (const auto& part : parts_) {
    for (int64_t i = 0; i < part->size(); ++i) {
      if (part->name(i) == wanted)
        return part->values.slice(0, i, i + 1).clone().reshape({shape_.value_width});
    }
  }
  fail("database: there is no entry '{}' among {}; a query finds the most similar ones",
       shown(wanted, 40), size_);
}

Tensor Database::at(const Tensor& key) const {
  check(key.defined() && key.size() == shape_.key_width, "database: a key has {} numbers, got {}",
        shape_.key_width, key);
  const Tensor wanted = key.to(DType::f32).contiguous();
  const float* numbers = wanted.data<float>();
  for (const auto& part : parts_) {
    const float* keys = std::as_const(part->keys).data<float>();
    for (int64_t i = 0; i < part->size(); ++i) {
      if (std::equal(numbers, numbers + shape_.key_width, keys + i * shape_.key_width)) {
        return part->values.slice(0, i, i + 1).clone().reshape({shape_.value_width});
      }
    }
  }
  std::string text;
  for (int64_t i = 0; i < std::min<int64_t>(shape_.key_width, 4); ++i) {
    text += fmt::format("{}{}", i > 0 ? ", " : "", numbers[i]);
  }
  fail(
      "database: there is no entry with the key ({}{}) among {}; a query finds the most similar "
      "ones",
      text, shape_.key_width > 4 ? ", .." : "", size_);
}

const Database::Part& Database::part_of(int64_t entry) const {
  check(entry >= 0 && entry < size_, "database: there is no entry {}; there are {}", entry, size_);
  size_t i = 0;
  while (entry >= parts_[i]->first + parts_[i]->size()) ++i;
  return *parts_[i];
}

std::string Database::name(int64_t entry) const {
  const Part& part = part_of(entry);
  return std::string(part.name(entry - part.first));
}

Tensor Database::key(int64_t entry) const {
  const Part& part = part_of(entry);
  const int64_t i = entry - part.first;
  return part.keys.slice(0, i, i + 1).clone().reshape({shape_.key_width});
}

Tensor Database::value(int64_t entry) const {
  const Part& part = part_of(entry);
  const int64_t i = entry - part.first;
  return part.values.slice(0, i, i + 1).clone().reshape({shape_.value_width});
}

}  // namespace heed
