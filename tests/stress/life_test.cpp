// SPDX-License-Identifier: Apache-2.0
// Kernels that close libraries: their own and each other's, from many threads; and thousands of
// short-lived threads.
#include <atomic>
#include <chrono>
#include <mutex>
#include <thread>

#include "core/dispatch/support.h"
#include "stress.h"

namespace tenon::test {
namespace {

// A barrier: each thread waits until `count` threads have arrived.
class Rendezvous {
 public:
  explicit Rendezvous(int count) : left_(count) {}
  void wait() {
    left_.fetch_sub(1);
    while (left_.load() > 0) std::this_thread::yield();
  }

 private:
  std::atomic<int> left_;
};

std::atomic<int> deleted{0};

// Context of a kernel that closes its library while two kernels run, and then drains it from
// inside.
struct Closer {
  tenon_library* victim = nullptr;
  Rendezvous* inside = nullptr;
  std::atomic<uint32_t> mark{0x600dbeef};
  tenon_status drained = TENON_OK;
};

tenon_status close_victim(void* ctx, const tenon_op*, tenon_keyset, tenon_stack*) {
  auto* closer = static_cast<Closer*>(ctx);
  closer->inside->wait();
  tenon_library_close(closer->victim);
  closer->drained = tenon_library_drain(closer->victim, 0);
  tenon_error_release(tenon_error_take());
  tenon_registry_reap();
  return closer->mark.load() == 0x600dbeef ? TENON_OK : TENON_ERROR_INTERNAL;
}

tenon_kernel closing(Closer* closer) {
  tenon_kernel kernel = kernel_of(&close_victim, closer, "close_victim");
  kernel.deleter = [](void* ctx) {
    static_cast<Closer*>(ctx)->mark.store(0xdeadbeef);
    deleted.fetch_add(1);
  };
  return kernel;
}

TEST(Life, TwoKernelsCloseEachOthersLibraries_BothReturnAndBothAreFreed) {
  const LeakCheck nothing_left;
  const int64_t rounds = scaled(100, 5'000);
  for (int64_t round = 0; round < rounds; ++round) {
    TestLibrary defining(TENON_LIBRARY_FRAGMENT, "cross_life");
    const tenon_op* first = defining.define("first() -> ()");
    const tenon_op* second = defining.define("second() -> ()");
    TestLibrary one(TENON_LIBRARY_IMPL, "cross_life"), two(TENON_LIBRARY_IMPL, "cross_life");
    Rendezvous inside(2);
    Closer a, b;
    a.victim = two.get();
    b.victim = one.get();
    a.inside = b.inside = &inside;
    const int before = deleted;
    one.impl("first", TENON_KEY_COMPOSITE_EXPLICIT_AUTOGRAD, closing(&a));
    two.impl("second", TENON_KEY_COMPOSITE_EXPLICIT_AUTOGRAD, closing(&b));
    std::thread other([&] { TENON_EXPECT_OK(call(second, {})); });
    TENON_EXPECT_OK(call(first, {}));
    other.join();
    TENON_EXPECT_OK(tenon_library_drain(one.get(), 60'000'000'000));
    TENON_EXPECT_OK(tenon_library_drain(two.get(), 60'000'000'000));
    ASSERT_EQ(deleted, before + 2);
    EXPECT_EQ(call(first, {}), TENON_ERROR_NO_KERNEL);
    tenon_error_release(tenon_error_take());
  }
}

// A chain of kernels: each registers a newer kernel of its operator, for the next call, and closes
// its own library.
struct Chain {
  const tenon_op* op = nullptr;
  std::atomic<int64_t> runs{0}, alive{0}, made{0};
  std::mutex mutex;
  std::vector<tenon_library*> libraries;  // a reference to each that was ever opened
};
struct Link {
  Chain* chain;
  tenon_library* library;
};
void add_link(Chain* chain);

tenon_status replace_itself(void* ctx, const tenon_op*, tenon_keyset, tenon_stack*) {
  const Link link = *static_cast<Link*>(ctx);
  link.chain->runs.fetch_add(1);
  add_link(link.chain);
  tenon_library_close(link.library);
  return static_cast<Link*>(ctx)->chain == link.chain ? TENON_OK : TENON_ERROR_INTERNAL;
}

void add_link(Chain* chain) {
  auto* link = new Link{chain, nullptr};
  EXPECT_EQ(
      tenon_library_new(TENON_LIBRARY_IMPL, "chain", TENON_KEY_NONE, nullptr, 0, &link->library),
      TENON_OK);
  tenon_kernel kernel = kernel_of(&replace_itself, link, "replace_itself");
  kernel.deleter = [](void* given) {
    auto* mine = static_cast<Link*>(given);
    mine->chain->alive.fetch_sub(1);
    tenon_library_release(mine->library);
    mine->chain = nullptr;
    delete mine;
  };
  {
    const std::lock_guard lock(chain->mutex);
    chain->libraries.push_back(tenon_library_retain(link->library));
  }
  chain->alive.fetch_add(1);
  chain->made.fetch_add(1);
  EXPECT_EQ(tenon_library_impl(link->library, "next", TENON_KEY_COMPOSITE_EXPLICIT_AUTOGRAD,
                               &kernel, nullptr),
            TENON_OK)
      << take_error();
}

TEST(Life, KernelsThatReplaceThemselvesInsideTheCall_OnFourThreads) {
  const LeakCheck nothing_left;
  const int64_t rounds = scaled(300, 20'000);
  Chain chain;
  {
    TestLibrary defining(TENON_LIBRARY_FRAGMENT, "chain");
    chain.op = defining.define("next() -> ()");
    add_link(&chain);
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&] {
        for (int64_t round = 0; round < rounds; ++round) TENON_EXPECT_OK(call(chain.op, {}));
      });
    }
    for (std::thread& thread : threads) thread.join();
  }
  EXPECT_EQ(chain.runs, 4 * rounds);
  EXPECT_EQ(chain.made, 4 * rounds + 1);
  // Links that were never the newest kernel were not called, so they are still registered.
  for (tenon_library* library : chain.libraries) {
    tenon_library_close(library);
    tenon_library_release(library);
  }
  tenon_registry_reap();
  EXPECT_EQ(chain.alive, 0);
}

// Each thread has a record, which it returns on exit and the next thread reuses.
TEST(Life, ThousandsOfThreads_ComeCallAndGo) {
  const LeakCheck nothing_left;
  const int64_t count = scaled(1'000, 20'000);
  const auto begin = std::chrono::steady_clock::now();
  TestLibrary library(TENON_LIBRARY_FRAGMENT, "many_threads");
  const tenon_op* op = library.define("x(Tensor a) -> Tensor");
  library.impl("x", TENON_KEY_CPU, kernel_of(&return_first));
  std::atomic<int64_t> good{0};
  std::atomic<bool> stop{false};
  std::thread registrar([&] {
    while (!stop.load()) {
      TestLibrary other(TENON_LIBRARY_IMPL, "many_threads");
      other.impl("x", TENON_KEY_CPU, kernel_of(&return_first));
    }
  });
  for (int64_t started = 0; started < count; started += 20) {
    std::vector<std::thread> threads;
    for (int i = 0; i < 20; ++i) {
      threads.emplace_back([&, i] {
        TestTensor tensor;
        Call one({tensor_value(tensor)}, 1);
        if (i % 4 == 0) {
          TestLibrary own(TENON_LIBRARY_IMPL, "many_threads");
          own.impl("x", TENON_KEY_CPU, kernel_of(&return_first));
        }
        if (tenon_op_call_fast(op, one.stack()) == TENON_OK &&
            one.ret().as.tensor == tensor.get()) {
          good.fetch_add(1);
        }
        // Errors, keys and calls of a thread go with it.
        tenon_frame frame;
        if (i % 5 == 0 && tenon_frame_begin1(op, tensor.get(), &frame) == nullptr)
          good.fetch_sub(1);
        tenon_error_raise(TENON_ERROR_RUNTIME, "left in the slot");
        tenon_key_guard guard;
        tenon_key_guard_include(keys({TENON_KEY_TRACER}), &guard);
      });
    }
    for (std::thread& thread : threads) thread.join();
  }
  stop.store(true);
  registrar.join();
  EXPECT_EQ(good, count);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  std::printf("%lld threads came, called and went in %.2f s: %.0f threads/s\n",
              static_cast<long long>(count), seconds.count(),
              static_cast<double>(count) / seconds.count());
  // A thread that reuses a record finds none of its previous thread's settings.
  std::thread([] {
    EXPECT_EQ(tenon_keyset_included() & keys({TENON_KEY_TRACER}), 0u);
    EXPECT_EQ(tenon_error_peek(), nullptr);
  }).join();
}

TEST(Life, DrainWithTimeout_SaysWhoIsInTheWayAndSucceedsLater) {
  const LeakCheck nothing_left;
  struct Gate {
    std::atomic<bool> entered{false}, open{false};
  } gate;
  TestLibrary library(TENON_LIBRARY_FRAGMENT, "drained");
  const tenon_op* op = library.define("stay() -> ()");
  library.impl("stay", TENON_KEY_COMPOSITE_EXPLICIT_AUTOGRAD,
               kernel_of(
                   [](void* ctx, const tenon_op*, tenon_keyset, tenon_stack*) -> tenon_status {
                     auto* my = static_cast<Gate*>(ctx);
                     my->entered.store(true);
                     while (!my->open.load()) std::this_thread::yield();
                     return TENON_OK;
                   },
                   &gate, "stay"));
  std::thread runner([&] { TENON_EXPECT_OK(call(op, {})); });
  while (!gate.entered.load()) std::this_thread::yield();
  library.close();
  for (const int64_t timeout : {int64_t{0}, int64_t{1}, int64_t{5'000'000}}) {
    const auto begin = std::chrono::steady_clock::now();
    TENON_EXPECT_ERROR(tenon_library_drain(library.get(), timeout), TENON_ERROR_BUSY,
                       "drained::stay");
    EXPECT_GE(std::chrono::steady_clock::now() - begin, std::chrono::nanoseconds(timeout));
  }
  std::thread waiting([&] { TENON_EXPECT_OK(tenon_library_drain(library.get(), -1)); });
  gate.open.store(true);
  waiting.join();
  runner.join();
}

}  // namespace
}  // namespace tenon::test
