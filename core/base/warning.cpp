// SPDX-License-Identifier: Apache-2.0
#include "base/warning.h"

#include <atomic>
#include <mutex>
#include <unordered_map>
#include <utility>

#include "base/check.h"
#include "base/error.h"
#include "base/fork.h"
#include "base/intrusive_ptr.h"

namespace tenon::base {

namespace {

// Refcounted, so that a running call keeps its handler alive.
struct Handler final : RefCounted<Handler> {
  Handler(tenon_warning_fn function, void* ctx, tenon_deleter deleter) noexcept
      : function(function), ctx(ctx), deleter(deleter) {}
  static void destroy(Handler* handler) noexcept {
    if (handler->deleter != nullptr) handler->deleter(handler->ctx);
    delete handler;
  }

  const tenon_warning_fn function;
  void* const ctx;
  const tenon_deleter deleter;
};
using HandlerPtr = IntrusivePtr<Handler>;

// The state of a site that has warned, or for which a thread is warning right now.
struct SiteState {
  uint64_t claim;  // number of the thread's claim
  bool told;
  uint32_t fork_generation;  // of the thread that warns
};

// Most processes have no handler: a warning then costs one load.
constinit std::atomic<bool> has_handler{false};

class Warnings {
 public:
  Warnings() { hold_across_fork(mutex_, ForkOrder::kWarnings); }
  static Warnings& get() { return singleton<Warnings, ForkOrder::kWarnings>(); }

  void set_handler(HandlerPtr handler) {
    {
      const std::lock_guard lock(mutex_);
      swap_handler_locked(handler);
    }
    // The previous handler is destroyed here, without the lock: its deleter may call anything.
  }
  void set_default_handler(HandlerPtr handler) {
    // `handler` is destroyed after the lock is released: it is the previous one, or unused.
    const std::lock_guard lock(mutex_);
    if (!is_set_) swap_handler_locked(handler);
  }
  HandlerPtr handler() {
    const std::lock_guard lock(mutex_);
    return handler_;
  }

  // Claims a site for the calling thread, which then warns and calls end_site(). Returns the number
  // of the claim, or 0 if another thread has warned for the site or is doing so.
  uint64_t begin_site(const void* site) {
    const std::lock_guard lock(mutex_);
    const SiteState mine{++last_claim_, false, fork_generation()};
    const auto [found, fresh] = sites_.try_emplace(site, mine);
    if (fresh) return mine.claim;
    // A claim of a thread of the parent process is taken over: that thread does not exist here.
    const SiteState& state = found->second;
    if (state.told || state.fork_generation == fork_generation()) return 0;
    found->second = mine;
    return mine.claim;
  }
  void end_site(const void* site, uint64_t claim, bool told) noexcept {
    const std::lock_guard lock(mutex_);
    const auto found = sites_.find(site);
    // The site was forgotten in the meantime, and possibly claimed again.
    if (found == sites_.end() || found->second.claim != claim) return;
    TENON_DCHECK(!found->second.told);
    if (told) {
      found->second.told = true;
    } else {
      sites_.erase(found);
    }
  }
  void forget_sites() noexcept {
    const std::lock_guard lock(mutex_);
    sites_.clear();
  }

 private:
  void swap_handler_locked(HandlerPtr& handler) noexcept {
    is_set_ = true;
    has_handler.store(handler != nullptr, std::memory_order_release);
    handler_.swap(handler);
  }

  std::mutex mutex_;
  HandlerPtr handler_;
  bool is_set_ = false;  // true once the host or a binding has set a handler, or NULL
  std::unordered_map<const void*, SiteState> sites_;
  uint64_t last_claim_ = 0;
};

// Makes a handler. Returns NULL, with `ctx` deleted, if there is no function; if memory is short,
// deletes `ctx` and throws.
HandlerPtr make_handler(tenon_warning_fn function, void* ctx, tenon_deleter deleter) {
  if (function == nullptr) {
    if (deleter != nullptr) deleter(ctx);
    return {};
  }
  try {
    return HandlerPtr::adopt(new Handler(function, ctx, deleter));
  } catch (...) {
    if (deleter != nullptr) deleter(ctx);
    throw;
  }
}

// Calls the handler, if there is one.
tenon_status tell(const char* category, const char* message, const char* op, bool* out_told) {
  *out_told = false;
  if (!has_warning_handler()) return TENON_OK;
  const HandlerPtr handler = Warnings::get().handler();
  if (handler == nullptr) return TENON_OK;
  const ErrorObject* before = peek_current_error();
  const tenon_status status = handler->function(handler->ctx, category, message, op);
  *out_told = status == TENON_OK;
  if (status == TENON_OK) return status;
  const bool raised = peek_current_error() != before;
  return set_current_error(adopt_current_error("tenon_warning_emit", "handler", status, raised));
}

}  // namespace

void set_warning_handler(tenon_warning_fn handler, void* ctx, tenon_deleter deleter) {
  Warnings::get().set_handler(make_handler(handler, ctx, deleter));
}

void set_default_warning_handler(tenon_warning_fn handler, void* ctx, tenon_deleter deleter) {
  Warnings::get().set_default_handler(make_handler(handler, ctx, deleter));
}

bool has_warning_handler() noexcept { return has_handler.load(std::memory_order_acquire); }

tenon_status warn(const char* category, const char* message, const char* op) {
  bool told;
  return tell(category, message, op, &told);
}

tenon_status warn_once(const void* site, const char* category, const char* message,
                       const char* op) {
  // Ended even if a forced unwind leaves the handler.
  struct Claim {
    const void* site;
    const uint64_t number;
    bool told;
    ~Claim() { Warnings::get().end_site(site, number, told); }
  };
  if (!has_warning_handler()) return TENON_OK;
  const uint64_t number = Warnings::get().begin_site(site);
  if (number == 0) return TENON_OK;
  Claim claim{site, number, false};
  return tell(category, message, op, &claim.told);
}

void forget_warned_sites() { Warnings::get().forget_sites(); }

}  // namespace tenon::base
