#include <algorithm>
#include <utility>

#include "heed/attention/cache_state_internal.h"
#include "heed/attention/prepare_internal.h"
#include "heed/base/fail_internal.h"
#include "heed/base/parallel.h"
#include "heed/kernels/pack.h"

namespace heed::engine {

const CachedSequence& CacheState::at(int64_t slot, const char* where) const {
  const auto count = static_cast<int64_t>(sequences.size());
  check(slot >= 0 && slot < count, "{}: slot {} was never given out; add_sequence() gives slots",
        where, slot);
  const CachedSequence& sequence = sequences[static_cast<size_t>(slot)];
  check(sequence.is_live, "{}: slot {} was removed; add_sequence() gives a new one", where, slot);
  return sequence;
}

CachedSequence& CacheState::at(int64_t slot, const char* where) {
  return const_cast<CachedSequence&>(std::as_const(*this).at(slot, where));
}

namespace {

// A block for one sequence. Its positions before `written` hold what was there last.
int64_t take_block(CacheState& state) {
  if (state.free_blocks.empty()) {
    const int64_t heads = state.shape.kv_heads;
    CacheBlock block;
    block.memory = Tensor::zeros({heads, state.head_size()}, state.shape.type);
    block.finite_values.resize(static_cast<size_t>(heads));
    state.free_blocks.push_back(static_cast<int64_t>(state.blocks.size()));
    state.blocks.push_back(std::move(block));
  }
  const int64_t index = state.free_blocks.back();
  state.free_blocks.pop_back();
  CacheBlock& block = block_at(state, index);
  block.users = 1;
  std::fill(block.finite_values.begin(), block.finite_values.end(), uint8_t{1});
  return index;
}

// The positions from `length` on become 0.
template <typename T>
void clear_from(CacheState& state, CacheBlock& block, int64_t length) {
  const int64_t end = std::exchange(block.written, length);
  if (end <= length) return;
  const int64_t value_width = state.shape.value_width;
  T* at = block.memory.data<T>();
  for (int64_t head = 0; head < state.shape.kv_heads; ++head, at += state.head_size()) {
    for (int64_t d = 0; d < state.width; ++d) {
      std::fill(at + d * kBlock + length, at + d * kBlock + end, T{0});
    }
    T* values = at + state.width * kBlock;
    std::fill(values + length * value_width, values + end * value_width, T{0});
  }
}

// The first `length` positions of `from`, the others 0.
template <typename T>
void copy_block(CacheState& state, const CacheBlock& from, int64_t length, CacheBlock& to) {
  const int64_t value_width = state.shape.value_width;
  const T* source = from.memory.data<T>();
  T* target = to.memory.data<T>();
  for (int64_t head = 0; head < state.shape.kv_heads; ++head) {
    for (int64_t d = 0; d < state.width; ++d) {
      std::copy_n(source + d * kBlock, length, target + d * kBlock);
    }
    std::copy_n(source + state.width * kBlock, length * value_width, target + state.width * kBlock);
    source += state.head_size();
    target += state.head_size();
  }
  to.finite_values = from.finite_values;
  to.written = std::max(to.written, length);
  clear_from<T>(state, to, length);
}

// Makes the last, partial block of a sequence one that it may write to.
template <typename T>
void own_last_block(CacheState& state, CachedSequence& sequence) {
  const int64_t rest = sequence.length % kBlock;
  if (rest == 0) return;
  int64_t& last = sequence.blocks.back();
  if (block_at(state, last).users == 1) return;
  const int64_t copy = take_block(state);
  copy_block<T>(state, block_at(state, last), rest, block_at(state, copy));
  release_block(state, last);
  last = copy;
}

template <typename T>
void clear_end_of(CacheState& state, CachedSequence& sequence) {
  const int64_t rest = sequence.length % kBlock;
  if (rest == 0) return;
  own_last_block<T>(state, sequence);
  clear_from<T>(state, block_at(state, sequence.blocks.back()), rest);
}

// Rows of k and v that go to one block.
struct Piece {
  int64_t block;
  int64_t position;  // in the block
  int64_t row;       // of k and v
  int64_t count;
};

// Room at the end of a sequence for `count` rows from `row` on.
template <typename T>
void extend(CacheState& state, CachedSequence& sequence, int64_t row, int64_t count,
            std::vector<Piece>& pieces) {
  if (count > 0) own_last_block<T>(state, sequence);
  while (count > 0) {
    const int64_t position = sequence.length % kBlock;
    if (position == 0) sequence.blocks.push_back(take_block(state));
    const int64_t fits = std::min(count, kBlock - position);
    pieces.push_back({sequence.blocks.back(), position, row, fits});
    CacheBlock& block = block_at(state, sequence.blocks.back());
    block.written = std::max(block.written, position + fits);
    clear_from<T>(state, block, position + fits);
    sequence.length += fits;
    row += fits;
    count -= fits;
  }
}

template <typename T>
void append_rows_of(CacheState& state, const Tensor& k, const Tensor& v, const Rows& rows,
                    std::span<const int64_t> slots) {
  std::vector<Piece> pieces;
  for (size_t b = 0; b < slots.size(); ++b) {
    const auto at = static_cast<int64_t>(b);
    extend<T>(state, state.at(slots[b], "append"), rows.begin(at), rows.length(at), pieces);
  }
  const HeadView<const T> keys = heads_of<T>(k);
  const HeadView<const T> values = heads_of<T>(v);
  const int64_t heads = state.shape.kv_heads, value_width = state.shape.value_width;
  const double elements = static_cast<double>(rows.total() * heads * (state.width + value_width));
  parallel_for(static_cast<int64_t>(pieces.size()) * heads, elements, [&](int64_t task) {
    const Piece& piece = pieces[static_cast<size_t>(task / heads)];
    const int64_t head = task % heads;
    CacheBlock& block = block_at(state, piece.block);
    T* to = block.memory.data<T>() + head * state.head_size();
    kernels::pack_block<T>({keys.at(piece.row, head), 1, keys.row_stride}, state.width, piece.count,
                           to + piece.position, kBlock, piece.count);
    const bool finite =
        pack_rows(values.at(piece.row, head), values.row_stride, piece.count, value_width, T{1},
                  piece.count, to + state.width * kBlock + piece.position * value_width);
    if (!finite) block.finite_values[static_cast<size_t>(head)] = 0;
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
