// SPDX-License-Identifier: Apache-2.0
// Calls and removals in a sandbox that refuses membarrier, either from the start of the process or
// from some point on. Each case is a separate process, since a seccomp filter cannot be removed.
#include <linux/filter.h>
#include <linux/membarrier.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <thread>

#include "core/dispatch/support.h"
#include "stress.h"

namespace tenon::test {
namespace {

// Makes membarrier fail with EPERM on all threads of the process.
bool refuse_membarrier() {
  sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_membarrier, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog program = {sizeof filter / sizeof *filter, filter};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program) == 0;
}

struct MarkedContext {
  static constexpr uint32_t kMark = 0x600dbeef;
  std::atomic<uint32_t> mark{kMark};
};
std::atomic<int64_t> alive{0};
std::atomic<int64_t> bad{0};

tenon_kernel alive_kernel() {
  alive.fetch_add(1);
  tenon_kernel kernel = kernel_of(
      [](void* ctx, const tenon_op*, tenon_keyset, tenon_stack*) -> tenon_status {
        if (static_cast<MarkedContext*>(ctx)->mark.load() != MarkedContext::kMark) bad.fetch_add(1);
        return TENON_OK;
      },
      new MarkedContext);
  kernel.deleter = [](void* ctx) {
    static_cast<MarkedContext*>(ctx)->mark.store(0xdeadbeef);
    delete static_cast<MarkedContext*>(ctx);
    alive.fetch_sub(1);
  };
  return kernel;
}

// Replaces kernels while two threads call; `refuse_midway` refuses the barrier after a while.
// Returns 0 on success.
int replace_while_calling(bool refuse_midway) {
  const int64_t rounds = scaled(1'000, 50'000);
  TestLibrary defining(TENON_LIBRARY_FRAGMENT, "sandboxed");
  const tenon_op* op = defining.define("x(Tensor a) -> ()");
  defining.impl("x", TENON_KEY_COMPOSITE_EXPLICIT_AUTOGRAD, alive_kernel());
  std::atomic<bool> stop{false};
  std::atomic<int64_t> calls{0};
  const auto work = [&] {
    TestTensor tensor;
    while (!stop.load(std::memory_order_relaxed)) {
      if (call(op, {tensor_value(tensor)}) != TENON_OK) bad.fetch_add(1);
      calls.fetch_add(1, std::memory_order_relaxed);
    }
  };
  std::thread first(work), second(work);
  while (calls.load() < 100) std::this_thread::yield();
  int failed = 0;
  for (int64_t round = 0; round < rounds; ++round) {
    if (refuse_midway && round == rounds / 4 && !refuse_membarrier()) failed = 2;
    TestLibrary library(TENON_LIBRARY_IMPL, "sandboxed");
    library.impl("x", TENON_KEY_CPU, alive_kernel());
    if (round % 100 == 0) {
      library.close();
      if (tenon_library_drain(library.get(), 60'000'000'000) != TENON_OK) failed = 3;
    }
  }
  stop.store(true);
  first.join();
  second.join();
  defining.close();
  if (tenon_library_drain(defining.get(), 60'000'000'000) != TENON_OK) failed = 4;
  tenon_registry_reap();
  if (syscall(SYS_membarrier, MEMBARRIER_CMD_QUERY, 0, 0) >= 0) failed = 5;  // no filter at all
  if (bad.load() != 0) failed = 6;
  if (alive.load() != 0) failed = 7;
  return failed;
}

// Runs this program again with the action in the environment variable that main() reads.
void run_again(const char* what) {
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    setenv("TENON_SANDBOX", what, 1);
    // The filter survives exec: the new process is restricted from its first instruction.
    if (std::strcmp(what, "from the start") == 0 && !refuse_membarrier()) _exit(1);
    execl("/proc/self/exe", "sandboxed", nullptr);
    _exit(127);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status)) << "signal " << WTERMSIG(status);
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST(Seccomp, RefusedFromTheStart_FencesKeepCallsSafe) { run_again("from the start"); }
TEST(Seccomp, RefusedWhileThreadsCall_FencesTakeOver) { run_again("midway"); }

}  // namespace
}  // namespace tenon::test

int main(int argc, char** argv) {
  if (const char* what = std::getenv("TENON_SANDBOX")) {
    return tenon::test::replace_while_calling(std::strcmp(what, "midway") == 0);
  }
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
