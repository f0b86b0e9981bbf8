// SPDX-License-Identifier: Apache-2.0
// Finding operators by name: names of every length, and tables that grow during lookups.
#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "dispatch/operator_table.h"
#include "support.h"

namespace tenon::test {
namespace {

const tenon_op* find(const std::string& full_name) {
  const tenon_op* op = nullptr;
  tenon_op_find(full_name.c_str(), &op);
  tenon_error_release(tenon_error_take());
  return op;
}

TEST(OperatorTable, NamesOfEveryLength_AreFoundAndTheirNeighboursAreNot) {
  TestLibrary library(TENON_LIBRARY_FRAGMENT, "lengths");
  std::string name;
  std::vector<const tenon_op*> ops;
  // Short names share a cache line with the data that a call reads; long names continue after it.
  for (size_t length = 1; length <= 130; ++length) {
    name += static_cast<char>('a' + length % 26);
    ops.push_back(library.define((name + "(Tensor a) -> ()").c_str()));
  }
  for (size_t length = 1; length <= 130; ++length) {
    const std::string full = "lengths::" + name.substr(0, length);
    ASSERT_EQ(find(full), ops[length - 1]) << full;
    EXPECT_EQ(tenon_op_name(ops[length - 1]), full);
    std::string other = full;
    for (size_t i = 9; i < full.size(); ++i) {
      other[i] = '_';
      EXPECT_EQ(find(other), nullptr) << other;
      other[i] = full[i];
    }
  }
  EXPECT_EQ(find("lengths::" + name + "x"), nullptr);
}

TEST(OperatorTable, GrowsWhileOthersLook_NothingIsLost) {
  constexpr int kCount = 6000;
  TestLibrary library(TENON_LIBRARY_FRAGMENT, "growing");
  const auto full = [](int i) { return "growing::operator_" + std::to_string(i); };
  std::atomic<int> defined{0};
  std::atomic<int> lost{0};
  std::thread reader([&] {
    for (int i = 0, known = 0; known < kCount; i = (i + 7) % std::max(known, 1)) {
      known = defined.load(std::memory_order_acquire);
      if (i < known && dispatch::OperatorTable::find(full(i)) == nullptr) ++lost;
      if (dispatch::OperatorTable::find("growing::none") != nullptr) ++lost;
    }
  });
  std::vector<const tenon_op*> ops;
  for (int i = 0; i < kCount; ++i) {
    const std::string schema = "operator_" + std::to_string(i) + "(Tensor a) -> ()";
    ops.push_back(library.define(schema.c_str()));
    defined.store(i + 1, std::memory_order_release);
  }
  reader.join();
  EXPECT_EQ(lost.load(), 0);
  for (int i = 0; i < kCount; ++i) ASSERT_EQ(find(full(i)), ops[static_cast<size_t>(i)]) << i;
}

TEST(OperatorTable, RemovedOperator_IsNotFoundAndComesBackAtItsPlace) {
  const tenon_op* first = nullptr;
  {
    TestLibrary library(TENON_LIBRARY_FRAGMENT, "coming");
    first = library.define("back(Tensor a) -> ()");
    EXPECT_EQ(find("coming::back"), first);
  }
  EXPECT_EQ(find("coming::back"), nullptr);
  TestLibrary library(TENON_LIBRARY_FRAGMENT, "coming");
  EXPECT_EQ(library.define("back(Tensor a, int b) -> int"), first);
  EXPECT_EQ(find("coming::back"), first);
}

}  // namespace
}  // namespace tenon::test
