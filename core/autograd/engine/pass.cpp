// SPDX-License-Identifier: Apache-2.0
#include "autograd/engine/pass.h"

#include <atomic>

#include "base/error.h"
#include "base/thread.h"

namespace tenon::autograd {

namespace {

constinit std::atomic<int64_t> last_number{0};

void*& place_of(base::ThreadRecord* thread) noexcept { return thread->locals[base::kLocalPass]; }

}  // namespace

Pass* Pass::current() noexcept { return static_cast<Pass*>(place_of(base::current_thread())); }

Pass::Pass() : outer_(current()) { place_of(base::require_thread_record()) = this; }

Pass::~Pass() { place_of(base::current_thread()) = outer_; }

int64_t Pass::number() noexcept {
  if (number_ == 0) number_ = last_number.fetch_add(1, std::memory_order_relaxed) + 1;
  return number_;
}

void Pass::run_final_callbacks() {
  running_ = nullptr;
  for (size_t i = 0; i < final_callbacks_.size(); ++i) {  // a function may add more
    const FinalCallback done(std::move(final_callbacks_[i]));
    const tenon_status status = done.fn(done.ctx);
    if (status == TENON_OK) continue;
    throw Error(base::adopt_current_error("tenon_backward_when_done", "function", status, true));
  }
}

}  // namespace tenon::autograd
