// SPDX-License-Identifier: Apache-2.0
// Keys registered at run time that are included or excluded by default: which threads they affect,
// and how they interact with older guards and captured states. Declarations last for the life of
// the process, so this is a separate program, and each test declares its own keys.
#include <atomic>
#include <functional>
#include <thread>

#include "support.h"

namespace tenon::test {
namespace {

tenon_key declare(const char* name, uint32_t flags, const char* anchor = "Override") {
  tenon_key key = TENON_KEY_NONE;
  EXPECT_EQ(tenon_functionality_register(name, anchor, flags, &key), TENON_OK) << take_error();
  return key;
}

bool included(tenon_key key) { return (tenon_keyset_included() & keys({key})) == keys({key}); }
bool excluded(tenon_key key) { return (tenon_keyset_excluded() & keys({key})) == keys({key}); }

// An operator with a CPU kernel that records "cpu", and a method that returns the records of a
// call.
class Watched {
 public:
  explicit Watched(const char* schema) : op_(library_.define(schema)) {
    const std::string text = schema;
    library_.impl(text.substr(0, text.find('(')).c_str(), TENON_KEY_CPU, logging_kernel("cpu"));
  }
  std::string notes_of_call() const {
    take_notes();
    TestTensor tensor;
    EXPECT_EQ(call(op_, {tensor_value(tensor)}), TENON_OK) << take_error();
    return take_notes();
  }

 private:
  TestLibrary library_;
  const tenon_op* op_;
};

// A thread that has already called an operator, and then runs the test's steps one by one.
class OldThread {
 public:
  explicit OldThread(std::function<void()> first) : steps_{std::move(first)} {
    thread_ = std::thread([this] {
      for (int seen = 0;; seen = done_) {
        while (told_ == seen) std::this_thread::yield();
        if (steps_.empty() || !steps_.back()) return;
        steps_.back()();
        ++done_;
      }
    });
    finish_step();
  }
  ~OldThread() {
    steps_.push_back(nullptr);
    ++told_;
    thread_.join();
  }
  void run(std::function<void()> step) {
    steps_.push_back(std::move(step));
    finish_step();
  }

 private:
  void finish_step() {
    const int target = ++told_;
    while (done_ != target) std::this_thread::yield();
  }
  std::vector<std::function<void()>> steps_;
  std::atomic<int> told_{0};
  std::atomic<int> done_{0};
  std::thread thread_;
};

TEST(ThreadDefault, None_NoThreadHasIt) {
  const tenon_key key = declare("DefaultNone", 0, "Fake");
  EXPECT_FALSE(included(key));
  EXPECT_FALSE(excluded(key));
}

TEST(ThreadDefault, Included_ThreadsOldAndNewCallIt) {
  const Watched op("included(Tensor a) -> ()");
  OldThread old([&] { EXPECT_EQ(op.notes_of_call(), "cpu"); });
  const tenon_key key = declare("Included", TENON_KEY_FLAG_INCLUDED, "TransformFront");
  FallbackLibrary fallbacks;
  fallbacks.fallback(key, going_on("included"));
  const std::string expected = "included@Included cpu";
  EXPECT_EQ(op.notes_of_call(), expected);
  EXPECT_TRUE(included(key));
  old.run([&] {
    EXPECT_EQ(op.notes_of_call(), expected);
    EXPECT_TRUE(included(key));
  });
  std::thread([&] {
    EXPECT_TRUE(included(key)) << "before the thread's first call";
    EXPECT_EQ(op.notes_of_call(), expected);
  }).join();
}

TEST(ThreadDefault, IncludedWithoutFallback_IsSkipped) {
  const Watched op("skipped(Tensor a) -> ()");
  const tenon_key key = declare("Skipped", TENON_KEY_FLAG_INCLUDED, "Tracer");
  EXPECT_EQ(op.notes_of_call(), "cpu");
  {
    FallbackLibrary fallbacks;
    fallbacks.fallback(key, going_on("own"));
    EXPECT_EQ(op.notes_of_call(), "own@Skipped cpu");
  }
  EXPECT_EQ(op.notes_of_call(), "cpu");
  TENON_EXPECT_OK(tenon_introspect_check(nullptr));
}

TEST(ThreadDefault, IncludedPerBackend_GoesToTheTensorsBackend) {
  const Watched op("per_backend(Tensor a) -> ()");
  constexpr uint32_t kFlags = TENON_KEY_FLAG_INCLUDED | TENON_KEY_FLAG_PER_BACKEND;
  declare("Each", kFlags, "BackendSelect");
  EXPECT_EQ(op.notes_of_call(), "cpu");
  tenon_key on_cpu = 0;
  TENON_ASSERT_OK(tenon_key_parse("EachCPU", &on_cpu));
  FallbackLibrary fallbacks;
  fallbacks.fallback(on_cpu, going_on("each"));
  EXPECT_EQ(op.notes_of_call(), "each@EachCPU cpu");
}

TEST(ThreadDefault, Included_GuardTurnsItOff) {
  const Watched op("turned_off(Tensor a) -> ()");
  const tenon_key key = declare("TurnedOff", TENON_KEY_FLAG_INCLUDED, "Fake");
  FallbackLibrary fallbacks;
  fallbacks.fallback(key, going_on("on"));
  tenon_key_guard guard;
  TENON_ASSERT_OK(tenon_key_guard_exclude(keys({key}), &guard));
  EXPECT_EQ(op.notes_of_call(), "cpu");
  tenon_key_guard_leave(&guard);
  EXPECT_EQ(op.notes_of_call(), "on@TurnedOff cpu");
}

TEST(ThreadDefault, Excluded_KeptOutUntilForced) {
  const Watched op("excluded(Tensor a) -> ()");
  OldThread old([&] { EXPECT_EQ(op.notes_of_call(), "cpu"); });
  const tenon_key key = declare("Excluded", TENON_KEY_FLAG_EXCLUDED, "Wrapper");
  FallbackLibrary fallbacks;
  fallbacks.fallback(key, going_on("excluded"));
  const auto expect_excluded = [&] {
    EXPECT_TRUE(excluded(key));
    tenon_key_guard wanted, forced;
    TENON_EXPECT_OK(tenon_key_guard_include(keys({key}), &wanted));
    EXPECT_EQ(op.notes_of_call(), "cpu");
    TENON_EXPECT_OK(tenon_key_guard_force(
        tenon_keyset_included(), tenon_keyset_remove(tenon_keyset_excluded(), key), &forced));
    EXPECT_EQ(op.notes_of_call(), "excluded@Excluded cpu");
    tenon_key_guard_leave(&forced);
    EXPECT_EQ(op.notes_of_call(), "cpu");
    tenon_key_guard_leave(&wanted);
  };
  expect_excluded();
  old.run(expect_excluded);
  std::thread(expect_excluded).join();
}

// The old thread enters the forcing guard without a call in between.
TEST(ThreadDefault, Excluded_ForcedOnAThreadThatHasNotCalledSince_IsOn) {
  const Watched op("forced(Tensor a) -> ()");
  OldThread old([&] { op.notes_of_call(); });
  const tenon_key key = declare("Forced", TENON_KEY_FLAG_EXCLUDED, "Autograd");
  FallbackLibrary fallbacks;
  fallbacks.fallback(key, going_on("forced"));
  old.run([&] {
    tenon_key_guard guard;
    TENON_EXPECT_OK(tenon_key_guard_force(keys({key}), 0, &guard));
    EXPECT_EQ(op.notes_of_call(), "forced@Forced cpu");
    tenon_key_guard_leave(&guard);
    EXPECT_TRUE(excluded(key));
  });
}

TEST(ThreadDefault, GuardsFromBefore_LeaveToTheDefault) {
  const tenon_keyset include = tenon_keyset_included(), exclude = tenon_keyset_excluded();
  tenon_key_guard outer, inner;
  TENON_ASSERT_OK(tenon_key_guard_force(0, 0, &outer));
  TENON_ASSERT_OK(tenon_key_guard_exclude(keys({TENON_KEY_TRACER}), &inner));
  const tenon_key on = declare("GuardedOn", TENON_KEY_FLAG_INCLUDED, "TransformBack");
  const tenon_key off = declare("GuardedOff", TENON_KEY_FLAG_EXCLUDED, "Batched");
  const auto expect_default = [&] {
    EXPECT_TRUE(included(on));
    EXPECT_TRUE(excluded(off));
  };
  expect_default();
  EXPECT_EQ(tenon_keyset_included(), keys({on}));
  tenon_key_guard_leave(&inner);
  expect_default();
  EXPECT_EQ(tenon_keyset_excluded(), keys({off}));
  tenon_key_guard_leave(&outer);
  expect_default();
  EXPECT_EQ(tenon_keyset_included(), include | keys({on}));
  EXPECT_EQ(tenon_keyset_excluded(), exclude | keys({off}));
}

TEST(ThreadDefault, StateFromBefore_EntersWithTheDefault_StateFromAfterAsItWas) {
  tenon_thread_state* before = nullptr;
  TENON_ASSERT_OK(tenon_thread_state_capture(&before));
  const tenon_key key = declare("Carried", TENON_KEY_FLAG_INCLUDED, "Batched");
  tenon_key_guard guard;
  TENON_ASSERT_OK(tenon_key_guard_force(0, 0, &guard));
  tenon_thread_state* after = nullptr;
  TENON_ASSERT_OK(tenon_thread_state_capture(&after));
  tenon_key_guard_leave(&guard);
  std::thread([&] {
    tenon_thread_state* previous = nullptr;
    TENON_ASSERT_OK(tenon_thread_state_enter(before, &previous));
    EXPECT_TRUE(included(key));
    tenon_thread_state_leave(previous);
    TENON_ASSERT_OK(tenon_thread_state_enter(after, &previous));
    EXPECT_FALSE(included(key));
    tenon_thread_state_leave(previous);
    EXPECT_TRUE(included(key));
  }).join();
  tenon_thread_state_release(before);
  tenon_thread_state_release(after);
}

// A kernel that declares a key: its next calls have the key.
TEST(ThreadDefault, DeclaredInsideAKernel_ItsNextCallHasIt) {
  const Watched inner("declared_inner(Tensor a) -> ()");
  TestLibrary library;
  const tenon_op* op = library.define("declared_outer(Tensor a) -> ()");
  FallbackLibrary fallbacks;
  struct Both {
    const Watched& inner;
    FallbackLibrary& fallbacks;
  } both{inner, fallbacks};
  library.impl("declared_outer", TENON_KEY_CPU,
               kernel_of(
                   [](void* ctx, const tenon_op*, tenon_keyset, tenon_stack*) {
                     const auto* parts = static_cast<Both*>(ctx);
                     const tenon_key key = declare("Inside", TENON_KEY_FLAG_INCLUDED, "Autocast");
                     parts->fallbacks.fallback(key, going_on("inside"));
                     EXPECT_EQ(parts->inner.notes_of_call(), "inside@Inside cpu");
                     return TENON_OK;
                   },
                   &both));
  TestTensor tensor;
  TENON_EXPECT_OK(call(op, {tensor_value(tensor)}));
}

TEST(ThreadDefault, OtherDefaultThanBefore_RefusedInWords) {
  declare("Settled", TENON_KEY_FLAG_EXCLUDED | TENON_KEY_FLAG_ABOVE, "Tracer");
  tenon_key key = 0;
  TENON_EXPECT_ERROR(
      tenon_functionality_register("Settled", "Tracer", TENON_KEY_FLAG_ABOVE, &key),
      TENON_ERROR_ALREADY_EXISTS,
      "must agree, the first is above Tracer, excluded by default, got above Tracer");
  TENON_EXPECT_ERROR(tenon_functionality_register("Both", "Autograd", 12, &key),
                     TENON_ERROR_INVALID_ARGUMENT, "got both");
}

// Threads call, enter guards and exit while keys are declared: each call has exactly the keys that
// were declared before it began.
TEST(ThreadDefault, DeclaredWhileThreadsRun_CallsAfterItHaveIt) {
  const Watched op("racing(Tensor a) -> ()");
  std::atomic<uint64_t> declared{0};
  std::atomic<bool> stop{false};
  std::atomic<int64_t> calls{0};
  const auto work = [&] {
    while (!stop) {
      std::thread([&] {
        for (int i = 0; i < 200; ++i) {
          const uint64_t wanted = declared;
          tenon_key_guard guard;
          TENON_EXPECT_OK(tenon_key_guard_include(keys({TENON_KEY_TRACER}), &guard));
          op.notes_of_call();
          EXPECT_EQ(tenon_keyset_included() & wanted, wanted);
          tenon_key_guard_leave(&guard);
          EXPECT_EQ(tenon_keyset_included() & wanted, wanted);
          ++calls;
        }
      }).join();
    }
  };
  std::thread one(work), two(work);
  for (const char* name : {"Racing1", "Racing2", "Racing3"}) {
    const int64_t until = calls + 500;
    while (calls < until) std::this_thread::yield();
    const tenon_key key = declare(name, TENON_KEY_FLAG_INCLUDED | TENON_KEY_FLAG_ABOVE, "Override");
    declared |= keys({key});
  }
  const int64_t until = calls + 500;
  while (calls < until) std::this_thread::yield();
  stop = true;
  one.join();
  two.join();
}

}  // namespace
}  // namespace tenon::test
