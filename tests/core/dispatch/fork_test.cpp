// SPDX-License-Identifier: Apache-2.0
// A child process forked while other threads register and call must keep working.
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "support.h"

namespace tenon::test {
namespace {

// Defines, implements and calls an operator; returns 0 if all of this succeeds.
int use_everything() {
  tenon_library* library = nullptr;
  if (tenon_library_new(TENON_LIBRARY_FRAGMENT, "child", TENON_KEY_NONE, nullptr, 0, &library))
    return 1;
  const tenon_op* op = nullptr;
  if (tenon_library_define(library, "x(Tensor a) -> ()", nullptr, &op)) return 2;
  const tenon_kernel kernel = logging_kernel("child");
  if (tenon_library_impl(library, "x", TENON_KEY_CPU, &kernel, nullptr)) return 3;
  TestTensor tensor;
  if (call(op, {tensor_value(tensor)}) != TENON_OK) return 4;
  tenon_library_close(library);
  if (tenon_library_drain(library, 5'000'000'000) != TENON_OK) return 5;
  tenon_library_release(library);
  return take_notes() == "child" ? 0 : 6;
}

TEST(Fork, ChildOfBusyThreads_RegistersAndCalls) {
  TestLibrary library(TENON_LIBRARY_FRAGMENT, "parent");
  const tenon_op* op = library.define("x(Tensor a) -> ()");
  library.impl("x", TENON_KEY_CPU, logging_kernel("parent"));
  std::atomic<bool> stop{false};
  struct Joined {
    std::thread thread;
    std::atomic<bool>& stop;
    ~Joined() {
      stop.store(true);
      thread.join();
    }
  };
  const Joined caller{std::thread([&] {
                        TestTensor tensor;
                        while (!stop.load()) {
                          call(op, {tensor_value(tensor)});
                          notes().clear();
                        }
                      }),
                      stop};
  const Joined registrar{std::thread([&] {
                           while (!stop.load()) {
                             tenon_registration* registration =
                                 library.keep("y", TENON_KEY_CPU, logging_kernel("y"));
                             tenon_registration_remove(registration);
                           }
                         }),
                         stop};
  for (int i = 0; i < 20; ++i) {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      alarm(20);  // turns a deadlock on an orphaned lock into a signal
      _exit(use_everything());
    }
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFEXITED(status)) << "signal " << WTERMSIG(status);
    EXPECT_EQ(WEXITSTATUS(status), 0);
  }
}

}  // namespace
}  // namespace tenon::test
