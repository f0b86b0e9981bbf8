// SPDX-License-Identifier: Apache-2.0
// Introspection: lists, live counts and the check of dispatch tables. Dumps and slots are tested
// with the features that use them, in tests/core/dispatch.
#include "support.h"

#include "dispatch/registry.h"
#include "dispatch/slot_resolver.h"

namespace tenon::test {
namespace {

TEST(KeyList, HoldsEveryRegisteredKeyLowestFirst) {
  tenon_buffer* buffer = nullptr;
  TENON_ASSERT_OK(tenon_key_list(&buffer));
  const auto* list = static_cast<const tenon_key*>(tenon_buffer_data(buffer));
  const size_t count = static_cast<size_t>(tenon_buffer_size(buffer)) / sizeof(tenon_key);
  std::string names;
  for (size_t i = 0; i < count; ++i) names += std::string(tenon_key_name(list[i])) + " ";
  tenon_buffer_release(buffer);
  EXPECT_EQ(names,
            "CPU CUDA Meta BackendSelect Fake Wrapper TransformBack Functionalize Conjugate "
            "Negative ZeroTensor ADInplaceOrView AutogradCPU AutogradCUDA AutogradMeta Tracer "
            "AutocastCPU AutocastCUDA AutocastMeta Symbolic Batched TransformFront Override ");
}

TEST(OpList, IsSortedAndHoldsDefinedOperatorsOnly) {
  TestLibrary library(TENON_LIBRARY_FRAGMENT, "listed");
  library.define("b() -> ()");
  library.define("a.two() -> ()");
  library.define("a() -> ()");
  library.impl("dangling", TENON_KEY_CPU, logging_kernel("k"));
  tenon_buffer* buffer = nullptr;
  TENON_ASSERT_OK(tenon_introspect_list_ops(&buffer));
  const auto* ops = static_cast<const tenon_op* const*>(tenon_buffer_data(buffer));
  std::string names;
  for (size_t i = 0; i < static_cast<size_t>(tenon_buffer_size(buffer)) / sizeof(*ops); ++i) {
    names += std::string(tenon_op_name(ops[i])) + " ";
  }
  tenon_buffer_release(buffer);
  EXPECT_EQ(names, "listed::a listed::a.two listed::b ");
}

// A table that does not follow from the registrations is reported, with its slot.
TEST(Invariants, Item48_WrongTable_IsNamed) {
  TestLibrary library;
  const tenon_op* op = library.define("checked(Tensor a) -> ()");
  library.impl("checked", TENON_KEY_CPU, logging_kernel("cpu"));
  TENON_EXPECT_OK(tenon_introspect_check(op));
  auto* table = const_cast<dispatch::Snapshot*>(op->snapshot.load());
  const uint32_t slot = dispatch::slot_of_key(TENON_KEY_CPU);
  const int8_t before = table->slots[slot];
  table->slots[slot] = dispatch::kMissing;
  TENON_EXPECT_ERROR(tenon_introspect_check(nullptr), TENON_ERROR_INTERNAL,
                     "t::checked: slot of CPU must have cpu at kernels.cpp:7, got no kernel");
  table->slots[slot] = before;
  TENON_EXPECT_OK(tenon_introspect_check(op));
}

TEST(LiveCounts, EveryKindHasANameAndACount) {
  for (uint32_t kind = 0; kind < tenon_introspect_handle_count(); ++kind) {
    ASSERT_NE(tenon_introspect_handle_name(kind), nullptr);
    EXPECT_GE(tenon_introspect_live_count(kind), 0) << tenon_introspect_handle_name(kind);
  }
  EXPECT_EQ(tenon_introspect_handle_name(tenon_introspect_handle_count()), nullptr);
  EXPECT_EQ(tenon_introspect_live_count(tenon_introspect_handle_count()), -1);
  const int64_t before = tenon_introspect_live_count(TENON_HANDLE_TENSOR);
  {
    TestTensor tensor;
    EXPECT_EQ(tenon_introspect_live_count(TENON_HANDLE_TENSOR), before + 1);
  }
  EXPECT_EQ(tenon_introspect_live_count(TENON_HANDLE_TENSOR), before);
}

}  // namespace
}  // namespace tenon::test
