// SPDX-License-Identifier: Apache-2.0
// Processes that exit with something alive: threads in kernels, libraries, tensors, errors, guards.
// Each scenario runs repeatedly in a separate process and must exit with its own status.
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "core/dispatch/support.h"
#include "stress.h"

namespace tenon::test {
namespace {

constexpr int kStatus = 42;  // of every scenario

std::atomic<int> running{0};

tenon_status stay_for_ever(void*, const tenon_op*, tenon_keyset, tenon_stack*) {
  running.fetch_add(1);
  while (true) std::this_thread::yield();
}

struct Opened {
  tenon_library* library = nullptr;
  const tenon_op* op = nullptr;
  tenon_tensor* tensor = nullptr;
};

// An operator with a kernel, neither of which is released unless a scenario does it.
Opened open_all(tenon_kernel_fn function = &return_first, tenon_deleter deleter = nullptr) {
  Opened all;
  const int64_t sizes[1] = {2};
  tenon_library_new(TENON_LIBRARY_FRAGMENT, "leaving", TENON_KEY_NONE, nullptr, 0, &all.library);
  tenon_library_define(all.library, "x(Tensor a) -> Tensor", nullptr, &all.op);
  tenon_kernel kernel = kernel_of(function);
  kernel.deleter = deleter;
  tenon_library_impl(all.library, "x", TENON_KEY_CPU, &kernel, nullptr);
  tenon_tensor_new(TENON_DTYPE_F32, nullptr, 1, sizes, nullptr, &all.tensor);
  return all;
}

void call_once(const Opened& all) {
  tenon_value arg{}, ret{};
  arg.tag = TENON_TAG_TENSOR;
  arg.as.tensor = all.tensor;
  tenon_stack stack{&arg, &ret, 1, 1, nullptr, {}};
  tenon_op_call_fast(all.op, &stack);
}

Opened open_and_call() {
  const Opened all = open_all();
  call_once(all);
  return all;
}

void start_stuck_threads(const Opened& all, int count) {
  for (int i = 0; i < count; ++i) std::thread([all] { call_once(all); }).detach();
  while (running.load() < count) std::this_thread::yield();
}

void start_busy_threads(const Opened& all, int count) {
  for (int i = 0; i < count; ++i) {
    std::thread([all] {
      running.fetch_add(1);
      while (true) call_once(all);
    }).detach();
  }
  while (running.load() < count) std::this_thread::yield();
}

void call_at_exit(void (*function)()) { std::atexit(function); }
Opened at_exit_state;

// The action of each process before main() returns.
const struct {
  const char* name;
  void (*run)();
} kScenarios[] = {
    {"NothingUsed", [] {}},
    {"LiveTensor", [] { open_all(); }},
    {"LiveLibrary_Called", [] { open_and_call(); }},
    {"ErrorInTheSlot", [] { tenon_error_raise(TENON_ERROR_RUNTIME, "left"); }},
    {"GuardNotLeft",
     [] {
       tenon_key_guard guard;
       tenon_key_guard_force(~tenon_keyset{0}, 0, &guard);
       open_and_call();
     }},
    {"FrameNotLeft",
     [] {
       const Opened all = open_all();
       tenon_frame frame;
       tenon_frame_begin1(all.op, all.tensor, &frame);
     }},
    {"ClosedButNotReleased", [] { tenon_library_close(open_and_call().library); }},
    {"ReleasedLibrary_LiveTensor", [] { tenon_library_release(open_and_call().library); }},
    {"ThreadsInKernels", [] { start_stuck_threads(open_all(&stay_for_ever), 4); }},
    {"ThreadsInKernelsOfAClosedLibrary",
     [] {
       const Opened all = open_all(&stay_for_ever);
       start_stuck_threads(all, 4);
       tenon_library_close(all.library);
     }},
    {"ThreadsInKernels_DrainTimedOut",
     [] {
       const Opened all = open_all(&stay_for_ever);
       start_stuck_threads(all, 2);
       tenon_library_close(all.library);
       tenon_library_drain(all.library, 1'000'000);
     }},
    {"ThreadsThatCall", [] { start_busy_threads(open_all(), 4); }},
    {"ThreadThatRegisters",
     [] {
       std::thread([] {
         while (true) {
           TestLibrary library(TENON_LIBRARY_FRAGMENT, "registering");
           library.impl("y", TENON_KEY_CPU, kernel_of(&return_first));
           running.fetch_add(1);
         }
       }).detach();
       while (running.load() < 10) std::this_thread::yield();
     }},
    {"ThreadsThatCallAClosedLibrary",
     [] {
       const Opened all = open_all();
       start_busy_threads(all, 2);
       tenon_library_close(all.library);
     }},
    {"CallFromAtExit",
     [] {
       at_exit_state = open_all();
       call_at_exit([] { call_once(at_exit_state); });
     }},
    {"CloseFromAtExit",
     [] {
       at_exit_state = open_and_call();
       call_at_exit([] { tenon_library_release(at_exit_state.library); });
     }},
    {"FirstUseFromAtExit", [] { call_at_exit([] { open_and_call(); }); }},
    {"DeleterThatCallsExit",
     [] {
       const Opened all = open_all(&return_first, [](void*) { std::exit(kStatus); });
       tenon_library_release(all.library);
     }},
    {"KernelThatCallsExit",
     [] {
       call_once(open_all([](void*, const tenon_op*, tenon_keyset, tenon_stack*) -> tenon_status {
         std::exit(kStatus);
       }));
     }},
    {"ThreadInAKernelCallsExit",
     [] {
       const Opened all = open_all([](void*, const tenon_op*, tenon_keyset,
                                      tenon_stack*) -> tenon_status { std::exit(kStatus); });
       std::thread([all] { call_once(all); }).detach();
       while (true) pause();
     }},
    {"QuickExit_ThreadsThatCall",
     [] {
       start_busy_threads(open_all(), 2);
       std::quick_exit(kStatus);
     }},
    {"ChildAfterFork_WithThreadsInTheParent",
     [] {
       const Opened all = open_all();
       start_busy_threads(all, 2);
       const pid_t child = fork();
       if (child == 0) {
         call_once(all);
         tenon_library_release(all.library);
         std::exit(kStatus);
       }
       int status = 0;
       waitpid(child, &status, 0);
       if (!WIFEXITED(status) || WEXITSTATUS(status) != kStatus) _exit(1);
     }},
};

class Exit : public testing::TestWithParam<int> {};

// Runs a scenario in a child process; returns how the child ended if that was wrong, otherwise "".
std::string run(int scenario) {
  const pid_t child = fork();
  if (child < 0) return "no process";
  if (child == 0) {
    setenv("TENON_SCENARIO", std::to_string(scenario).c_str(), 1);
    alarm(60);  // a deadlock ends with a signal
    execl("/proc/self/exe", "leaving", nullptr);
    _exit(127);
  }
  int status = -1;
  if (waitpid(child, &status, 0) != child) return "no status";
  if (!WIFEXITED(status)) return "signal " + std::to_string(WTERMSIG(status));
  return WEXITSTATUS(status) == kStatus ? "" : "status " + std::to_string(WEXITSTATUS(status));
}

// Adds a scenario's counts to the file that TENON_EXIT_RESULTS names.
void record(const char* name, int64_t runs, size_t failures) {
  const char* path = std::getenv("TENON_EXIT_RESULTS");
  if (path == nullptr) return;
  std::ofstream(path, std::ios::app) << "C++\t" << name << '\t' << runs << '\t' << failures << '\n';
}

TEST_P(Exit, EndsWithItsOwnStatus) {
  const int64_t repeats = scaled(2, 20);
  std::vector<std::string> wrong;
  for (int64_t i = 0; i < repeats; ++i) {
    if (std::string end = run(GetParam()); !end.empty()) wrong.push_back(std::move(end));
  }
  record(kScenarios[GetParam()].name, repeats, wrong.size());
  EXPECT_EQ(wrong, std::vector<std::string>{});
}

INSTANTIATE_TEST_SUITE_P(Scenarios, Exit,
                         testing::Range(0, static_cast<int>(std::size(kScenarios))),
                         [](const auto& info) { return kScenarios[info.param].name; });

}  // namespace
}  // namespace tenon::test

int main(int argc, char** argv) {
  if (const char* number = std::getenv("TENON_SCENARIO")) {
    tenon::test::kScenarios[std::atoi(number)].run();
    return tenon::test::kStatus;
  }
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
