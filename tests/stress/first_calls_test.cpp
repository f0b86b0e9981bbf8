// SPDX-License-Identifier: Apache-2.0
// The first lookups and calls of a process, by several threads at once. One of the threads loads
// the plugin with the shipped kernels; no thread may get an error about a missing operator or
// kernel.
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <thread>
#include <vector>

#include "sanitized_fork.h"
#include "stress.h"

namespace tenon::test {
namespace {

constexpr int kThreads = 4;

bool find_and_call(const char* name, int64_t delay) {
  for (int64_t i = 0; i < delay; ++i) asm volatile("");
  const tenon_op* op = nullptr;
  const int64_t sizes[1] = {3};
  tenon_tensor* tensor = nullptr;
  tenon_value result = {};
  bool good = tenon_op_find(name, &op) == TENON_OK &&
              tenon_tensor_new(TENON_DTYPE_F32, nullptr, 1, sizes, nullptr, &tensor) == TENON_OK;
  if (good) {
    tenon_value argument = {};
    argument.tag = TENON_TAG_TENSOR;
    argument.as.tensor = tensor;
    tenon_stack stack = {};
    stack.args = &argument;
    stack.nargs = 1;
    stack.rets = &result;
    stack.nrets = 1;
    good = tenon_op_call_fast(op, &stack) == TENON_OK;
  }
  if (!good) {
    tenon_error* error = tenon_error_take();
    std::fprintf(stderr, "%s: %s\n", name, tenon_error_message(error));
    tenon_error_release(error);
  }
  tenon_value_clear(&result);
  tenon_tensor_release(tensor);
  return good;
}

// Runs in a separate process, because a process loads the plugin only once. Threads start at
// different times, so that some call during the loading and some just after it.
[[noreturn]] void live_as_child(int round) {
  static const char* const kNames[kThreads] = {"aten::neg", "aten::abs", "aten::exp", "aten::neg"};
  alarm(60);
  std::atomic<int> waiting{kThreads};
  std::atomic<bool> good{true};
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, i] {
      waiting.fetch_sub(1);
      while (waiting.load() != 0) std::this_thread::yield();
      if (!find_and_call(kNames[i], int64_t{10'000} * i * (round % 16))) good = false;
    });
  }
  for (std::thread& thread : threads) thread.join();
  _exit(good ? 0 : 1);
}

TEST(FirstCalls, BySeveralThreadsAtOnce_FindOperatorsAndKernels) {
  const auto rounds = static_cast<int>(scaled(64, 2000));
  int failures = 0;
  for (int round = 0; round < rounds; ++round) {
    const pid_t child = fork();
    if (child == 0) live_as_child(round);
    ASSERT_GT(child, 0);
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) ++failures;
  }
  EXPECT_EQ(failures, 0) << "of " << rounds << " processes";
}

std::atomic<bool> loading{false};

// Reports the first operator that the plugin defines, and delays the plugin's loading.
void dawdle(void*, uint32_t event, const tenon_op*) {
  if (event != TENON_EVENT_OP_DEFINED || loading.exchange(true)) return;
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
}

// Runs in a separate process: forks while another thread has loaded a part of the plugin.
[[noreturn]] void fork_while_loading() {
  alarm(60);
  tenon_registration* listening = nullptr;
  bool good = tenon_registry_add_listener(&dawdle, nullptr, nullptr, &listening) == TENON_OK;
  loading.store(false);  // events before this one are not the plugin's
  std::thread first([&] { good = find_and_call("aten::neg", 0) && good; });
  while (!loading.load()) std::this_thread::yield();
  const pid_t child = fork();
  if (child == 0) _exit(find_and_call("aten::exp", 0) && find_and_call("aten::neg", 0) ? 0 : 1);
  first.join();
  int status = -1;
  good = child > 0 && waitpid(child, &status, 0) == child && status == 0 && good;
  tenon_registration_release(listening);
  _exit(good ? 0 : 1);
}

TEST(FirstCalls, ForkWhileThePluginIsLoaded_ChildHasAllOfIt) {
  TENON_SKIP_FORK_BESIDE_THREADS();
  const pid_t child = fork();
  if (child == 0) fork_while_loading();
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace tenon::test
