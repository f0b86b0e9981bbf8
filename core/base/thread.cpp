// SPDX-License-Identifier: Apache-2.0
// Makes, recycles and lists thread records; hooks for thread exit and fork.
#include "base/thread.h"

#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <mutex>
#include <new>

#include "base/error.h"
#include "base/reclaim.h"

// LeakSanitizer's function; NULL unless the program contains its runtime.
extern "C" [[gnu::weak]] void __lsan_register_root_region(const void* begin, size_t size);

namespace tenon::base {

constinit ThreadRecord no_thread_record;
constinit __thread ThreadRecord* thread_self = &no_thread_record;
constinit LateDefaults late_defaults;

namespace {

struct MappedThreadRecord : ThreadRecord {
  RunningPlace stack_of_running[kMaxDepth];
};

constexpr size_t kMaxExitHooks = 16;

constinit std::atomic<ThreadRecord*> all_records{nullptr};
// Guards the creation of records, exit hooks and late defaults; readers of the list take no lock.
constinit std::mutex records_mutex;
ThreadExitHook exit_hooks[kMaxExitHooks];
constinit std::atomic<size_t> exit_hook_count{0};
pthread_key_t exit_key;
bool exit_key_works = false;
pthread_once_t process_once = PTHREAD_ONCE_INIT;

void reset(ThreadRecord* thread) {
  thread->include = kDefaultInclude;
  thread->nesting = 0;
  thread->exclude = kDefaultExclude;
  thread->follows_tangents = false;
  set_grad_mode(thread, TENON_GRAD_MODE_ON);
  thread->known_defaults = 0;
  thread->slow_requests = 0;
  thread->error = nullptr;
  thread->endings = nullptr;
  std::fill(std::begin(thread->locals), std::end(thread->locals), nullptr);
  thread->top.store(thread->running, std::memory_order_release);
}

void exit_thread(void* argument) {
  auto* thread = static_cast<ThreadRecord*>(argument);
  const size_t count = exit_hook_count.load(std::memory_order_acquire);
  for (size_t i = 0; i < count; ++i) exit_hooks[i](thread);
  // Releasing an error may run foreign code that raises again, hence the second pass.
  for (int i = 0; i < 2; ++i) ErrorPtr::adopt(std::exchange(thread->error, nullptr)).reset();
  thread_self = &no_thread_record;
  reset(thread);
  thread->in_use.store(0, std::memory_order_release);
  reap_if_pending();
}

void before_fork() {
  records_mutex.lock();
  lock_for_fork();
}

void after_fork_in_parent() {
  unlock_after_fork(false);
  records_mutex.unlock();
}

void after_fork_in_child() {
  // The other threads do not exist in the child. Their locals and caches are leaked: releasing them
  // could run foreign code, which must not happen between fork and exec.
  for (ThreadRecord* thread = first_thread_record(); thread != nullptr; thread = thread->next) {
    if (thread == thread_self) {
      thread->thread_id.store(::syscall(SYS_gettid), std::memory_order_relaxed);
    } else {
      reset(thread);
      thread->in_use.store(0, std::memory_order_relaxed);
    }
  }
  unlock_after_fork(true);
  records_mutex.unlock();
}

void start_process() {
  exit_key_works = pthread_key_create(&exit_key, exit_thread) == 0;
  pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
  start_barriers();
}

// Other runtimes put guard pages into the main thread's stack while it runs (a JVM leaves 1 MiB).
// The bounds of that stack are therefore trusted only this far below the current position.
constexpr uint64_t kMainStackStep = 128 << 10;

void find_stack(ThreadRecord* thread) {
  thread->stack_bottom = 0;
  thread->stack_low = 0;
  thread->stack_end = 0;
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return;
  void* low = nullptr;
  size_t size = 0;
  if (pthread_attr_getstack(&attributes, &low, &size) == 0 && size != 0) {
    // The reserve is for the kernel's own frames and for the error that reports the depth.
    const size_t reserve = std::clamp<size_t>(size / 8, 16 << 10, 256 << 10);
    thread->stack_bottom = reinterpret_cast<uint64_t>(low);
    thread->stack_end = thread->stack_bottom + std::min(reserve, size);
    thread->stack_low = thread->stack_end;
    const uint64_t here = stack_pointer();
    if (thread->thread_id.load(std::memory_order_relaxed) == getpid() && here > kMainStackStep) {
      thread->stack_low = std::max(thread->stack_end, here - kMainStackStep);
    }
  }
  pthread_attr_destroy(&attributes);
}

bool has_exit_hook(ThreadExitHook hook) noexcept {
  const size_t count = exit_hook_count.load(std::memory_order_acquire);
  return std::find(exit_hooks, exit_hooks + count, hook) != exit_hooks + count;
}

ThreadRecord* find_free_record() {
  for (ThreadRecord* thread = first_thread_record(); thread != nullptr; thread = thread->next) {
    uint32_t free = 0;
    if (thread->in_use.compare_exchange_strong(free, 1, std::memory_order_acquire)) return thread;
  }
  return nullptr;
}

ThreadRecord* map_record() {
  static_assert(sizeof(MappedThreadRecord) <= kRecordAlignment);
  void* mapping = mmap(nullptr, 2 * kRecordAlignment, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapping == MAP_FAILED) return nullptr;
  // A mapping of twice the size contains an aligned block; the remainder is unmapped.
  const auto start = reinterpret_cast<uintptr_t>(mapping);
  const uintptr_t aligned = (start + kRecordAlignment - 1) & ~(kRecordAlignment - 1);
  if (aligned != start) munmap(mapping, aligned - start);
  const uintptr_t behind = aligned + kRecordAlignment;
  if (behind != start + 2 * kRecordAlignment) {
    munmap(reinterpret_cast<void*>(behind), start + 2 * kRecordAlignment - behind);
  }
  void* memory = reinterpret_cast<void*>(aligned);
  // The leak checker does not scan mapped memory by itself, and would report what `locals` owns.
  // The program may be built with it even if the library is not.
  if (&__lsan_register_root_region != nullptr) {
    __lsan_register_root_region(memory, sizeof(ThreadRecord));
  }
  // Fresh pages are zero, the content of an unused place. They are not touched, so that only the
  // depth that a thread reaches costs memory.
  auto* mapped = static_cast<MappedThreadRecord*>(memory);
  ThreadRecord* thread = new (memory) ThreadRecord;
  thread->running = mapped->stack_of_running;
  thread->top.store(thread->running, std::memory_order_relaxed);
  thread->in_use.store(1, std::memory_order_relaxed);
  thread->next = all_records.load(std::memory_order_relaxed);
  all_records.store(thread, std::memory_order_release);
  return thread;
}

}  // namespace

ThreadRecord* own_thread_record() noexcept {
  if (has_thread_record()) return thread_self;
  pthread_once(&process_once, start_process);
  ThreadRecord* thread;
  {
    std::lock_guard lock(records_mutex);
    thread = find_free_record();
    if (thread == nullptr) thread = map_record();
  }
  if (thread == nullptr) return nullptr;
  thread->thread_id.store(::syscall(SYS_gettid), std::memory_order_relaxed);
  find_stack(thread);
  start_thread(thread);
  adopt_defaults(thread);
  thread_self = thread;
  if (exit_key_works) pthread_setspecific(exit_key, thread);
  check_invariants(*thread);
  return thread;
}

ThreadRecord* make_required_thread_record() {
  ThreadRecord* thread = own_thread_record();
  if (thread == nullptr) throw Error(ErrorPtr::adopt(ErrorObject::out_of_memory()));
  return thread;
}

bool has_stack_left(ThreadRecord* thread, uint64_t here) noexcept {
  if (here < thread->stack_bottom || here >= thread->stack_low) return true;
  if (thread->stack_low == thread->stack_end) return false;
  find_stack(thread);
  return here >= thread->stack_low;
}

ThreadRecord* first_thread_record() noexcept { return all_records.load(std::memory_order_acquire); }

void request_slow_calls(SlowRequest reason, bool wanted) noexcept {
  ThreadRecord* thread = thread_self;
  TENON_DCHECK(has_thread_record());
  thread->slow_requests = wanted ? thread->slow_requests | reason : thread->slow_requests & ~reason;
  // NULL is always valid: the next slow path restores the resting limit.
  thread->limit.exchange(nullptr, std::memory_order_acq_rel);
}

void add_thread_default(uint64_t functionality_bit, bool included) {
  TENON_DCHECK(functionality_bit >> TENON_BACKEND_BITS != 0 &&
               (functionality_bit & (functionality_bit - 1)) == 0);
  // Records are made under this lock: a thread's record is either in the list below, or the thread
  // sees the bits when it starts.
  std::lock_guard lock(records_mutex);
  if ((late_defaults.known.load(std::memory_order_relaxed) & functionality_bit) != 0) return;
  if (included) late_defaults.included.fetch_or(functionality_bit, std::memory_order_relaxed);
  late_defaults.known.fetch_or(functionality_bit, std::memory_order_release);
  poke_all_threads();
}

void adopt_late_defaults(ThreadRecord* thread) noexcept {
  const uint64_t known = late_defaults.known.load(std::memory_order_acquire);
  const uint64_t fresh = known & ~thread->known_defaults;
  const uint64_t included = late_defaults.included.load(std::memory_order_relaxed);
  thread->include |= fresh & included;
  set_exclude(thread, thread->exclude | (fresh & ~included));
  thread->known_defaults = known;
  check_invariants(*thread);
}

void check_invariants([[maybe_unused]] const ThreadRecord& thread) noexcept {
  [[maybe_unused]] const RunningPlace* top = thread.top.load(std::memory_order_relaxed);
  [[maybe_unused]] const RunningPlace* limit = thread.limit.load(std::memory_order_relaxed);
  if (&thread == &no_thread_record) {
    TENON_DCHECK(top == nullptr && limit == nullptr && thread.error == nullptr);
  } else {
    TENON_DCHECK(reinterpret_cast<uintptr_t>(&thread) % kRecordAlignment == 0);
    TENON_DCHECK(record_of(thread.running) == &thread);
    TENON_DCHECK(top >= thread.running && top <= thread.running + kMaxDepth);
    TENON_DCHECK(limit == nullptr || limit == thread.running + kMaxDepth);
    TENON_DCHECK(limit == nullptr || thread.slow_requests == 0);
    TENON_DCHECK(thread.stack_low == 0 || thread.stack_low >= thread.stack_end);
    TENON_DCHECK(thread.stack_end >= thread.stack_bottom);
  }
  TENON_DCHECK(thread.keep ==
               ~(thread.exclude | excluded_by(thread.grad_mode, thread.follows_tangents)));
  TENON_DCHECK(thread.slow_flags == slow_flags_of(thread.grad_mode));
  TENON_DCHECK((thread.known_defaults & ~late_defaults.known.load(std::memory_order_acquire)) == 0);
}

RunningPlace* resting_limit(ThreadRecord* thread) noexcept {
  if (thread->slow_requests != 0 || thread->fenced.load(std::memory_order_relaxed) != 0) {
    return nullptr;
  }
  return thread->running + kMaxDepth;
}

void add_thread_exit_hook(ThreadExitHook hook) {
  if (has_exit_hook(hook)) return;
  std::lock_guard lock(records_mutex);
  if (has_exit_hook(hook)) return;
  const size_t count = exit_hook_count.load(std::memory_order_relaxed);
  if (count == kMaxExitHooks)
    fail(TENON_ERROR_INTERNAL, "thread exit hooks must be at most 16, got one more");
  exit_hooks[count] = hook;
  exit_hook_count.store(count + 1, std::memory_order_release);
}

}  // namespace tenon::base
