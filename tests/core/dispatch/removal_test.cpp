// SPDX-License-Identifier: Apache-2.0
// Removal while kernels run: guarantees of closing, draining and deleters, also under stress.
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "dispatch/call_path.h"
#include "dispatch/kernel.h"
#include "support.h"

namespace tenon::test {
namespace {

using Removal = DispatchTest;
using std::chrono::milliseconds;

// A kernel that blocks until the test opens the gate.
struct Gate {
  std::mutex mutex;
  std::condition_variable changed;
  bool entered = false;
  bool open = false;
  std::atomic<int> deleted{0};

  void wait_until_entered() {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return entered; });
  }
  void let_go() {
    const std::lock_guard lock(mutex);
    open = true;
    changed.notify_all();
  }
};
tenon_status stay(void* ctx, const tenon_op*, tenon_keyset, tenon_stack*) {
  auto* gate = static_cast<Gate*>(ctx);
  std::unique_lock lock(gate->mutex);
  gate->entered = true;
  gate->changed.notify_all();
  gate->changed.wait(lock, [&] { return gate->open; });
  return TENON_OK;
}
tenon_kernel staying(Gate* gate) {
  tenon_kernel kernel = kernel_of(&stay, gate);
  kernel.deleter = [](void* ctx) { ++static_cast<Gate*>(ctx)->deleted; };
  return kernel;
}

TEST_F(Removal, CloseWhileAKernelRuns_TakesEffectAtOnceAndDeletesLater) {
  Gate gate;
  TestTensor tensor;
  TestLibrary defining(TENON_LIBRARY_FRAGMENT, "slow");
  const tenon_op* op = defining.define("stay(Tensor a) -> ()");
  TestLibrary library(TENON_LIBRARY_IMPL, "slow");
  library.impl("stay", TENON_KEY_CPU, staying(&gate));
  std::thread runner([&] { EXPECT_EQ(call(op, {tensor_value(tensor)}), TENON_OK); });
  gate.wait_until_entered();
  library.close();
  TENON_EXPECT_ERROR(call(op, {tensor_value(tensor)}), TENON_ERROR_NO_KERNEL, "got CPU");
  EXPECT_EQ(gate.deleted, 0);
  EXPECT_EQ(tenon_library_drain(library.get(), 20'000'000), TENON_ERROR_BUSY);
  const std::string message = take_error();
  EXPECT_NE(message.find("slow::stay"), std::string::npos) << message;
  EXPECT_NE(message.find("thread "), std::string::npos) << message;
  gate.let_go();
  runner.join();
  TENON_EXPECT_OK(tenon_library_drain(library.get(), -1));
  EXPECT_EQ(gate.deleted, 1);
}

TEST_F(Removal, DrainOfAnOpenLibrary_IsRefused) {
  TestLibrary library;
  TENON_EXPECT_ERROR(tenon_library_drain(library.get(), 0), TENON_ERROR_STATE, "closed");
}

// A kernel that pins itself for later use, as recorded calls do.
struct Keeping {
  dispatch::KernelPin pin;
  std::atomic<int> deleted{0};
};
tenon_status keep_kernel(void* ctx, const tenon_op*, tenon_keyset, tenon_stack*) {
  auto* self = static_cast<Keeping*>(ctx);
  const base::RunningPlace* place = base::current_thread()->top.load() - 1;
  self->pin = dispatch::KernelPin(*dispatch::running_kernel(place));
  return TENON_OK;
}

TEST_F(Removal, PinnedKernel_OutlivesItsLibraryUntilTheLastPin) {
  Keeping self;
  TestLibrary library(TENON_LIBRARY_FRAGMENT, "pinned");
  const tenon_op* op = library.define("kept(Tensor a) -> ()");
  tenon_kernel kernel = kernel_of(&keep_kernel, &self);
  kernel.deleter = [](void* ctx) { ++static_cast<Keeping*>(ctx)->deleted; };
  library.impl("kept", TENON_KEY_CPU, kernel);
  TestTensor tensor;
  TENON_EXPECT_OK(call(op, {tensor_value(tensor)}));
  dispatch::KernelPin other(*self.pin.get());
  library.close();
  tenon_registry_reap();
  EXPECT_EQ(self.deleted, 0);
  EXPECT_EQ(self.pin.get()->entry.ctx, &self);
  EXPECT_EQ(tenon_library_drain(library.get(), 1'000'000), TENON_ERROR_BUSY);
  const std::string message = take_error();
  EXPECT_NE(message.find("got pinned::kept still used by one"), std::string::npos) << message;
  self.pin = {};
  EXPECT_EQ(self.deleted, 0);
  EXPECT_EQ(tenon_library_drain(library.get(), 0), TENON_ERROR_BUSY);
  take_error();
  other = {};
  EXPECT_EQ(self.deleted, 1);
  TENON_EXPECT_OK(tenon_library_drain(library.get(), 0));
}

TEST_F(Removal, PinOfARegisteredKernel_IsNobodysBusiness) {
  Keeping self;
  TestLibrary library(TENON_LIBRARY_FRAGMENT, "pinned");
  const tenon_op* op = library.define("dropped(Tensor a) -> ()");
  tenon_kernel kernel = kernel_of(&keep_kernel, &self);
  kernel.deleter = [](void* ctx) { ++static_cast<Keeping*>(ctx)->deleted; };
  library.impl("dropped", TENON_KEY_CPU, kernel);
  TestTensor tensor;
  TENON_EXPECT_OK(call(op, {tensor_value(tensor)}));
  self.pin = {};
  EXPECT_EQ(self.deleted, 0);
  library.close();
  tenon_registry_reap();
  EXPECT_EQ(self.deleted, 1);
  TENON_EXPECT_OK(tenon_library_drain(library.get(), 0));
}

// The last pins are dropped while other threads remove kernels: each kernel is freed exactly once.
TEST_F(Removal, PinsAndRemovalsAtOnce_FreeEachKernelOnce) {
  constexpr int kRounds = 2000;
  static std::atomic<int> deleted;
  deleted = 0;
  std::mutex mutex;
  std::vector<dispatch::KernelPin> pins;
  std::atomic<bool> done{false};
  std::thread dropping([&] {
    while (true) {
      const bool last = done;
      std::vector<dispatch::KernelPin> taken;
      {
        const std::lock_guard lock(mutex);
        taken.swap(pins);
      }
      if (taken.empty() && last) break;
    }
  });
  TestTensor tensor;
  for (int i = 0; i < kRounds; ++i) {
    TestLibrary library(TENON_LIBRARY_FRAGMENT, "pinned");
    const tenon_op* op = library.define("many(Tensor a) -> ()");
    auto* self = new Keeping;
    tenon_kernel kernel = kernel_of(&keep_kernel, self);
    kernel.deleter = [](void* ctx) {
      ++deleted;
      delete static_cast<Keeping*>(ctx);
    };
    library.impl("many", TENON_KEY_CPU, kernel);
    TENON_EXPECT_OK(call(op, {tensor_value(tensor)}));
    {
      const std::lock_guard lock(mutex);
      pins.push_back(std::move(self->pin));
    }
    library.close();
    if (i % 16 == 0) {
      TENON_EXPECT_OK(tenon_library_drain(library.get(), -1));
    }
  }
  done = true;
  dropping.join();
  tenon_registry_reap();
  EXPECT_EQ(deleted, kRounds);
}

// A kernel that closes its own library and then keeps using its context.
struct SelfClosing {
  tenon_library* library;
  tenon_status drained = TENON_OK;
  std::atomic<int> deleted{0};
  int deleted_while_inside = -1;
};
tenon_status close_own(void* ctx, const tenon_op*, tenon_keyset, tenon_stack*) {
  auto* self = static_cast<SelfClosing*>(ctx);
  tenon_library_close(self->library);
  self->drained = tenon_library_drain(self->library, -1);
  tenon_error_release(tenon_error_take());
  tenon_registry_reap();
  self->deleted_while_inside = self->deleted;
  return TENON_OK;
}

TEST_F(Removal, KernelClosesItsOwnLibrary_ItIsFreedAfterItReturned) {
  SelfClosing self{};
  TestLibrary library(TENON_LIBRARY_FRAGMENT, "selfclose");
  self.library = library.get();
  const tenon_op* op = library.define("close(Tensor a) -> ()");
  tenon_kernel kernel = kernel_of(&close_own, &self);
  kernel.deleter = [](void* ctx) { ++static_cast<SelfClosing*>(ctx)->deleted; };
  library.impl("close", TENON_KEY_CPU, kernel);
  TestTensor tensor;
  TENON_EXPECT_OK(call(op, {tensor_value(tensor)}));
  EXPECT_EQ(self.drained, TENON_ERROR_STATE);
  EXPECT_EQ(self.deleted_while_inside, 0);
  tenon_registry_reap();
  EXPECT_EQ(self.deleted, 1);
}

TEST_F(Removal, ResolvedEntry_LivesUntilItsFrameIsLeft) {
  std::atomic<int> deleted{0};
  TestLibrary library;
  const tenon_op* op = library.define("held(Tensor a) -> ()");
  tenon_kernel kernel = kernel_of(&note_call, &deleted);
  kernel.deleter = [](void* ctx) { ++*static_cast<std::atomic<int>*>(ctx); };
  tenon_registration* registration = library.keep("held", TENON_KEY_CPU, kernel);
  TestTensor tensor;
  tenon_frame frame;
  const tenon_entry* entry = tenon_frame_begin1(op, tensor.get(), &frame);
  ASSERT_NE(entry, nullptr);
  tenon_registration_remove(registration);
  tenon_registry_reap();
  EXPECT_EQ(deleted, 0);
  EXPECT_EQ(entry->ctx, &deleted);
  tenon_frame_end(&frame, TENON_OK);
  tenon_registry_reap();
  EXPECT_EQ(deleted, 1);
}

TEST_F(Removal, DeleterMayRegisterAndCall) {
  struct Context {
    TestLibrary* library;
    const tenon_op* op;
    tenon_tensor* tensor;
    tenon_status called = TENON_ERROR_INTERNAL;
  };
  TestLibrary library;
  TestTensor tensor;
  const tenon_op* op = library.define("other(Tensor a) -> ()");
  library.impl("other", TENON_KEY_CPU, logging_kernel("other"));
  library.define("freed(Tensor a) -> ()");
  Context context{&library, op, tensor.get()};
  tenon_kernel kernel = kernel_of(&note_call, &context);
  kernel.deleter = [](void* given) {
    auto* my = static_cast<Context*>(given);
    my->library->define("from_deleter(Tensor a) -> ()");
    tenon_value value{};
    value.tag = TENON_TAG_TENSOR;
    value.as.tensor = my->tensor;
    my->called = call(my->op, {value});
  };
  tenon_registration_remove(library.keep("freed", TENON_KEY_CPU, kernel));
  EXPECT_EQ(context.called, TENON_OK);
  EXPECT_EQ(take_notes(), "other");
}

TEST_F(Removal, FallbackRemovedWhileItRuns_IsFreedAfterwards) {
  Gate gate;
  TestTensor tensor({TENON_KEY_CPU, TENON_KEY_WRAPPER});
  TestLibrary defining;
  const tenon_op* op = defining.define("wrapped(Tensor a) -> ()");
  FallbackLibrary library;
  library.fallback(TENON_KEY_WRAPPER, staying(&gate));
  std::thread runner([&] { EXPECT_EQ(call(op, {tensor_value(tensor)}), TENON_OK); });
  gate.wait_until_entered();
  library.close();
  EXPECT_EQ(gate.deleted, 0);
  gate.let_go();
  runner.join();
  TENON_EXPECT_OK(tenon_library_drain(library.get(), -1));
  EXPECT_EQ(gate.deleted, 1);
}

// A context that must be alive whenever its kernel runs.
struct MarkedContext {
  std::atomic<uint32_t> mark{kMark};
  static constexpr uint32_t kMark = 0x600dbeef;
};
std::atomic<int64_t> alive_count{0};
std::atomic<int64_t> bad_calls{0};
tenon_status use(void* ctx, const tenon_op*, tenon_keyset, tenon_stack*) {
  if (static_cast<MarkedContext*>(ctx)->mark.load() != MarkedContext::kMark) ++bad_calls;
  return TENON_OK;
}
tenon_kernel alive_kernel() {
  ++alive_count;
  tenon_kernel kernel = kernel_of(&use, new MarkedContext);
  kernel.deleter = [](void* ctx) {
    auto* alive = static_cast<MarkedContext*>(ctx);
    alive->mark.store(0xdeadbeef);
    delete alive;
    --alive_count;
  };
  return kernel;
}

// Items 146 and 147: callers never see a freed kernel or table, and nothing leaks.
TEST_F(Removal, Stress_ReplaceAndCloseWhileThreadsCall) {
  constexpr int kRounds = 3000;
  TestLibrary defining(TENON_LIBRARY_FRAGMENT, "stress");
  const tenon_op* op = defining.define("x(Tensor a, Tensor b) -> ()");
  defining.impl("x", TENON_KEY_COMPOSITE_EXPLICIT_AUTOGRAD, alive_kernel());
  std::atomic<bool> stop{false};
  std::atomic<int64_t> calls{0};
  const auto work = [&] {
    TestTensor a, b;
    Call one({tensor_value(a), tensor_value(b)}, 0);
    while (!stop.load(std::memory_order_relaxed)) {
      if (tenon_op_call_fast(op, one.stack()) != TENON_OK) ++bad_calls;
      tenon_frame frame;
      const tenon_entry* entry = tenon_frame_begin2(op, a.get(), b.get(), &frame);
      if (entry == nullptr) {
        ++bad_calls;
      } else {
        if (static_cast<MarkedContext*>(entry->ctx)->mark.load() != MarkedContext::kMark)
          ++bad_calls;
        tenon_frame_leave(&frame);
      }
      calls.fetch_add(1, std::memory_order_relaxed);
    }
  };
  std::thread first(work), second(work);
  while (calls == 0) std::this_thread::yield();
  for (int round = 0; round < kRounds; ++round) {
    TestLibrary library(TENON_LIBRARY_IMPL, "stress");
    library.impl("x", TENON_KEY_CPU, alive_kernel());
    if (round % 3 == 0) library.impl("x", TENON_KEY_CPU, alive_kernel());
    if (round % 100 == 0) {
      FallbackLibrary fallbacks;
      fallbacks.fallback(TENON_KEY_WRAPPER, alive_kernel());
    }
    if (round % 50 == 0) {
      library.close();
      TENON_EXPECT_OK(tenon_library_drain(library.get(), 10'000'000'000));
    }
  }
  stop.store(true);
  first.join();
  second.join();
  defining.close();
  TENON_EXPECT_OK(tenon_library_drain(defining.get(), -1));
  tenon_registry_reap();
  EXPECT_EQ(bad_calls, 0);
  EXPECT_EQ(alive_count, 0);
  EXPECT_GT(calls, 0);
}

TEST_F(Removal, Stress_TwoKernelsThatCloseLibraries_DoNotWaitForEachOther) {
  TestLibrary defining(TENON_LIBRARY_FRAGMENT, "cross");
  const tenon_op* op = defining.define("x(Tensor a) -> ()");
  defining.impl("x", TENON_KEY_CPU,
                kernel_of([](void*, const tenon_op*, tenon_keyset, tenon_stack*) -> tenon_status {
                  for (int i = 0; i < 20; ++i) {
                    tenon_library* library = nullptr;
                    tenon_library_new(TENON_LIBRARY_IMPL, "cross", TENON_KEY_NONE, nullptr, 0,
                                      &library);
                    const tenon_kernel kernel = alive_kernel();
                    tenon_library_impl(library, "y", TENON_KEY_CPU, &kernel, nullptr);
                    tenon_library_release(library);
                  }
                  return TENON_OK;
                }));
  const auto work = [&] {
    TestTensor tensor;
    for (int i = 0; i < 50; ++i) EXPECT_EQ(call(op, {tensor_value(tensor)}), TENON_OK);
  };
  std::thread first(work), second(work);
  first.join();
  second.join();
  tenon_registry_reap();
  EXPECT_EQ(alive_count, 0);
}

TEST_F(Removal, Stress_DefinitionsComeAndGoWhileThreadsCallAndLookUp) {
  std::atomic<bool> stop{false};
  std::atomic<int64_t> wrong{0};
  TestLibrary keeping(TENON_LIBRARY_FRAGMENT, "blink");
  keeping.impl("x", TENON_KEY_CPU, kernel_of(&return_first));
  const auto work = [&] {
    TestTensor tensor;
    while (!stop.load(std::memory_order_relaxed)) {
      const tenon_op* op = nullptr;
      tenon_status status = tenon_op_find("blink::x", &op);
      if (status == TENON_OK) {
        Call one({tensor_value(tensor)}, 1);
        status = tenon_op_call_fast(op, one.stack());
        const bool right = status == TENON_OK ? one.ret().as.tensor == tensor.get()
                                              : status == TENON_ERROR_NOT_FOUND;
        if (!right) ++wrong;
      } else if (status != TENON_ERROR_NOT_FOUND) {
        ++wrong;
      }
      tenon_error_release(tenon_error_take());
    }
  };
  std::thread first(work), second(work);
  for (int round = 0; round < 1500; ++round) {
    TestLibrary defining(TENON_LIBRARY_FRAGMENT, "blink");
    defining.define("x(Tensor a) -> Tensor");
  }
  stop.store(true);
  first.join();
  second.join();
  EXPECT_EQ(wrong, 0);
}

TEST_F(Removal, Stress_KeysAreDeclaredWhileThreadsCall) {
  TestLibrary library(TENON_LIBRARY_FRAGMENT, "declare");
  const tenon_op* op = library.define("x(Tensor a) -> ()");
  library.impl("x", TENON_KEY_CPU, alive_kernel());
  std::atomic<bool> stop{false};
  const auto work = [&] {
    TestTensor tensor;
    while (!stop.load(std::memory_order_relaxed)) {
      if (call(op, {tensor_value(tensor)}) != TENON_OK) ++bad_calls;
    }
  };
  std::thread first(work), second(work);
  for (const char* name : {"RunA", "RunB", "RunC"}) {
    tenon_key key = 0;
    const tenon_status status =
        tenon_functionality_register(name, "Override", TENON_KEY_FLAG_ABOVE, &key);
    if (status == TENON_ERROR_STATE) {  // other tests of this process used up the numbers
      take_error();
      break;
    }
    ASSERT_EQ(status, TENON_OK) << take_error();
    library.impl("x", key, going_on("new"));
    TestTensor tensor({TENON_KEY_CPU, key});
    TENON_EXPECT_OK(call(op, {tensor_value(tensor)}));
    EXPECT_EQ(take_notes(), std::string("new@") + name);
  }
  stop.store(true);
  first.join();
  second.join();
  EXPECT_EQ(bad_calls, 0);
}

}  // namespace
}  // namespace tenon::test
