// SPDX-License-Identifier: Apache-2.0
// Storms of forks: from many threads at once, while others call, register and load plugins; each
// child does the same and more, and ends in its own way.
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <memory>
#include <thread>

#include "core/dispatch/support.h"
#include "sanitized_fork.h"
#include "stress.h"

namespace tenon::test {
namespace {

constexpr int kForkers = 4;
constexpr int kGood = 42;

tenon_status plus_one(void*, const tenon_op*, tenon_keyset, tenon_stack* stack) {
  stack->rets[0] = int_value(stack->args[0].as.i + 1);
  return TENON_OK;
}

bool good_call(const tenon_op* op, int64_t n) {
  Call one({int_value(n)}, 1);
  return tenon_op_call_fast(op, one.stack()) == TENON_OK && one.ret().as.i == n + 1;
}

bool make_tensor() {
  const int64_t sizes[2] = {3, 5};
  tenon_tensor* tensor = nullptr;
  if (tenon_tensor_new(TENON_DTYPE_F32, nullptr, 2, sizes, nullptr, &tensor) != TENON_OK) {
    return false;
  }
  tenon_tensor_release(tensor);
  return true;
}

// Defines, implements, calls, closes and drains an operator in a given namespace.
bool register_and_call(const char* ns) {
  tenon_library* library = nullptr;
  const tenon_op* op = nullptr;
  if (tenon_library_new(TENON_LIBRARY_FRAGMENT, ns, TENON_KEY_NONE, nullptr, 0, &library)) {
    return false;
  }
  const tenon_kernel kernel = kernel_of(&plus_one);
  const bool good = tenon_library_define(library, "x(int n) -> int", nullptr, &op) == TENON_OK &&
                    tenon_library_impl(library, "x", TENON_KEY_COMPOSITE_EXPLICIT_AUTOGRAD, &kernel,
                                       nullptr) == TENON_OK &&
                    good_call(op, 7);
  tenon_library_close(library);
  const bool drained = tenon_library_drain(library, 20'000'000'000) == TENON_OK;
  tenon_library_release(library);
  return good && drained;
}

bool plug() {
  tenon_plugin* plugin = nullptr;
  return tenon_plugin_load(STRESS_PLUGIN, &plugin) == TENON_OK &&
         tenon_plugin_unload(plugin, 20'000'000'000) == TENON_OK;
}

// Calls plug() in a child. If the parent forked while loading, no thread in the child can finish
// that load, and the error must say so.
bool plug_in_child() {
  if (plug()) return true;
  return take_error().find("must not be loading") != std::string::npos;
}

// Runs the actions that `number` selects, then exits. Never returns.
[[noreturn]] void live_as_child(const tenon_op* op, int number) {
  alarm(60);  // turns a deadlock on an orphaned lock into a signal
  bool good = good_call(op, number) && make_tensor();
  if (number % 2 == 0) good = register_and_call("child") && good;
  if (number % 3 == 0) good = plug_in_child() && good;
  if (number % 5 == 0) {
    std::thread([&] { good = good_call(op, 1) && make_tensor() && good; }).join();
  }
  if (number % 7 == 0) {  // a child of the child
    const pid_t child = fork();
    if (child == 0) _exit(good_call(op, 3) && register_and_call("grandchild") ? kGood : 1);
    int status = -1;
    good = waitpid(child, &status, 0) == child && WEXITSTATUS(status) == kGood && good;
  }
  good = tenon_introspect_check(nullptr) == TENON_OK && good;
  tenon_registry_reap();
  // Handlers of the test program must not run here, those of the library are tested by exit_test.
  _exit(good ? kGood : 1);
}

struct ForkStress {
  const tenon_op* op;
  std::atomic<bool> stop{false};
  std::atomic<int64_t> forks{0}, calls{0}, registrations{0}, plugins{0}, wrong{0};
  std::atomic<int> numbers{0};
};

void fork_often(ForkStress* stress, int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    const int number = stress->numbers.fetch_add(1);
    const pid_t child = fork();
    if (child == 0) live_as_child(stress->op, number);
    int status = -1;
    const bool good = child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) &&
                      WEXITSTATUS(status) == kGood;
    if (!good) stress->wrong.fetch_add(1);
    stress->forks.fetch_add(1);
  }
}

TEST(Forks, FromFourThreads_WhileOthersCallRegisterAndLoadPlugins) {
  TENON_SKIP_FORK_BESIDE_THREADS();
  const int64_t count = scaled(25, 2'500);  // of each thread
  const LeakCheck nothing_left;
  TestLibrary library(TENON_LIBRARY_FRAGMENT, "forks");
  ForkStress stress;
  stress.op = library.define("x(int n) -> int");
  library.impl("x", TENON_KEY_COMPOSITE_EXPLICIT_AUTOGRAD, kernel_of(&plus_one));
  const auto until_stopped = [&stress](std::atomic<int64_t>* counter, auto step) {
    return std::thread([&stress, counter, step] {
      while (!stress.stop.load()) {
        if (!step()) stress.wrong.fetch_add(1);
        counter->fetch_add(1);
      }
    });
  };
  std::array<std::thread, 4> others{
      until_stopped(&stress.calls, [&stress] { return good_call(stress.op, 5) && make_tensor(); }),
      until_stopped(&stress.registrations, [] { return register_and_call("parent_a"); }),
      until_stopped(&stress.registrations, [] { return register_and_call("parent_b"); }),
      until_stopped(&stress.plugins, [] { return plug(); }),
  };
  std::array<std::thread, kForkers> forkers;
  for (std::thread& thread : forkers) thread = std::thread(&fork_often, &stress, count);
  for (std::thread& thread : forkers) thread.join();
  stress.stop.store(true);
  for (std::thread& thread : others) thread.join();
  EXPECT_EQ(stress.wrong, 0);
  EXPECT_EQ(stress.forks, kForkers * count);
  EXPECT_GT(stress.calls, 0);
  EXPECT_GT(stress.registrations, 0);
  EXPECT_GT(stress.plugins, 0);
  std::printf("%lld forks by %d threads beside %lld calls, %lld registrations, %lld plugin loads\n",
              static_cast<long long>(stress.forks), kForkers, static_cast<long long>(stress.calls),
              static_cast<long long>(stress.registrations), static_cast<long long>(stress.plugins));
}

// A deleter of the parent runs outside of all locks, and the child must not run it again.
TEST(Forks, WhileAnUnloadRuns_ChildWorksAndParentGoesOn) {
  struct Gate {
    std::atomic<bool> inside{false}, open{false};
  } gate;
  auto library = std::make_unique<TestLibrary>(TENON_LIBRARY_FRAGMENT, "unloading");
  library->define("y(int n) -> int");
  tenon_kernel kernel = kernel_of(&plus_one, &gate);
  kernel.deleter = [](void* ctx) {
    auto* my = static_cast<Gate*>(ctx);
    my->inside.store(true);
    while (!my->open.load()) std::this_thread::yield();
  };
  library->impl("y", TENON_KEY_COMPOSITE_EXPLICIT_AUTOGRAD, kernel);
  std::thread closing([&] { library.reset(); });
  while (!gate.inside.load()) std::this_thread::yield();
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    alarm(60);
    _exit(register_and_call("unloading") && plug() ? kGood : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, kGood << 8);
  gate.open.store(true);
  closing.join();
}

}  // namespace
}  // namespace tenon::test
