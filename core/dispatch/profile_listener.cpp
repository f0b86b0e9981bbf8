// SPDX-License-Identifier: Apache-2.0
#include "dispatch/profile_listener.h"

#include <memory>

#include "base/thread.h"
#include "dispatch/key_set.h"

namespace tenon::dispatch {

namespace {

// A thread's listener. Shared with a running notification, which may set another listener.
struct Listening {
  tenon_profile_listener tell;
  void* ctx;
  tenon_deleter deleter;

  Listening(tenon_profile_listener listener, void* context, tenon_deleter drop) noexcept
      : tell(listener), ctx(context), deleter(drop) {}
  Listening(const Listening&) = delete;
  Listening& operator=(const Listening&) = delete;
  ~Listening() {
    if (deleter != nullptr) deleter(ctx);
  }
};
using ListeningPtr = std::shared_ptr<const Listening>;

ListeningPtr* listening_of(base::ThreadRecord* thread) noexcept {
  return static_cast<ListeningPtr*>(thread->locals[base::kLocalListener]);
}

void clear_listener(base::ThreadRecord* thread) noexcept {
  const std::unique_ptr<ListeningPtr> last(listening_of(thread));
  thread->locals[base::kLocalListener] = nullptr;
}

// RAII: keeps the listener from being called while it runs, also if a forced unwind passes through
// it.
class Silence {
 public:
  explicit Silence(base::ThreadRecord* thread) : thread_(thread) {
    base::request_slow_calls(base::kSlowProfile, false);
  }
  ~Silence() {
    if (listening_of(thread_) != nullptr) base::request_slow_calls(base::kSlowProfile, true);
  }
  Silence(const Silence&) = delete;
  Silence& operator=(const Silence&) = delete;

 private:
  base::ThreadRecord* thread_;
};

}  // namespace

void set_profile_listener(tenon_profile_listener listener, void* ctx, tenon_deleter deleter) {
  struct Given {
    void* ctx;
    tenon_deleter deleter;
    ~Given() {
      if (deleter != nullptr) deleter(ctx);
    }
  } given{ctx, deleter};
  base::ThreadRecord* thread = base::require_thread_record();
  base::add_thread_exit_hook(&clear_listener);
  std::unique_ptr<ListeningPtr> next;
  if (listener != nullptr) {
    auto made = std::make_shared<const Listening>(listener, ctx, nullptr);
    next = std::make_unique<ListeningPtr>(std::move(made));
    const_cast<Listening&>(**next).deleter = std::exchange(given.deleter, nullptr);
  }
  const std::unique_ptr<ListeningPtr> last(listening_of(thread));
  thread->locals[base::kLocalListener] = next.release();
  base::request_slow_calls(base::kSlowProfile, listener != nullptr);
}

void tell_profile_listener(const tenon_op* op, tenon_keyset keys, const Kernel& kernel,
                           bool redispatch, int32_t depth) {
  base::ThreadRecord* thread = base::current_thread();
  if (listening_of(thread) == nullptr) return;
  const ListeningPtr listening = *listening_of(thread);
  tenon_profile_event event{};
  event.op = op;
  event.key = highest_key(keys);
  event.redispatch = redispatch ? 1 : 0;
  event.keys = keys;
  event.depth = depth;
  event.language = kernel.entry.language;
  event.kernel = kernel.name.c_str();
  const Silence silence(thread);
  listening->tell(listening->ctx, &event);
}

}  // namespace tenon::dispatch
