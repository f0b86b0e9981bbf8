// SPDX-License-Identifier: Apache-2.0
// Calls and removals on a system that refuses membarrier. A separate program, because the refusal
// is permanent for the process.
#include <atomic>
#include <thread>

#include "base/reclaim.h"
#include "support.h"

namespace tenon::test {
namespace {

struct MarkedContext {
  static constexpr uint32_t kMark = 0x600dbeef;
  std::atomic<uint32_t> mark{kMark};
};
std::atomic<int64_t> alive_count{0};
std::atomic<int64_t> bad{0};

tenon_status use(void* ctx, const tenon_op*, tenon_keyset, tenon_stack*) {
  if (static_cast<MarkedContext*>(ctx)->mark.load() != MarkedContext::kMark) ++bad;
  return TENON_OK;
}
tenon_kernel alive_kernel() {
  ++alive_count;
  tenon_kernel kernel = kernel_of(&use, new MarkedContext);
  kernel.deleter = [](void* ctx) {
    static_cast<MarkedContext*>(ctx)->mark.store(0xdeadbeef);
    delete static_cast<MarkedContext*>(ctx);
    --alive_count;
  };
  return kernel;
}

TEST(Fenced, Stress_ReplaceWhileThreadsCall) {
  TestLibrary defining(TENON_LIBRARY_FRAGMENT, "fenced");
  const tenon_op* op = defining.define("x(Tensor a) -> ()");
  defining.impl("x", TENON_KEY_COMPOSITE_EXPLICIT_AUTOGRAD, alive_kernel());
  std::atomic<bool> stop{false};
  std::atomic<int64_t> calls{0};
  const auto work = [&] {
    TestTensor tensor;
    while (!stop.load(std::memory_order_relaxed)) {
      if (call(op, {tensor_value(tensor)}) != TENON_OK) ++bad;
      calls.fetch_add(1, std::memory_order_relaxed);
    }
  };
  std::thread first(work), second(work);
  // The threads are in the middle of calls when the barrier is refused.
  while (calls.load() < 100) std::this_thread::yield();
  base::refuse_barriers_for_testing();
  for (int round = 0; round < 2000; ++round) {
    TestLibrary library(TENON_LIBRARY_IMPL, "fenced");
    library.impl("x", TENON_KEY_CPU, alive_kernel());
    if (round % 200 == 0) {
      library.close();
      TENON_EXPECT_OK(tenon_library_drain(library.get(), 10'000'000'000));
    }
  }
  stop.store(true);
  first.join();
  second.join();
  defining.close();
  TENON_EXPECT_OK(tenon_library_drain(defining.get(), 10'000'000'000));
  tenon_registry_reap();
  EXPECT_EQ(bad, 0);
  EXPECT_EQ(alive_count, 0);
  TENON_EXPECT_OK(tenon_introspect_check(nullptr));
}

}  // namespace
}  // namespace tenon::test
