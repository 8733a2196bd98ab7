// The file that heed rank writes: rankings as JSON lines (heed/tuning/rankings.h).
//
// Every ranking is on the disk when append() returns. What a crash or a full disk has left of a
// line is removed by whoever opens the file next; nothing else ever is.
#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "heed/tuning/rankings.h"

namespace heed::cli {

class RankingFile {
 public:
  // An Error if the file holds anything but rankings, cannot be written, or is open elsewhere.
  explicit RankingFile(const std::string& path);
  ~RankingFile();  // removes a file that is empty
  RankingFile(const RankingFile&) = delete;
  RankingFile& operator=(const RankingFile&) = delete;

  // What had to be repaired; empty: nothing.
  const std::string& note() const { return note_; }

  bool has(std::span<const ChatMessage> prompt) const;
  size_t count() const { return done_.size(); }  // prompts

  void append(const Ranking& ranking);
  // Removes the last ranking that append() wrote, which was of this prompt.
  void take_back(std::span<const ChatMessage> prompt);

 private:
  void read(const std::string& text);
  void cut(int64_t size);

  std::string path_, note_;
  int file_ = -1;
  int64_t size_ = 0;             // bytes
  std::vector<int64_t> begins_;  // of the lines that append() wrote
  std::set<std::string> done_;
};

}  // namespace heed::cli
