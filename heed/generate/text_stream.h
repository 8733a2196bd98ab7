// Text as it is generated, cut at stop strings.
//
//   TextStream stream(tokenizer, {"\n\n", "END"});
//   for (...) std::cout << stream.push(id);           // what can be shown already
//   std::cout << stream.finish();
//
// Shown are whole characters only, and nothing that may turn out to be the beginning of a stop
// string. The text ends before the first stop string. Tokens that only mark a place (begin, end,
// separator, class) are not shown.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "heed/base/export.h"
#include "heed/text/tokenizer.h"

namespace heed {

class HEED_API TextStream {
 public:
  explicit TextStream(std::shared_ptr<const Tokenizer> tokenizer,
                      std::vector<std::string> stops = {});

  // Text that stands before what is generated: it decides about spaces, and is not shown.
  void skip(std::span<const int32_t> ids);

  std::string push(int32_t id);
  std::string finish();                         // what waited
  bool stopped() const { return is_stopped_; }  // a stop string came; push() gives nothing more

 private:
  std::string release(const std::string& more);

  std::vector<int32_t> marks_;
  StreamDecoder decoder_;
  std::vector<std::string> stops_;
  std::string waiting_;
  bool is_stopped_ = false;
};

}  // namespace heed
