// SPDX-License-Identifier: Apache-2.0
// Structs that gained a field after their first version: behavior for older and newer callers.
#include <gtest/gtest.h>

#include <cstring>

#include "base/read_struct.h"
#include "out_struct.h"

namespace tenon::base {
namespace {

struct First {
  uint32_t struct_size;
  uint32_t flags;
  const char* name;
};
struct Grown {
  uint32_t struct_size;
  uint32_t flags;
  const char* name;
  int64_t later;
};
// A caller built against the first version, whose own data follows the struct.
struct FirstCaller {
  First info;
  uint64_t own = 7;
};

tenon_status code_of(const auto& body) {
  try {
    body();
  } catch (const Error& error) {
    return error.code();
  }
  return TENON_OK;
}

void fill(Grown* out) {
  capi::fill_struct("fill", sizeof(First), out, [] { return Grown{0, 3, "name", 5}; });
}

TEST(StructSize, FilledForOlderCaller_ItsFieldsAndNoMore) {
  FirstCaller caller{{sizeof(First), 0, nullptr}};
  Grown* seen = nullptr;
  void* address = &caller;
  std::memcpy(&seen, &address, sizeof seen);
  fill(seen);
  EXPECT_EQ(caller.info.struct_size, sizeof(First));
  EXPECT_EQ(caller.info.flags, 3u);
  EXPECT_STREQ(caller.info.name, "name");
  EXPECT_EQ(caller.own, 7u);
}

TEST(StructSize, FilledForOurOwn_Whole) {
  Grown info{};
  info.struct_size = sizeof info;
  fill(&info);
  EXPECT_EQ(info.later, 5);
}

TEST(StructSize, FilledForNewerCaller_ItsTailIsZero) {
  struct {
    Grown info;
    uint64_t newer;
  } caller{};
  caller.info.struct_size = sizeof caller;
  fill(&caller.info);
  EXPECT_EQ(caller.info.later, 5);
  EXPECT_EQ(caller.newer, 0u);
  caller.newer = 1;
  EXPECT_EQ(code_of([&] { fill(&caller.info); }), TENON_ERROR_ABI);
}

TEST(StructSize, FailedFill_LeavesZeros) {
  Grown info{sizeof info, 9, "old", 9};
  EXPECT_EQ(code_of([&] {
              capi::fill_struct("fill", sizeof(First), &info,
                                []() -> Grown { fail(TENON_ERROR_INDEX, "index"); });
            }),
            TENON_ERROR_INDEX);
  EXPECT_EQ(info.struct_size, sizeof info);
  EXPECT_EQ(info.flags, 0u);
  EXPECT_EQ(info.name, nullptr);
  EXPECT_EQ(info.later, 0);
}

TEST(StructSize, TooSmall_IsRefused) {
  Grown info{};
  for (const uint32_t size : {0u, 8u, static_cast<uint32_t>(sizeof(First)) - 1}) {
    info.struct_size = size;
    EXPECT_EQ(code_of([&] { fill(&info); }), TENON_ERROR_ABI);
    EXPECT_EQ(code_of([&] { read_struct("read", sizeof(First), info); }), TENON_ERROR_ABI);
  }
}

TEST(StructSize, ReadFromOlderCaller_WhatItDoesNotKnowIsZero) {
  FirstCaller caller{{sizeof(First), 3, "name"}};
  const Grown* given = nullptr;
  const void* address = &caller;
  std::memcpy(&given, &address, sizeof given);
  const Grown whole = read_struct("read", sizeof(First), *given);
  EXPECT_EQ(whole.flags, 3u);
  EXPECT_STREQ(whole.name, "name");
  EXPECT_EQ(whole.later, 0);
}

}  // namespace
}  // namespace tenon::base
