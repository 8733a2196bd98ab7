#include <algorithm>
#include <utility>

#include "heed/attention/cache_state_internal.h"
#include "heed/attention/prepare_problem_internal.h"
#include "heed/base/fail.h"
#include "heed/base/parallel.h"
#include "heed/kernels/pack.h"

namespace heed::engine {

const CachedSequence& CacheState::at(int64_t slot, const char* where) const {
  const auto count = static_cast<int64_t>(sequences.size());
  check(slot >= 0 && slot < count, "{}: slot {} was never given out; add_sequence() gives slots",
        where, slot);
  const CachedSequence& sequence = sequences[slot];
  check(sequence.is_live, "{}: slot {} was removed; add_sequence() gives a new one", where, slot);
  return sequence;
}

CachedSequence& CacheState::at(int64_t slot, const char* where) {
  return const_cast<CachedSequence&>(std::as_const(*this).at(slot, where));
}

namespace {

constexpr int64_t kSlabBytes = int64_t{4} << 20;

// More free blocks: some at a time, the more the larger the cache is, so that huge pages fit.
void add_blocks(CacheState& state) {
  const int64_t heads = state.shape.kv_heads, size = state.head_size();
  const auto have = static_cast<int64_t>(state.blocks.size());
  const auto bytes = heads * size * static_cast<int64_t>(byte_size(state.shape.type));
  const int64_t max = std::max<int64_t>(1, kSlabBytes / bytes);
  const int64_t count = std::clamp<int64_t>(have / 2, 1, max);
  const Tensor slab = Tensor::empty({count, heads, size}, state.shape.type);
  for (int64_t i = count; i-- > 0;) state.free_blocks.push_back(have + i);
  for (int64_t i = 0; i < count; ++i) {
    CacheBlock block;
    block.memory = slab.select(0, i);
    block.finite_values.resize(static_cast<size_t>(heads));
    state.blocks.push_back(std::move(block));
  }
}

// An empty block for one sequence.
int64_t take_block(CacheState& state) {
  if (state.free_blocks.empty()) add_blocks(state);
  const int64_t index = state.free_blocks.back();
  state.free_blocks.pop_back();
  CacheBlock& block = block_at(state, index);
  block.users = 1;
  block.written = 0;
  std::fill(block.finite_values.begin(), block.finite_values.end(), uint8_t{1});
  return index;
}

// What becomes of a block: positions [0, begin) stay or are copied from another block, [begin, end)
// are filled with rows, and zeros stand behind them.
struct Change {
  int64_t block;
  int64_t source = -1;  // -1: nothing is copied
  int64_t begin, end;
  int64_t row = 0;  // of k and v, the first one
  int64_t written;  // positions that held something before

  // The zeros behind `written` reach far enough if the end moved among them.
  bool has_zeros() const { return end >= written && end <= padded_columns(written); }
};

// Makes the last block of a sequence, of which `begin` positions count, one that it may write to.
Change own_last_block(CacheState& state, CachedSequence& sequence, int64_t begin) {
  int64_t& last = sequence.blocks.back();
  const int64_t source = last;
  if (block_at(state, source).users > 1) {
    last = take_block(state);
    block_at(state, last).finite_values = block_at(state, source).finite_values;
    release_block(state, source);
  }
  return {.block = last,
          .source = last == source ? -1 : source,
          .begin = begin,
          .end = begin,
          .written = block_at(state, last).written};
}

// Room at the end of a sequence for `count` rows from `row` on.
void extend(CacheState& state, CachedSequence& sequence, int64_t row, int64_t count,
            std::vector<Change>& changes) {
  while (count > 0) {
    const int64_t begin = sequence.length % kBlock;
    if (begin == 0) sequence.blocks.push_back(take_block(state));
    Change change = own_last_block(state, sequence, begin);
    const int64_t fits = std::min(count, kBlock - begin);
    change.end = begin + fits;
    change.row = row;
    block_at(state, change.block).written = change.end;
    changes.push_back(change);
    sequence.length += fits;
    row += fits;
    count -= fits;
  }
}

// The copy and the zeros of a change, for one head.
template <typename T>
void copy_and_clear(CacheState& state, const Change& change, int64_t head) {
  const int64_t value_width = state.shape.value_width, keys = state.width * kBlock;
  T* to = block_at(state, change.block).memory.data<T>() + head * state.head_size();
  if (change.source >= 0) {
    const Tensor& source = block_at(state, change.source).memory;
    const T* from = source.data<T>() + head * state.head_size();
    for (int64_t d = 0; d < keys; d += kBlock) std::copy_n(from + d, change.begin, to + d);
    std::copy_n(from + keys, change.begin * value_width, to + keys);
  }
  if (change.has_zeros()) return;
  const int64_t end = padded_columns(change.end);
  for (int64_t d = 0; d < keys; d += kBlock) std::fill(to + d + change.end, to + d + end, T{0});
  std::fill(to + keys + change.end * value_width, to + keys + end * value_width, T{0});
}

template <typename T>
void clear_end_of(CacheState& state, CachedSequence& sequence) {
  const int64_t rest = sequence.length % kBlock;
  if (rest == 0) return;
  const Change change = own_last_block(state, sequence, rest);
  block_at(state, change.block).written = rest;
  for (int64_t head = 0; head < state.shape.kv_heads; ++head) {
    copy_and_clear<T>(state, change, head);
  }
}

template <typename T>
void append_rows_of(CacheState& state, const Tensor& k, const Tensor& v, const Rows& rows,
                    std::span<const int64_t> slots) {
  std::vector<Change> changes;
  for (size_t b = 0; b < slots.size(); ++b) {
    const auto at = static_cast<int64_t>(b);
    extend(state, state.at(slots[b], "append"), rows.begin(at), rows.length(at), changes);
  }
  int64_t positions = rows.total();
  for (const Change& change : changes) positions += change.source < 0 ? 0 : change.begin;
  const HeadView<const T> keys = heads_of<T>(k);
  const HeadView<const T> values = heads_of<T>(v);
  const int64_t heads = state.shape.kv_heads, value_width = state.shape.value_width;
  // The numbers of a key lie kBlock apart: each of them is a line of the cache.
  const auto nanoseconds = static_cast<double>(positions * heads * (4 * state.width + value_width));
  parallel_for(static_cast<int64_t>(changes.size()) * heads, nanoseconds, [&](int64_t task) {
    const Change& change = changes[task / heads];
    const int64_t head = task % heads, count = change.end - change.begin;
    copy_and_clear<T>(state, change, head);
    CacheBlock& block = block_at(state, change.block);
    T* to = block.memory.data<T>() + head * state.head_size();
    kernels::pack_block<T>({keys.at(change.row, head), 1, keys.row_stride}, state.width, count,
                           to + change.begin, kBlock, count);
    const bool finite =
        pack_rows(values.at(change.row, head), values.row_stride, count, value_width, T{1}, count,
                  to + state.width * kBlock + change.begin * value_width);
    if (!finite) block.finite_values[head] = 0;
  });
}

}  // namespace

void release_block(CacheState& state, int64_t index) {
  if (--block_at(state, index).users == 0) state.free_blocks.push_back(index);
}

void append_rows(CacheState& state, const Tensor& k, const Tensor& v, const Rows& rows,
                 std::span<const int64_t> slots) {
  if (state.shape.type == DType::f64) {
    append_rows_of<double>(state, k, v, rows, slots);
  } else {
    append_rows_of<float>(state, k, v, rows, slots);
  }
}

void clear_end(CacheState& state, CachedSequence& sequence) {
  if (state.shape.type == DType::f64) {
    clear_end_of<double>(state, sequence);
  } else {
    clear_end_of<float>(state, sequence);
  }
}

}  // namespace heed::engine
