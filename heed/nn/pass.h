// What a forward pass needs beside the weights and the input. Layers are const: random numbers,
// observers and caches arrive as arguments.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "heed/attention/attention.h"
#include "heed/autograd/variable.h"
#include "heed/base/export.h"
#include "heed/base/random.h"
#include "heed/tensor/rows.h"

namespace heed {

class KeyValueCache;

// One call of the attention engine, enough to recompute any of its weights. Either k and key_rows
// are set, or the cache and the slots of the sequences in it.
struct AttentionCall {
  Tensor q;  // [N, H, D]
  Rows query_rows;
  Tensor k = {};  // [M, K, D]
  Rows key_rows = {};
  const KeyValueCache* cache = nullptr;
  std::vector<int64_t> slots = {};
  AttentionOptions options = {};
};

// Sees every intermediate of a pass by name: "encoder.2.attention", "decoder.0.cross.weights". For
// tests, views and hidden states.
class HEED_API Observer {
 public:
  virtual ~Observer() = default;
  virtual void value(std::string_view /*name*/, const Variable& /*x*/, const Rows& /*rows*/) {}
  virtual void attention(std::string_view /*name*/, const AttentionCall& /*call*/) {}
};

struct Pass {
  bool training = false;  // dropout is on
  uint64_t seed = 0;      // of the dropout, with the step
  uint64_t step = 0;
  Observer* observer = nullptr;

  RandomSite site(uint64_t site) const { return {.seed = seed, .step = step, .site = site}; }

  // Tells the observer, if there is one.
  void observe(std::string_view name, const Variable& x, const Rows& rows) const {
    if (observer != nullptr) observer->value(name, x, rows);
  }
  // The same for a part of it, whose name is joined only if anyone listens.
  void observe(const std::string& name, const char* part, const Variable& x,
               const Rows& rows) const {
    if (observer != nullptr) observer->value(name + part, x, rows);
  }
};

}  // namespace heed
