// SPDX-License-Identifier: Apache-2.0
// Tests of the guard that ends each C function.
#include "guard.h"

#include <gtest/gtest.h>
#include <pthread.h>

#include <new>
#include <stdexcept>

#include "base/error.h"
#include "tenon/error.h"

namespace tenon::capi {
namespace {

std::string take_message() {
  tenon_error* error = tenon_error_take();
  std::string message = error != nullptr ? tenon_error_message(error) : "(none)";
  tenon_error_release(error);
  return message;
}

TEST(Guard, Success_LeavesTheSlotAlone) {
  tenon_error_raise(TENON_ERROR_STATE, "older");
  EXPECT_EQ(guarded([] {}), TENON_OK);
  EXPECT_EQ(guarded([] { return tenon_status{TENON_DECLINED}; }), TENON_DECLINED);
  EXPECT_EQ(take_message(), "older");
}

TEST(Guard, TenonError_KeepsItsObject) {
  auto object = base::ErrorPtr::adopt(tenon_error_new(TENON_ERROR_INDEX, nullptr, "deep"));
  EXPECT_EQ(guarded([&] { throw Error(object); }), TENON_ERROR_INDEX);
  EXPECT_EQ(tenon_error_peek(), object.get());
  tenon_error_set(nullptr);
}

TEST(Guard, BadAlloc_IsOutOfMemory) {
  EXPECT_EQ(guarded([] { throw std::bad_alloc(); }), TENON_ERROR_OUT_OF_MEMORY);
  EXPECT_EQ(take_message(), "out of memory");
}

TEST(Guard, OtherExceptions_AreInternal) {
  EXPECT_EQ(guarded([] { throw std::out_of_range("vector"); }), TENON_ERROR_INTERNAL);
  EXPECT_EQ(take_message(), "vector");
  EXPECT_EQ(guarded([]() -> tenon_status { throw 7; }), TENON_ERROR_INTERNAL);
  EXPECT_EQ(take_message(), "an exception of unknown type");
}

struct Witness {
  bool* seen;
  ~Witness() { *seen = true; }
};

TEST(Guard, ForcedUnwind_PassesThrough) {
  static bool unwound = false;
  static bool returned = false;
  pthread_t thread;
  ASSERT_EQ(pthread_create(
                &thread, nullptr,
                [](void*) -> void* {
                  guarded([] {
                    Witness witness{&unwound};
                    pthread_exit(&unwound);
                  });
                  returned = true;  // the guard swallowed the unwind
                  return nullptr;
                },
                nullptr),
            0);
  void* result = nullptr;
  pthread_join(thread, &result);
  EXPECT_EQ(result, &unwound);
  EXPECT_TRUE(unwound);
  EXPECT_FALSE(returned);
}

}  // namespace
}  // namespace tenon::capi
