// The token ids of a data set: sequences of any length, or one long stream.
//
//   TokenStoreBuilder builder(tokenizer->size(), {.directory = run});
//   for_each_block(file, {}, [&](auto block) { builder.append(tokenizer->encode(block)); });
//   const TokenStore store = builder.finish();
//   store.copy_range(window.begin, window.end + 1, ids);
//
// Ids take 2 bytes each if the vocabulary has at most 65,536 tokens, else 4. They stay in memory up
// to a limit; beyond it all of them go to a temporary file that has no name and so disappears with
// the process. It is read piece by piece and never mapped: what was read does not count as memory
// of the process, and a failing disk gives an Error and no signal.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "heed/base/export.h"

namespace heed {

struct TokenStoreOptions {
  // Of the temporary file. Empty: the one that the environment variable TMPDIR names, or /tmp.
  std::string directory = {};
  int64_t memory = int64_t{64} << 20;  // bytes of ids that are held in memory
};

class TokenStoreBuilder;

// A value handle: copies share the ids. Safe to read from several threads.
class HEED_API TokenStore {
 public:
  TokenStore();  // empty

  int64_t count() const;  // sequences
  int64_t total() const;  // tokens of all of them
  int64_t begin(int64_t i) const;
  int64_t length(int64_t i) const;
  std::vector<int64_t> lengths() const;
  bool in_memory() const;

  // Sequence i; the span must have its length.
  void copy(int64_t i, std::span<int32_t> ids) const;
  std::vector<int32_t> sequence(int64_t i) const;

  // The tokens [begin, end) of all sequences one after the other.
  void copy_range(int64_t begin, int64_t end, std::span<int32_t> ids) const;
  std::vector<int32_t> range(int64_t begin, int64_t end) const;

 private:
  friend class TokenStoreBuilder;
  struct Contents;
  explicit TokenStore(std::shared_ptr<const Contents> contents);

  std::shared_ptr<const Contents> contents_;
};

class HEED_API TokenStoreBuilder {
 public:
  explicit TokenStoreBuilder(int64_t vocab_size, const TokenStoreOptions& options = {});
  ~TokenStoreBuilder();
  TokenStoreBuilder(const TokenStoreBuilder&) = delete;
  TokenStoreBuilder& operator=(const TokenStoreBuilder&) = delete;

  // One more sequence, which may be empty. Ids must be 0 to vocab_size - 1.
  void append(std::span<const int32_t> ids);

  // What was appended; the builder is empty afterwards.
  TokenStore finish();

 private:
  void flush();
  void restart();

  int64_t vocab_size_;
  TokenStoreOptions options_;
  std::shared_ptr<TokenStore::Contents> contents_;
};

}  // namespace heed
