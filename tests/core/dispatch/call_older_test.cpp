// SPDX-License-Identifier: Apache-2.0
// Calls of the replaced kernel from inside the replacing one.
#include <atomic>
#include <thread>
#include <utility>

#include "support.h"

namespace tenon::test {
namespace {

using CallOlder = DispatchTest;

// A kernel that records its name and then calls the kernel that it replaced.
struct Front {
  const char* name;
  tenon_registration* registration = nullptr;
  tenon_keyset keys = 0;
};
tenon_status note_and_call_older(void* ctx, const tenon_op*, tenon_keyset keys,
                                 tenon_stack* stack) {
  auto* self = static_cast<Front*>(ctx);
  notes().push_back(self->name);
  self->keys = keys;
  return tenon_registration_call_older(self->registration, keys, stack);
}

tenon_kernel front(Front* self) { return kernel_of(&note_and_call_older, self, self->name); }

TEST_F(CallOlder, EachReachesTheOneThatItReplaced) {
  TestLibrary library, second, third;
  const tenon_op* op = library.define("layered(Tensor a) -> Tensor");
  library.impl("layered", TENON_KEY_CPU, kernel_of(&return_first, const_cast<char*>("first")));
  Front a{"second"}, b{"third"};
  a.registration = second.keep("layered", TENON_KEY_CPU, front(&a));
  b.registration = third.keep("layered", TENON_KEY_CPU, front(&b));
  TestTensor tensor;
  Call one({tensor_value(tensor)}, 1);
  TENON_EXPECT_OK(tenon_op_call(op, one.stack()));
  EXPECT_EQ(take_notes(), "third second first");
  EXPECT_EQ(one.ret().as.tensor, tensor.get());
  EXPECT_EQ(a.keys, b.keys);
  one.clear();
  second.close();
  TENON_EXPECT_OK(tenon_op_call(op, one.stack()));
  EXPECT_EQ(take_notes(), "third first");
}

TEST_F(CallOlder, ReplacedFallthrough_GoesOnBelow) {
  TestLibrary library;
  const tenon_op* op = library.define("skipping(Tensor a) -> ()");
  library.impl("skipping", TENON_KEY_CPU, logging_kernel("cpu"));
  library.impl("skipping", TENON_KEY_WRAPPER, fallthrough());
  Front a{"front"};
  a.registration = library.keep("skipping", TENON_KEY_WRAPPER, front(&a));
  TestTensor tensor({TENON_KEY_CPU, TENON_KEY_WRAPPER});
  TENON_EXPECT_OK(call(op, {tensor_value(tensor)}));
  EXPECT_EQ(take_notes(), "front cpu");
}

TEST_F(CallOlder, NothingReplacedAndRemovedOnes_AreErrors) {
  TestLibrary library, removed;
  const tenon_op* op = library.define("alone(Tensor a) -> ()");
  Front a{"alone"};
  a.registration = library.keep("alone", TENON_KEY_CPU, front(&a));
  TestTensor tensor;
  TENON_EXPECT_ERROR(
      call(op, {tensor_value(tensor)}), TENON_ERROR_NO_KERNEL,
      "t::alone: CPU must have a kernel that was registered before this one, got none");
  take_notes();
  const tenon_kernel kernel = logging_kernel("gone");
  tenon_registration* gone = nullptr;
  TENON_ASSERT_OK(tenon_library_impl(removed.get(), "alone", TENON_KEY_CPU, &kernel, &gone));
  tenon_registration_remove(gone);
  a.registration = gone;
  TENON_EXPECT_ERROR(call(op, {tensor_value(tensor)}), TENON_ERROR_STATE, "removed");
  tenon_registration_release(gone);
  take_notes();
  tenon_registration* listener = nullptr;
  TENON_ASSERT_OK(tenon_registry_add_listener([](void*, uint32_t, const tenon_op*) {}, nullptr,
                                              nullptr, &listener));
  a.registration = listener;
  TENON_EXPECT_ERROR(call(op, {tensor_value(tensor)}), TENON_ERROR_STATE, "must be of a kernel");
  tenon_registration_remove(listener);
  tenon_registration_release(listener);
  take_notes();
}

TEST_F(CallOlder, ErrorOfTheOlder_ComesHome) {
  TestLibrary library;
  const tenon_op* op = library.define("failing(Tensor a) -> ()");
  library.impl("failing", TENON_KEY_CPU,
               kernel_of([](void*, const tenon_op*, tenon_keyset, tenon_stack*) {
                 return tenon_error_raise(TENON_ERROR_INDEX, "out of rows");
               }));
  Front a{"front"};
  a.registration = library.keep("failing", TENON_KEY_CPU, front(&a));
  TestTensor tensor;
  TENON_EXPECT_ERROR(call(op, {tensor_value(tensor)}), TENON_ERROR_INDEX, "out of rows");
  take_notes();
}

// Registers in front of a kernel that is removed and added again. It is no error here if the older
// kernel is already gone.
std::atomic<tenon_registration*> front_registration{nullptr};
tenon_status call_older_quietly(void*, const tenon_op*, tenon_keyset keys, tenon_stack* stack) {
  const tenon_status status = tenon_registration_call_older(front_registration, keys, stack);
  if (status != TENON_ERROR_STATE) return status;
  tenon_error_release(std::exchange(stack->error, nullptr));
  return TENON_OK;
}
tenon_status count_run(void* ctx, const tenon_op*, tenon_keyset, tenon_stack*) {
  ++*static_cast<std::atomic<int>*>(ctx);
  return TENON_OK;
}

TEST_F(CallOlder, WhileOthersComeAndGo_RunsOnesThatLive) {
  // and until the kernel of every round has run, which takes a few more
  constexpr int kLeastRounds = 2000;
  constexpr int kMostRounds = 200'000;
  static std::atomic<int> freed;
  freed = 0;
  int rounds = 0;
  TestLibrary library;
  const tenon_op* op = library.define("busy(Tensor a) -> ()");
  std::atomic<int> runs{0};
  library.impl("busy", TENON_KEY_CPU, kernel_of(&count_run, &runs));
  std::vector<tenon_registration*> registrations;
  std::atomic<bool> done{false};
  std::thread changing([&] {
    for (; rounds < kLeastRounds || (runs == 0 && rounds < kMostRounds); ++rounds) {
      TestLibrary middle, above;
      tenon_kernel counted = kernel_of(&count_run, new std::atomic<int>(0));
      counted.deleter = [](void* ctx) {
        ++freed;
        delete static_cast<std::atomic<int>*>(ctx);
      };
      middle.impl("busy", TENON_KEY_CPU, counted);
      const tenon_kernel kernel = kernel_of(&call_older_quietly);
      tenon_registration* registration = nullptr;
      TENON_EXPECT_OK(
          tenon_library_impl(above.get(), "busy", TENON_KEY_CPU, &kernel, &registration));
      front_registration = registration;
      registrations.push_back(registration);
      middle.close();
    }
    done = true;
  });
  TestTensor tensor;
  while (front_registration == nullptr) std::this_thread::yield();
  while (!done) TENON_EXPECT_OK(call(op, {tensor_value(tensor)}));
  changing.join();
  for (tenon_registration* registration : registrations) tenon_registration_release(registration);
  tenon_registry_reap();
  EXPECT_EQ(freed, rounds);
  EXPECT_GT(runs, 0);
}

}  // namespace
}  // namespace tenon::test
