// SPDX-License-Identifier: Apache-2.0
// Reclamation: frees objects that calls may still use, once no thread's stack of running kernels
// shows them.
#include "base/reclaim.h"

#include <linux/membarrier.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <mutex>
#include <utility>

#include "base/check.h"

namespace tenon::base {

void full_fence() noexcept {
#if defined(__SANITIZE_THREAD__)
  // ThreadSanitizer does not model fences; for it, a common atomic word has the same effect.
  static constinit std::atomic<int> meeting{0};
  meeting.fetch_add(1, std::memory_order_seq_cst);
#else
  std::atomic_thread_fence(std::memory_order_seq_cst);
#endif
}

namespace {

// The objects that one thread is freeing right now; lives on that thread's stack. The thread is
// identified by its pthread_t, not by its record: an exiting thread has lost its record and uses
// the same stand-in as threads that never had one.
struct ActiveFree {
  ActiveFree* next;
  pthread_t thread;
  int64_t thread_id;  // the kernel's number, for messages
  const void* group;  // of the object being freed
  Retired* rest;      // still to be freed
};

int64_t own_thread_id() {
  return has_thread_record() ? current_thread()->thread_id.load(std::memory_order_relaxed)
                             : ::syscall(SYS_gettid);
}

// The content of all threads' stacks, gathered by one scan.
struct StackEntry {
  uintptr_t value;
  uint64_t ack;
};

class StackScan {
 public:
  explicit StackScan(size_t places) noexcept
      : entries_(static_cast<StackEntry*>(std::malloc(places * sizeof(StackEntry)))),
        places_(places) {}
  StackScan(const StackScan&) = delete;
  StackScan& operator=(const StackScan&) = delete;
  ~StackScan() { std::free(entries_); }

  void read_stacks() noexcept;
  bool complete() const noexcept { return complete_; }
  bool in_use(const Retired& retired) const noexcept;

 private:
  void add(uintptr_t value, uint64_t ack) noexcept {
    if (entries_ == nullptr || count_ == places_) {
      complete_ = false;
    } else {
      entries_[count_++] = {value, ack};
    }
  }

  StackEntry* entries_;
  size_t places_;
  size_t count_ = 0;
  bool complete_ = true;
  uint64_t oldest_pick_ = UINT64_MAX;      // smallest ack of a thread that is picking
  uint64_t oldest_unfenced_ = UINT64_MAX;  // smallest ack of another thread that never fenced
};

constinit std::mutex mutex;  // guards the lists below
Retired* later = nullptr;    // from retire_later(), without a barrier so far
int64_t later_count = 0;
Retired* waiting = nullptr;
Retired* pinned = nullptr;  // in use by pins only; ignored by sweeps and pokes
ActiveFree* active = nullptr;
constinit std::atomic<int64_t> waiting_count{0};
constinit std::atomic<int64_t> pinned_count{0};
constinit std::atomic<uint64_t> generation{1};
constinit std::atomic<bool> refused{false};

bool picks(uintptr_t entry) { return (entry & kPicking) != 0; }
uintptr_t address(const void* pointer) { return reinterpret_cast<uintptr_t>(pointer); }

// Return the address that stacks show of a kernel, and its label; NULL for other objects.
const void* kernel_of(const Retired& retired) {
  return retired.is_pinnable ? static_cast<const Pinnable&>(retired).kernel : nullptr;
}
const char* label_of(const Retired& retired) {
  return retired.is_pinnable ? static_cast<const Pinnable&>(retired).label : nullptr;
}

bool entry_blocks(uintptr_t value, uint64_t ack, const Retired& retired) {
  if (!picks(value)) return value != 0 && value == address(kernel_of(retired));
  if (ack >= retired.generation) return false;  // entered after the removal: sees the new snapshot
  return retired.any_owner ||
         (retired.owner != nullptr && value == (address(retired.owner) | kPicking));
}

bool unfenced_blocks(const ThreadRecord* thread, const Retired& retired) {
  return retired.fenced && thread != current_thread() &&
         thread->fenced.load(std::memory_order_acquire) == 0 &&
         thread->ack.load(std::memory_order_acquire) < retired.generation;
}

void StackScan::read_stacks() noexcept {
  for (ThreadRecord* thread = first_thread_record(); thread != nullptr; thread = thread->next) {
    if (thread->in_use.load(std::memory_order_acquire) == 0) continue;
    const uint64_t ack = thread->ack.load(std::memory_order_acquire);
    if (thread != current_thread() && thread->fenced.load(std::memory_order_acquire) == 0) {
      oldest_unfenced_ = std::min(oldest_unfenced_, ack);
    }
    const RunningPlace* top = thread->top.load(std::memory_order_acquire);
    for (const RunningPlace* place = thread->running; place < top; ++place) {
      const uintptr_t value = shown_at(*place, std::memory_order_acquire);
      if (value == 0) continue;
      if (picks(value)) oldest_pick_ = std::min(oldest_pick_, ack);
      add(value, ack);
    }
  }
  std::sort(entries_, entries_ + count_, [](const StackEntry& a, const StackEntry& b) {
    return a.value != b.value ? a.value < b.value : a.ack < b.ack;
  });
}

bool StackScan::in_use(const Retired& retired) const noexcept {
  if (retired.fenced && oldest_unfenced_ < retired.generation) return true;
  if (retired.any_owner && oldest_pick_ < retired.generation) return true;
  // Sorted by value, then ack: the first entry of a value is the one that blocks longest.
  const auto blocks = [&](uintptr_t value) {
    const StackEntry* found =
        std::lower_bound(entries_, entries_ + count_, value,
                         [](const StackEntry& a, uintptr_t b) { return a.value < b; });
    return found != entries_ + count_ && found->value == value &&
           entry_blocks(found->value, found->ack, retired);
  };
  const void* kernel = kernel_of(retired);
  return (kernel != nullptr && blocks(address(kernel))) ||
         (retired.owner != nullptr && blocks(address(retired.owner) | kPicking));
}

size_t count_entries() {
  size_t count = 0;
  for (ThreadRecord* thread = first_thread_record(); thread != nullptr; thread = thread->next) {
    if (thread->in_use.load(std::memory_order_relaxed) == 0) continue;
    count += static_cast<size_t>(thread->top.load(std::memory_order_relaxed) - thread->running);
  }
  return count;
}

// Sends the next call of every thread that may block to the slow path.
void poke_locked() {
  for (ThreadRecord* thread = first_thread_record(); thread != nullptr; thread = thread->next) {
    if (thread->in_use.load(std::memory_order_acquire) == 0) continue;
    const bool runs = thread->top.load(std::memory_order_acquire) != thread->running;
    const bool unfenced = refused.load(std::memory_order_relaxed) &&
                          thread->fenced.load(std::memory_order_relaxed) == 0;
    if (runs || unfenced) thread->limit.store(nullptr, std::memory_order_release);
  }
}

bool call_barrier() {
  return ::syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) == 0;
}

void switch_to_fences() {
  refused.store(true, std::memory_order_seq_cst);
  for (ThreadRecord* thread = first_thread_record(); thread != nullptr; thread = thread->next) {
    thread->limit.store(nullptr, std::memory_order_release);
  }
}

// Orders every other thread's pushes before its snapshot loads. Returns false if that was not
// possible.
bool make_barrier() {
  if (!refused.load(std::memory_order_relaxed)) {
    if (call_barrier()) return true;
    switch_to_fences();  // a sandbox forbids the call, unlike at the start
  }
  full_fence();
  return false;
}

// Makes the barrier for a list of replaced objects, and adds them to the waiting ones.
void add_waiting_locked(Retired* list) {
  const uint64_t now = generation.fetch_add(1, std::memory_order_seq_cst) + 1;
  const bool fenced = !make_barrier();
  int64_t count = 0;
  Retired* last = nullptr;
  for (Retired* retired = list; retired != nullptr; retired = retired->next) {
    retired->generation = now;
    retired->fenced = fenced ? 1 : 0;
    last = retired;
    ++count;
  }
  last->next = waiting;
  waiting = list;
  waiting_count.fetch_add(count, std::memory_order_relaxed);
}

// Returns the objects retired since the last barrier, followed by `list`, which may be empty.
Retired* take_later_locked(Retired* list) {
  if (later == nullptr) return list;
  Retired** end = &later;
  while (*end != nullptr) end = &(*end)->next;
  *end = list;
  later_count = 0;
  return std::exchange(later, nullptr);
}

SpreadPins* spread_pins_of(const Retired& retired) {
  return retired.is_pinnable ? static_cast<const Pinnable&>(retired).spread_pins : nullptr;
}

bool has_pins(const Retired& retired) {
  const SpreadPins* spread = spread_pins_of(retired);
  return retired.is_pinnable &&
         (static_cast<const Pinnable&>(retired).pins.load(std::memory_order_seq_cst) != 0 ||
          (spread != nullptr && spread->sum() != 0));
}

// Moves objects that have lost their last pin from the pinned list to `unused`.
Retired* take_unpinned_locked(Retired* unused) {
  for (Retired** link = &pinned; *link != nullptr;) {
    Retired* retired = *link;
    if (has_pins(*retired)) {
      link = &retired->next;
      continue;
    }
    *link = retired->next;
    retired->next = unused;
    unused = retired;
    pinned_count.fetch_sub(1, std::memory_order_relaxed);
  }
  return unused;
}

// Takes unused objects out of the waiting list.
Retired* take_unused_locked() {
  if (Retired* list = take_later_locked(nullptr)) add_waiting_locked(list);
  if (waiting == nullptr) return nullptr;
  if (refused.load(std::memory_order_relaxed)) full_fence();
  StackScan scan(count_entries() + 64);
  scan.read_stacks();
  if (!scan.complete()) return nullptr;  // memory is short or stacks grew: retry later
  Retired* unused = nullptr;
  Retired** unused_end = &unused;
  bool awaits = false;
  for (Retired** link = &waiting; *link != nullptr;) {
    Retired* retired = *link;
    if (scan.in_use(*retired)) {
      link = &retired->next;
      continue;
    }
    *link = retired->next;
    waiting_count.fetch_sub(1, std::memory_order_relaxed);
    if (has_pins(*retired)) {
      retired->next = pinned;
      pinned = retired;
      pinned_count.fetch_add(1, std::memory_order_seq_cst);
      if (SpreadPins* spread = spread_pins_of(*retired)) {
        spread->await();
        awaits = true;
      }
    } else {
      retired->next = nullptr;
      *unused_end = retired;
      unused_end = &retired->next;
    }
  }
  if (waiting != nullptr) poke_locked();
  // Either the sums below include a concurrent drop, or the dropping thread sees the announcement
  // and computes the sum itself; see the note in spread_pins.h.
  if (awaits) make_barrier();
  return pinned != nullptr ? take_unpinned_locked(unused) : unused;
}

void free_all(std::unique_lock<std::mutex>& lock, Retired* unused) {
  if (unused == nullptr) return;
  ActiveFree mine{active, pthread_self(), own_thread_id(), nullptr, unused};
  active = &mine;
  while (mine.rest != nullptr) {
    Retired* retired = mine.rest;
    mine.rest = retired->next;
    mine.group = retired->group;
    lock.unlock();
    retired->reclaim(retired);  // may run foreign code, which may re-enter
    lock.lock();
  }
  ActiveFree** link = &active;
  while (*link != &mine) link = &(*link)->next;
  *link = mine.next;
}

int64_t now_ns() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

Blocker find_blocker(const Retired& retired) {
  for (ThreadRecord* thread = first_thread_record(); thread != nullptr; thread = thread->next) {
    if (thread->in_use.load(std::memory_order_acquire) == 0) continue;
    const uint64_t ack = thread->ack.load(std::memory_order_acquire);
    const RunningPlace* top = thread->top.load(std::memory_order_acquire);
    bool blocks = unfenced_blocks(thread, retired);
    for (const RunningPlace* place = thread->running; place < top && !blocks; ++place) {
      blocks = entry_blocks(shown_at(*place, std::memory_order_acquire), ack, retired);
    }
    if (blocks)
      return {thread->thread_id.load(std::memory_order_relaxed), label_of(retired), false};
  }
  return {0, label_of(retired), false};
}

enum class Group { kFree, kBusy, kOwn };

Group find_group_locked(const void* group, Blocker* out_blocker) {
  Group state = Group::kFree;
  for (Retired* retired = waiting; retired != nullptr; retired = retired->next) {
    if (retired->group != group) continue;
    *out_blocker = find_blocker(*retired);
    state = Group::kBusy;
    break;
  }
  for (Retired* retired = pinned; retired != nullptr && state == Group::kFree;
       retired = retired->next) {
    if (retired->group != group) continue;
    *out_blocker = {0, label_of(*retired), true};
    state = Group::kBusy;
  }
  for (ActiveFree* work = active; work != nullptr; work = work->next) {
    bool has = work->group == group;
    for (Retired* rest = work->rest; rest != nullptr && !has; rest = rest->next) {
      has = rest->group == group;
    }
    if (!has) continue;
    if (pthread_equal(work->thread, pthread_self()) != 0) return Group::kOwn;
    if (state == Group::kFree) *out_blocker = {work->thread_id, nullptr, false};
    state = Group::kBusy;
  }
  return state;
}

bool has_pick(const ThreadRecord* thread, const RunningPlace* top) {
  for (const RunningPlace* place = thread->running; place < top; ++place) {
    if (picks(shown_at(*place, std::memory_order_relaxed))) return true;
  }
  return false;
}

// Answers a poke and acknowledges removals. Returns true if objects may have become free.
bool answer(ThreadRecord* thread) {
  const RunningPlace* before =
      thread->limit.exchange(resting_limit(thread), std::memory_order_acq_rel);
  bool news = before == nullptr && resting_limit(thread) != nullptr;
  if (refused.load(std::memory_order_acquire) &&
      thread->fenced.load(std::memory_order_relaxed) == 0) {
    full_fence();
    thread->fenced.store(1, std::memory_order_release);
    thread->limit.store(nullptr, std::memory_order_release);
  }
  const uint64_t now = generation.load(std::memory_order_acquire);
  if (thread->ack.load(std::memory_order_relaxed) != now) {
    news = true;
    // A pick that a signal handler has interrupted may hold an older snapshot. A new ack would make
    // it look as if it had begun after the removal.
    if (!has_pick(thread, thread->top.load(std::memory_order_relaxed))) {
      full_fence();
      thread->ack.store(now, std::memory_order_release);
    }
  }
  return news;
}

}  // namespace

EnteredCall enter_slow(const void* owner) noexcept {
  ThreadRecord* thread = own_thread_record();
  if (thread == nullptr) return {nullptr, nullptr};
  if (answer(thread)) reap_if_pending();
  adopt_defaults(thread);
  RunningPlace* top = thread->top.load(std::memory_order_relaxed);
  if (top >= thread->running + kMaxDepth) return {thread, nullptr};
  if (!has_stack_left(thread, stack_pointer())) return {thread, nullptr};
  push_owner(thread, top, owner);
  if (thread->fenced.load(std::memory_order_relaxed) != 0) {
    full_fence();
  }
  return {thread, top};
}

void retire(Retired* list) noexcept {
  if (list == nullptr) return;
  // Makes the thread's record, so that scans include its stack and its fences are set up.
  own_thread_record();
  std::unique_lock lock(mutex);
  add_waiting_locked(take_later_locked(list));
  free_all(lock, take_unused_locked());
}

void retire_later(Retired* list) noexcept {
  constexpr int64_t kMost = 64;
  if (list == nullptr) return;
  own_thread_record();
  std::unique_lock lock(mutex);
  while (list != nullptr) {
    Retired* next = list->next;
    list->next = later;
    later = list;
    list = next;
    ++later_count;
  }
  if (later_count >= kMost) free_all(lock, take_unused_locked());
}

void reap() noexcept {
  std::unique_lock lock(mutex);
  free_all(lock, take_unused_locked());
}

void unpin(Pinnable* held) noexcept {
  // After this, another thread may have freed the object.
  const int64_t before = held->pins.fetch_sub(1, std::memory_order_seq_cst);
  TENON_DCHECK(before > 0);
  if (before != 1) return;
  if (pinned_count.load(std::memory_order_seq_cst) != 0) reap_unpinned();
}

void reap_unpinned() noexcept {
  std::unique_lock lock(mutex);
  free_all(lock, take_unpinned_locked(nullptr));
}

void reap_if_pending() noexcept {
  if (waiting_count.load(std::memory_order_relaxed) != 0) reap();
}

DrainResult drain(const void* group, int64_t timeout_ns, Blocker* out_blocker) noexcept {
  constexpr int64_t kFirstWait = 1'000, kLongestWait = 1'000'000;
  const int64_t start = now_ns();
  int64_t wait = kFirstWait;
  while (true) {
    Group state;
    {
      std::unique_lock lock(mutex);
      free_all(lock, take_unused_locked());
      state = find_group_locked(group, out_blocker);
    }
    if (state == Group::kFree) return DrainResult::kDone;
    if (state == Group::kOwn || in_kernel()) return DrainResult::kInsideKernel;
    if (timeout_ns >= 0) {
      const int64_t left = timeout_ns - (now_ns() - start);
      if (left <= 0) return DrainResult::kTimeout;
      wait = std::min(wait, left);
    }
    const timespec pause{0, wait};
    nanosleep(&pause, nullptr);
    wait = std::min(2 * wait, kLongestWait);
  }
}

void poke_all_threads() noexcept {
  // The lock orders all pokes. A thread that answers a later poke thus also sees what the caller
  // wrote before this one.
  std::lock_guard lock(mutex);
  for (ThreadRecord* thread = first_thread_record(); thread != nullptr; thread = thread->next) {
    thread->limit.store(nullptr, std::memory_order_release);
  }
}

void start_barriers() noexcept {
  if (::syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) != 0 ||
      !call_barrier()) {
    switch_to_fences();
  }
}

void start_thread(ThreadRecord* thread) noexcept {
  thread->ack.store(generation.load(std::memory_order_acquire), std::memory_order_relaxed);
  thread->fenced.store(refused.load(std::memory_order_acquire) ? 1 : 0, std::memory_order_relaxed);
  // An exchange instead of a store: if it overwrites a poke, this thread also sees what the poking
  // thread wrote before.
  thread->limit.exchange(resting_limit(thread), std::memory_order_acq_rel);
}

void lock_for_fork() noexcept { mutex.lock(); }

void unlock_after_fork(bool in_child) noexcept {
  if (in_child) {
    active = nullptr;  // these threads do not exist in the child: what they were freeing leaks
    if (!refused.load(std::memory_order_relaxed)) start_barriers();
  }
  mutex.unlock();
}

void refuse_barriers_for_testing() noexcept { switch_to_fences(); }

}  // namespace tenon::base
