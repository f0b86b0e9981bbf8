// SPDX-License-Identifier: Apache-2.0
// Eight threads call, register, remove, replace, close, load and unload at random. A live kernel
// must serve every call, no call may be lost or counted twice, and every deleter must run once.
#include <atomic>
#include <chrono>
#include <memory>
#include <random>
#include <thread>

#include "core/dispatch/support.h"
#include "stress.h"

namespace tenon::test {
namespace {

constexpr int kThreads = 8;
constexpr const char* kNamespace = "stress_events";

// Counters shared by the threads. Kernels hold a reference to them through their contexts.
struct Totals {
  std::atomic<int64_t> made{0}, deleted{0};      // kernels
  std::atomic<int64_t> calls{0}, sum_called{0};  // by the callers
  // counted by the kernels, and added when they are deleted
  std::atomic<int64_t> served{0}, sum_served{0};
  std::atomic<int64_t> missing{0};  // calls that met no kernel
  std::atomic<int64_t> wrong{0};
};

// One kernel's own counts, poisoned when it is deleted, so that later calls are detected.
struct Context {
  static constexpr uint32_t kAlive = 0x600dbeef;
  explicit Context(Totals* shared) : totals(shared) { totals->made.fetch_add(1); }
  std::atomic<uint32_t> mark{kAlive};
  std::atomic<int64_t> served{0}, sum{0};
  Totals* totals;
};

void delete_context(void* ctx) {
  auto* context = static_cast<Context*>(ctx);
  if (context->mark.exchange(0xdeadbeef) != Context::kAlive) context->totals->wrong.fetch_add(1);
  context->totals->served.fetch_add(context->served.load());
  context->totals->sum_served.fetch_add(context->sum.load());
  context->totals->deleted.fetch_add(1);
  delete context;
}

// x(int n) -> int: n + 1.
tenon_status add_one(void* ctx, const tenon_op*, tenon_keyset, tenon_stack* stack) {
  auto* context = static_cast<Context*>(ctx);
  if (context->mark.load() != Context::kAlive) context->totals->wrong.fetch_add(1);
  const int64_t n = stack->args[0].as.i;
  context->served.fetch_add(1, std::memory_order_relaxed);
  context->sum.fetch_add(n, std::memory_order_relaxed);
  stack->rets[0] = int_value(n + 1);
  if (context->mark.load() != Context::kAlive) context->totals->wrong.fetch_add(1);
  return TENON_OK;
}

tenon_kernel counted_kernel(Totals* totals) {
  tenon_kernel kernel = kernel_of(&add_one, new Context(totals), "add_one");
  kernel.deleter = &delete_context;
  return kernel;
}

// One thread's libraries and choices.
class Worker {
 public:
  Worker(Totals* totals, const tenon_op* always, const tenon_op* sometimes, uint32_t seed)
      : totals_(totals), always_(always), sometimes_(sometimes), random_(seed) {}
  ~Worker() {
    remove();
    tenon_library_release(library_);
  }

  void run(int64_t events) {
    for (int64_t i = 0; i < events; ++i) step(i);
  }

 private:
  void step(int64_t number);
  void call(const tenon_op* op, bool may_miss);
  void open();
  void add(const char* name);
  void remove();
  void plug(bool load);
  void check(tenon_status status) {
    if (status != TENON_OK) totals_->wrong.fetch_add(1);
    tenon_error_release(tenon_error_take());
  }

  Totals* totals_;
  const tenon_op* always_;
  const tenon_op* sometimes_;
  std::mt19937 random_;
  tenon_library* library_ = nullptr;
  tenon_registration* registration_ = nullptr;
};

void Worker::call(const tenon_op* op, bool may_miss) {
  const auto n = static_cast<int64_t>(random_() % 1000);
  Call one({int_value(n)}, 1);
  const tenon_status status = tenon_op_call_fast(op, one.stack());
  if (status == TENON_OK) {
    if (one.ret().as.i != n + 1) totals_->wrong.fetch_add(1);
    totals_->calls.fetch_add(1, std::memory_order_relaxed);
    totals_->sum_called.fetch_add(n, std::memory_order_relaxed);
  } else {
    if (!may_miss || status != TENON_ERROR_NO_KERNEL) totals_->wrong.fetch_add(1);
    totals_->missing.fetch_add(1, std::memory_order_relaxed);
    tenon_error_release(tenon_error_take());
  }
}

void Worker::open() {
  if (library_ != nullptr) return;
  check(tenon_library_new(TENON_LIBRARY_IMPL, kNamespace, TENON_KEY_NONE, "events", 1, &library_));
}

void Worker::add(const char* name) {
  open();
  remove();
  const tenon_kernel kernel = counted_kernel(totals_);
  check(tenon_library_impl(library_, name, TENON_KEY_COMPOSITE_EXPLICIT_AUTOGRAD, &kernel,
                           &registration_));
}

void Worker::remove() {
  tenon_registration_remove(registration_);
  tenon_registration_release(registration_);
  registration_ = nullptr;
}

// Loads and unloads one plugin from several threads; no thread calls its operators.
void Worker::plug(bool load) {
  tenon_plugin* plugin = nullptr;
  check(tenon_plugin_load(STRESS_PLUGIN, &plugin));
  if (!load && plugin != nullptr) check(tenon_plugin_unload(plugin, 60'000'000'000));
}

void Worker::step(int64_t number) {
  const uint32_t pick = random_() % 100;
  if (pick < 60) {
    call(always_, false);
  } else if (pick < 80) {
    call(sometimes_, true);
  } else if (pick < 86) {
    add("always");
  } else if (pick < 92) {
    add("sometimes");
  } else if (pick < 95) {
    remove();
  } else if (pick < 98) {
    tenon_library_release(library_);
    library_ = nullptr;
    remove();
  } else if (number % 50 == 0) {
    plug(pick == 98);
  } else {
    const tenon_op* op = nullptr;
    check(tenon_op_find("stress_events::always", &op));
    if (op != always_) totals_->wrong.fetch_add(1);
  }
}

TEST(Events, EightThreads_NothingLostNobodyInsideRemovedCode) {
  const int64_t events = scaled(4'000, 1'000'000);
  const LeakCheck nothing_left;
  Totals totals;
  const auto begin = std::chrono::steady_clock::now();
  {
    TestLibrary library(TENON_LIBRARY_FRAGMENT, kNamespace);
    const tenon_op* always = library.define("always(int n) -> int");
    const tenon_op* sometimes = library.define("sometimes(int n) -> int");
    library.impl("always", TENON_KEY_COMPOSITE_EXPLICIT_AUTOGRAD, counted_kernel(&totals));
    std::vector<std::thread> threads;
    for (int i = 0; i < kThreads; ++i) {
      threads.emplace_back([&, i] {
        Worker worker(&totals, always, sometimes, static_cast<uint32_t>(i + 1));
        worker.run(events);
      });
    }
    for (std::thread& thread : threads) thread.join();
    library.close();
    TENON_EXPECT_OK(tenon_library_drain(library.get(), 60'000'000'000));
  }
  tenon_plugin* plugin = nullptr;
  TENON_EXPECT_OK(tenon_plugin_load(STRESS_PLUGIN, &plugin));
  TENON_EXPECT_OK(tenon_plugin_unload(plugin, 60'000'000'000));
  tenon_registry_reap();
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  EXPECT_EQ(totals.wrong, 0);
  EXPECT_EQ(totals.calls, totals.served);
  EXPECT_EQ(totals.sum_called, totals.sum_served);
  EXPECT_EQ(totals.made, totals.deleted);
  EXPECT_GT(totals.calls, events);
  TENON_EXPECT_OK(tenon_introspect_check(nullptr));
  const double count = static_cast<double>(events) * kThreads;
  std::printf("%.0f events by %d threads in %.2f s: %.0f events/s; %lld calls, %lld kernels\n",
              count, kThreads, seconds.count(), count / seconds.count(),
              static_cast<long long>(totals.calls), static_cast<long long>(totals.made));
}

}  // namespace
}  // namespace tenon::test
