// SPDX-License-Identifier: Apache-2.0
// tenon::parallel_for.
#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <string>
#include <vector>

#include "tenon/tenon.hpp"

namespace {

TEST(ParallelFor, CallsAllNumbersOnce) {
  std::vector<std::atomic<int>> times(1000);
  // [quote.begin share]
  tenon::parallel_for(1000, 7, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) ++times[static_cast<size_t>(i)];
  });
  // [quote.end]
  for (const auto& n : times) EXPECT_EQ(n, 1);
}

TEST(ParallelFor, ThrowsWhatTheFirstChunkThrew) {
  const auto body = [](int64_t begin, int64_t) {
    if (begin >= 30) throw std::out_of_range("chunk " + std::to_string(begin));
  };
  try {
    tenon::parallel_for(100, 10, body);
    FAIL();
  } catch (const std::out_of_range& error) {
    EXPECT_STREQ(error.what(), "chunk 30");
  }
}

TEST(ParallelFor, RefusesNoGrain) {
  const auto nothing = [](int64_t, int64_t) {};
  EXPECT_THROW(tenon::parallel_for(8, 0, nothing), tenon::Error);
}

TEST(ParallelFor, NumberOfThreadsIsSet) {
  tenon::set_num_threads(3);
  EXPECT_EQ(tenon::num_threads(), 3);
  tenon::set_num_threads(0);
  EXPECT_GE(tenon::num_threads(), 1);
  EXPECT_THROW(tenon::set_num_threads(-1), tenon::Error);
}

}  // namespace
