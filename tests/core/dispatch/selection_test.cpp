// SPDX-License-Identifier: Apache-2.0
// Selectors of fallbacks: how often they are called, and what they may do during a call.
#include <string>

#include "support.h"

namespace tenon::test {
namespace {

using Selections = DispatchTest;

struct Selection {
  int asked = 0;
};
int32_t select_mutable(void* ctx, const tenon_schema* schema) {
  ++static_cast<Selection*>(ctx)->asked;
  return (tenon_schema_flags(schema) & TENON_SCHEMA_MUTABLE) != 0 ? TENON_SELECT_KERNEL
                                                                  : TENON_SELECT_FALLTHROUGH;
}

TEST_F(Selections, FallbackWithSelect_IsAskedOncePerOperator) {
  TestLibrary defining(TENON_LIBRARY_FRAGMENT, "sel");
  const tenon_op* before = defining.define("before(Tensor(a!) a) -> ()");
  Selection selection;
  FallbackLibrary library;
  tenon_kernel kernel = kernel_of(&note_call, &selection, "selected");
  library.fallback(TENON_KEY_WRAPPER, kernel, &select_mutable);
  const int asked_at_once = selection.asked;
  const tenon_op* pure = defining.define("pure(Tensor a) -> ()");
  const tenon_op* writes = defining.define("writes(Tensor(a!) a) -> ()");
  EXPECT_EQ(selection.asked, asked_at_once + 2);
  EXPECT_EQ(slot(before, TENON_KEY_WRAPPER), "selected");
  EXPECT_EQ(slot(pure, TENON_KEY_WRAPPER), "fall");
  EXPECT_EQ(slot(writes, TENON_KEY_WRAPPER), "selected");
  defining.impl("pure", TENON_KEY_CPU, logging_kernel("cpu"));
  defining.impl("writes", TENON_KEY_CPU, logging_kernel("cpu"));
  EXPECT_EQ(selection.asked, asked_at_once + 2);
}

// A selector that registers and looks up operators each time it is called, and stores the statuses.
struct Registering {
  std::vector<tenon_status> done;
  int number = 0;
};
int32_t select_by_registering(void* ctx, const tenon_schema* schema) {
  auto* self = static_cast<Registering*>(ctx);
  if (std::string_view(tenon_schema_name(schema)).substr(0, 5) != "sel::") {
    return TENON_SELECT_FALLTHROUGH;
  }
  tenon_library* library = nullptr;
  self->done.push_back(
      tenon_library_new(TENON_LIBRARY_DEF, "inside", TENON_KEY_NONE, nullptr, 0, &library));
  const std::string name = "f" + std::to_string(self->number++);
  self->done.push_back(
      tenon_library_define(library, (name + "() -> ()").c_str(), nullptr, nullptr));
  const tenon_op* op = nullptr;
  self->done.push_back(tenon_op_find(("inside::" + name).c_str(), &op));
  tenon_library_release(library);
  return TENON_SELECT_KERNEL;
}

TEST_F(Selections, SelectorThatUsesTheRegistry_MayDoSo) {
  TestLibrary defining(TENON_LIBRARY_FRAGMENT, "sel");
  const tenon_op* before = defining.define("before(Tensor a) -> ()");
  Registering self;
  FallbackLibrary library;
  tenon_kernel kernel = kernel_of(&note_call, &self, "selected");
  library.fallback(TENON_KEY_WRAPPER, kernel, &select_by_registering);
  const tenon_op* after = defining.define("after(Tensor a) -> ()");
  EXPECT_EQ(self.done.size(), 6u);
  for (const tenon_status status : self.done) EXPECT_EQ(status, TENON_OK) << take_error();
  EXPECT_EQ(slot(before, TENON_KEY_WRAPPER), "selected");
  EXPECT_EQ(slot(after, TENON_KEY_WRAPPER), "selected");
}

// Selectors that add and remove selectors while the registry calls them for one operator.
struct Changing {
  tenon_registration* own = nullptr;
  tenon_library* later = nullptr;
  bool deleted = false;
  bool deleted_inside = false;
};
int32_t select_and_go(void* ctx, const tenon_schema*) {
  auto* self = static_cast<Changing*>(ctx);
  if (self->own == nullptr) return TENON_SELECT_KERNEL;
  tenon_registration_remove(self->own);
  tenon_registry_reap();
  self->deleted_inside = self->deleted;
  const tenon_kernel kernel = logging_kernel("later");
  EXPECT_EQ(tenon_library_fallback(
                self->later, TENON_KEY_WRAPPER, &kernel,
                [](void*, const tenon_schema*) { return TENON_SELECT_KERNEL; }, nullptr),
            TENON_OK)
      << take_error();
  return TENON_SELECT_FALLTHROUGH;
}

TEST_F(Selections, SelectorReplacesItsFallback_TheNewOneIsAskedToo) {
  FallbackLibrary library, later;
  Changing self;
  tenon_kernel kernel = kernel_of(&note_call, &self, "going");
  kernel.deleter = [](void* ctx) { static_cast<Changing*>(ctx)->deleted = true; };
  tenon_registration* own = nullptr;
  TENON_ASSERT_OK(
      tenon_library_fallback(library.get(), TENON_KEY_WRAPPER, &kernel, &select_and_go, &own));
  self.later = later.get();
  self.own = own;
  TestLibrary defining(TENON_LIBRARY_FRAGMENT, "sel");
  const tenon_op* op = defining.define("changed(Tensor a) -> ()");
  EXPECT_EQ(slot(op, TENON_KEY_WRAPPER), "later");
  EXPECT_FALSE(self.deleted_inside) << "its context went while it was asked";
  EXPECT_TRUE(self.deleted);
  tenon_registration_release(own);
}

}  // namespace
}  // namespace tenon::test
