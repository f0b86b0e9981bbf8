// SPDX-License-Identifier: Apache-2.0
// Infinite recursion on stacks of every size: it must end in an error, and the thread must stay
// usable.
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>

#include "core/dispatch/support.h"
#include "stress.h"

namespace tenon::test {
namespace {

struct RecursionState {
  const tenon_op* op = nullptr;
  tenon_tensor* tensor = nullptr;
  size_t frame_size = 0;  // what each kernel takes of the stack, besides its own needs
  bool typed = false;
  int depth = 0;
  tenon_status status = TENON_OK;
  std::string error;
};

tenon_status call_boxed(const RecursionState& state) {
  tenon_value arg{};
  arg.tag = TENON_TAG_TENSOR;
  arg.as.tensor = state.tensor;
  tenon_stack stack{&arg, nullptr, 1, 0, nullptr, {}};
  return tenon_op_call_fast(state.op, &stack);
}

tenon_status call_typed(const RecursionState& state) {
  tenon_frame frame;
  const tenon_entry* entry = tenon_frame_begin1(state.op, state.tensor, &frame);
  if (entry == nullptr) return tenon_error_code(tenon_error_peek());
  tenon_value arg{};
  arg.tag = TENON_TAG_TENSOR;
  arg.as.tensor = state.tensor;
  tenon_stack stack{&arg, nullptr, 1, 0, nullptr, {}};
  return tenon_frame_end(&frame, tenon_frame_call(&frame, &stack));
}

tenon_status call_itself(void* ctx, const tenon_op*, tenon_keyset, tenon_stack*) {
  auto* state = static_cast<RecursionState*>(ctx);
  ++state->depth;
  auto* room = static_cast<volatile char*>(__builtin_alloca(state->frame_size + 1));
  room[0] = 1;
  room[state->frame_size] = 1;
  return state->typed ? call_typed(*state) : call_boxed(*state);
}

void* run(void* given) {
  auto* state = static_cast<RecursionState*>(given);
  state->status = call_boxed(*state);
  state->error = take_error();
  return nullptr;
}

// Runs a recursion on a thread with a stack of this size above a guard page.
void run_on_stack(RecursionState* state, size_t size) {
  const auto guard = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  void* memory = mmap(nullptr, guard + size, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  ASSERT_EQ(mprotect(memory, guard, PROT_NONE), 0);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  ASSERT_EQ(pthread_attr_setstack(&attributes, static_cast<char*>(memory) + guard, size), 0);
  pthread_t thread;
  ASSERT_EQ(pthread_create(&thread, &attributes, &run, state), 0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
  munmap(memory, guard + size);
}

// Protects a page of the calling thread's stack, `distance` bytes further down.
[[gnu::noinline]] bool guard_stack_below(size_t distance) {
  constexpr size_t kPage = 4096;
  auto* room = static_cast<volatile char*>(__builtin_alloca(distance));
  for (size_t at = distance; at >= kPage; at -= kPage) room[at - kPage] = 1;  // it grows in order
  const uintptr_t page = (reinterpret_cast<uintptr_t>(room) + kPage) & ~(kPage - 1);
  return mprotect(reinterpret_cast<void*>(page), kPage, PROT_NONE) == 0;
}

class Recursion : public testing::Test {
 protected:
  Recursion() {
    state_.op = library_.define("self(Tensor a) -> ()");
    state_.tensor = tensor_.get();
    endless_ = library_.keep("self", TENON_KEY_CPU, kernel_of(&call_itself, &state_));
  }
  ~Recursion() override {
    tenon_registration_remove(endless_);
    library_.impl("self", TENON_KEY_CPU, logging_kernel("fine"));
    TENON_EXPECT_OK(call(state_.op, {tensor_value(tensor_)}));
    EXPECT_EQ(take_notes(), "fine");
  }

  LeakCheck nothing_left_;
  TestLibrary library_{TENON_LIBRARY_FRAGMENT, "endless"};
  TestTensor tensor_;
  RecursionState state_;
  tenon_registration* endless_ = nullptr;
};

// At least 16 KiB stay free for the error and for a kernel's own frames.
TEST_F(Recursion, StacksFrom64KiB_EndInAnError) {
#if defined(__SANITIZE_THREAD__)
  constexpr size_t kStacks[] = {1024, 8192};  // TSan uses 900 KiB of each stack
#else
  constexpr size_t kStacks[] = {64, 128, 256, 512, 1024, 8192};
#endif
  const auto least = static_cast<size_t>(sysconf(_SC_THREAD_STACK_MIN)) / 1024;
  for (const bool typed : {false, true}) {
    for (const size_t kib : kStacks) {
      if (kib < least) continue;  // 128 KiB on aarch64
      for (const size_t frame_size : {0, 1000, 4000}) {
        state_.typed = typed;
        state_.depth = 0;
        state_.frame_size = frame_size;
        run_on_stack(&state_, kib * 1024);
        EXPECT_EQ(state_.status, TENON_ERROR_RECURSION) << kib << " KiB";
        EXPECT_NE(state_.error.find("endless::self: nested calls"), std::string::npos);
        EXPECT_GE(state_.depth, 5) << kib << " KiB";
        EXPECT_LE(state_.depth, 4096);
      }
    }
  }
}

TEST_F(Recursion, LargeStack_EndsAt4096NestedCalls) {
  run_on_stack(&state_, size_t{64} << 20);
  EXPECT_EQ(state_.status, TENON_ERROR_RECURSION);
  EXPECT_EQ(state_.depth, 4096);
}

TEST_F(Recursion, MainThread_EndsInAnErrorAgainAndAgain) {
  for (int i = 0; i < 3; ++i) {
    state_.depth = 0;
    state_.frame_size = 16'000;
    run(&state_);
    EXPECT_EQ(state_.status, TENON_ERROR_RECURSION);
    EXPECT_GT(state_.depth, 100);
    EXPECT_LT(state_.depth, 1000);
  }
}

// Protects a page of the main thread's stack as a Java VM does, which leaves it 1 MiB. Runs in a
// fresh process, because once a thread has gone deeper, the known end of its stack is below the
// page.
TEST_F(Recursion, MainThreadWithALaterGuardPage_EndsInAnErrorAboveIt) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto dive_above_guard = [this] {
    if (!guard_stack_below(1 << 20)) return 2;
    state_.frame_size = 16'000;
    run(&state_);
    return state_.status == TENON_ERROR_RECURSION && state_.depth > 20 && state_.depth < 66 ? 0 : 3;
  };
  EXPECT_EXIT(_exit(dive_above_guard()), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace tenon::test
