#include "heed/base/processor.h"

#include <gtest/gtest.h>

namespace heed {
namespace {

TEST(Processor, NothingIsMissing) { EXPECT_EQ(processor_fault({}), ""); }

TEST(Processor, WhatIsMissingIsNamed) {
  const auto fault_without = [](ProcessorFeatures features) { return processor_fault(features); };
  // qemu64 and kvm64, the defaults of QEMU; core2duo; Penryn.
  EXPECT_TRUE(fault_without({.ssse3 = false, .sse41 = false, .sse42 = false})
                  .starts_with("this processor lacks SSSE3, SSE4.1, SSE4.2, which heed needs;"));
  EXPECT_TRUE(fault_without({.sse41 = false, .sse42 = false})
                  .starts_with("this processor lacks SSE4.1, SSE4.2, which"));
  EXPECT_TRUE(fault_without({.sse42 = false}).starts_with("this processor lacks SSE4.2, which"));
}

TEST(Processor, ThisOneWillDo) {
  EXPECT_EQ(processor_fault(processor_features()), "");
  EXPECT_NO_THROW(require_processor());
}

}  // namespace
}  // namespace heed
