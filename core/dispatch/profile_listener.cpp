// SPDX-License-Identifier: Apache-2.0
#include "dispatch/profile_listener.h"

#include <memory>

#include "base/thread.h"
#include "dispatch/key_set.h"

namespace tenon::dispatch {

namespace {

// A thread's listener. Shared with a running notification, which may set another listener.
struct ListenerState {
  tenon_profile_listener tell;
  void* ctx;
  tenon_deleter deleter;

  ListenerState(tenon_profile_listener listener, void* context, tenon_deleter drop) noexcept
      : tell(listener), ctx(context), deleter(drop) {}
  ListenerState(const ListenerState&) = delete;
  ListenerState& operator=(const ListenerState&) = delete;
  ~ListenerState() {
    if (deleter != nullptr) deleter(ctx);
  }
};
using ListenerStatePtr = std::shared_ptr<const ListenerState>;

ListenerStatePtr* listener_of(base::ThreadRecord* thread) noexcept {
  return static_cast<ListenerStatePtr*>(thread->locals[base::kLocalListener]);
}

void clear_listener(base::ThreadRecord* thread) noexcept {
  const std::unique_ptr<ListenerStatePtr> last(listener_of(thread));
  thread->locals[base::kLocalListener] = nullptr;
}

// RAII: keeps the listener from being called while it runs, also if a forced unwind passes through
// it.
class ListenerPause {
 public:
  explicit ListenerPause(base::ThreadRecord* thread) : thread_(thread) {
    base::request_slow_calls(base::kSlowProfile, false);
  }
  ~ListenerPause() {
    if (listener_of(thread_) != nullptr) base::request_slow_calls(base::kSlowProfile, true);
  }
  ListenerPause(const ListenerPause&) = delete;
  ListenerPause& operator=(const ListenerPause&) = delete;

 private:
  base::ThreadRecord* thread_;
};

}  // namespace

void set_profile_listener(tenon_profile_listener listener, void* ctx, tenon_deleter deleter) {
  struct ContextOwner {
    void* ctx;
    tenon_deleter deleter;
    ~ContextOwner() {
      if (deleter != nullptr) deleter(ctx);
    }
  } given{ctx, deleter};
  base::ThreadRecord* thread = base::require_thread_record();
  base::add_thread_exit_hook(&clear_listener);
  std::unique_ptr<ListenerStatePtr> next;
  if (listener != nullptr) {
    auto made = std::make_shared<const ListenerState>(listener, ctx, nullptr);
    next = std::make_unique<ListenerStatePtr>(std::move(made));
    const_cast<ListenerState&>(**next).deleter = std::exchange(given.deleter, nullptr);
  }
  const std::unique_ptr<ListenerStatePtr> last(listener_of(thread));
  thread->locals[base::kLocalListener] = next.release();
  base::request_slow_calls(base::kSlowProfile, listener != nullptr);
}

void notify_profile_listener(const tenon_op* op, tenon_keyset keys, const Kernel& kernel,
                             bool redispatch, int32_t depth) {
  base::ThreadRecord* thread = base::current_thread();
  if (listener_of(thread) == nullptr) return;
  const ListenerStatePtr listening = *listener_of(thread);
  tenon_profile_event event{};
  event.op = op;
  event.key = highest_key(keys);
  event.redispatch = redispatch ? 1 : 0;
  event.keys = keys;
  event.depth = depth;
  event.language = kernel.entry.language;
  event.kernel = kernel.name.c_str();
  const ListenerPause silence(thread);
  listening->tell(listening->ctx, &event);
}

}  // namespace tenon::dispatch
