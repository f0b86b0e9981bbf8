// SPDX-License-Identifier: Apache-2.0
// Tests of IntrusivePtr, SmallVector, CompactVector, interned strings and concat.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <string>
#include <thread>
#include <vector>

#include "base/compact_vector.h"
#include "base/concat.h"
#include "base/interned_string.h"
#include "base/intrusive_ptr.h"
#include "base/small_vector.h"
#include "base/text_hash.h"

namespace tenon::base {
namespace {

struct Counted : RefCounted<Counted> {
  explicit Counted(int* deaths) : deaths_(deaths) {}
  ~Counted() { ++*deaths_; }
  int* deaths_;
};

TEST(IntrusivePtr, LastOwnerGoes_ObjectDiesOnce) {
  int deaths = 0;
  {
    auto first = make_intrusive<Counted>(&deaths);
    IntrusivePtr<Counted> second = first;
    EXPECT_FALSE(first->unique());
    first.reset();
    EXPECT_EQ(deaths, 0);
    EXPECT_TRUE(second->unique());
  }
  EXPECT_EQ(deaths, 1);
}

TEST(IntrusivePtr, DetachAndAdopt_KeepTheReference) {
  int deaths = 0;
  auto owner = make_intrusive<Counted>(&deaths);
  Counted* raw = owner.detach();
  EXPECT_FALSE(owner);
  EXPECT_EQ(deaths, 0);
  auto shared = IntrusivePtr<Counted>::share(raw);
  IntrusivePtr<Counted>::adopt(raw).reset();
  EXPECT_EQ(deaths, 0);
  shared = nullptr;
  EXPECT_EQ(deaths, 1);
}

TEST(IntrusivePtr, AssignedToItself_Survives) {
  int deaths = 0;
  auto owner = make_intrusive<Counted>(&deaths);
  auto& alias = owner;
  owner = alias;
  EXPECT_TRUE(owner);
  EXPECT_EQ(deaths, 0);
}

// The tables of names use a hash's low bits for the slot and its high bits for the tag.
TEST(TextHash, NumberedNames_SpreadOverLowAndHighBits) {
  constexpr size_t kNames = 4096;
  for (const int shift : {0, 32, 48}) {
    std::vector<int> hits(kNames);
    for (size_t i = 0; i < kNames; ++i) {
      ++hits[hash_text(concat("many::operator_", i)) >> shift & (kNames - 1)];
    }
    // If n balls fall into n bins, about 1 - 1/e of the bins have at least one.
    const auto used = std::count_if(hits.begin(), hits.end(), [](int n) { return n != 0; });
    EXPECT_NEAR(static_cast<double>(used) / kNames, 0.632, 0.03) << "shift " << shift;
  }
}

TEST(TextHash, EveryByteCounts) {
  for (size_t size = 0; size < 40; ++size) {
    const std::string text(size, 'a');
    const uint64_t hash = hash_text(text);
    EXPECT_NE(hash, hash_text(text + 'a'));
    for (size_t i = 0; i < size; ++i) {
      std::string other = text;
      other[i] = 'b';
      EXPECT_NE(hash, hash_text(other)) << size << " bytes, another at " << i;
    }
  }
}

TEST(SmallVector, GrowsBeyondInline_KeepsElements) {
  SmallVector<int64_t, 3> values = {1, 2, 3};
  values.push_back(4);
  values.insert(0, 0);
  values.erase(2);
  EXPECT_EQ(values, (SmallVector<int64_t, 3>{0, 1, 3, 4}));
}

TEST(SmallVector, CopyAndMove_AreIndependent) {
  for (const size_t size : {2u, 9u}) {  // inline, on the heap
    SmallVector<int, 4> source(size, 7);
    SmallVector<int, 4> copy = source;
    SmallVector<int, 4> moved = std::move(source);
    copy[0] = 1;
    EXPECT_EQ(moved.size(), size);
    EXPECT_EQ(moved[0], 7);
    EXPECT_TRUE(source.empty());
    source = copy;
    EXPECT_EQ(source[0], 1);
    moved = std::move(copy);
    EXPECT_EQ(moved[0], 1);
  }
}

TEST(SmallVector, PushesItsOwnElement_WhileGrowing) {
  SmallVector<int, 2> values = {5, 6};
  values.push_back(values[0]);
  EXPECT_EQ(values.back(), 5);
}

TEST(CompactVector, HoldsWhatIsPushed_OnePointerWide) {
  static_assert(sizeof(CompactVector<int>) == sizeof(void*));
  CompactVector<int> values;
  EXPECT_TRUE(values.empty());
  EXPECT_EQ(values.begin(), values.end());
  for (int i = 1; i <= 5; ++i) values.push_back(i);
  values.erase_if([](int value) { return value % 2 == 0; });
  EXPECT_EQ(std::vector<int>(values.begin(), values.end()), (std::vector<int>{1, 3, 5}));
  values.push_back(7);
  values.erase_if([](int value) { return value < 7; });
  EXPECT_EQ(std::vector<int>(values.begin(), values.end()), std::vector<int>{7});
  values.erase_if([](int) { return true; });
  EXPECT_TRUE(values.empty());
}

TEST(CompactVector, Moves_LeaveNothingBehind) {
  const std::vector<int> three = {1, 2, 3};
  CompactVector<int> source(three);
  CompactVector<int> moved = std::move(source);
  EXPECT_TRUE(source.empty());
  source = std::move(moved);
  EXPECT_EQ(std::vector<int>(source.begin(), source.end()), three);
  EXPECT_TRUE(CompactVector<int>(std::span<const int>()).empty());
}

TEST(SameText, DiffersAtOnePlace_IsSeenForEverySize) {
  for (size_t size = 0; size <= 40; ++size) {
    const std::string text(size, 'x');
    std::string other = text;
    EXPECT_TRUE(same_text(text.data(), other.data(), size)) << size;
    for (size_t i = 0; i < size; ++i) {
      other[i] = 'y';
      EXPECT_FALSE(same_text(text.data(), other.data(), size)) << size << " at " << i;
      other[i] = 'x';
    }
  }
}

TEST(InternedString, SameText_IsSameAddress) {
  const InternedString a(std::string("vision::blur"));
  const InternedString b("vision::blur");
  EXPECT_EQ(a, b);
  EXPECT_EQ(a.c_str(), b.c_str());
  EXPECT_FALSE(a == InternedString("vision::blu"));
  EXPECT_EQ(InternedString(""), InternedString());
  EXPECT_STREQ(InternedString(std::string_view("abcdef", 3)).c_str(), "abc");
}

TEST(InternedString, ManyThreads_AgreeOnAddresses) {
  std::vector<std::vector<const char*>> seen(4);
  std::vector<std::thread> threads;
  for (auto& mine : seen) {
    threads.emplace_back([&mine] {
      for (int i = 0; i < 2000; ++i) mine.push_back(intern(concat("threads_", i)).data());
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const auto& mine : seen) EXPECT_EQ(mine, seen[0]);
}

TEST(InternedString, LongText_IsKeptWhole) {
  const std::string text(100'000, 'x');
  EXPECT_EQ(intern(text), text);
}

TEST(Concat, MixedParts_AreWrittenInOrder) {
  EXPECT_EQ(concat("a", 1, ' ', int64_t{-2}, " ", 2.5, " ", true, std::string("z")),
            "a1 -2 2.5 truez");
  EXPECT_EQ(concat(std::numeric_limits<int64_t>::min()), "-9223372036854775808");
  EXPECT_EQ(concat(), "");
}

}  // namespace
}  // namespace tenon::base
