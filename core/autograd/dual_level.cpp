// SPDX-License-Identifier: Apache-2.0
#include "autograd/dual_level.h"

#include <utility>

#include "base/check.h"
#include "base/spin_guard.h"

namespace tenon::autograd {

using tensor::TensorPtr;

int64_t DualLevel::enter() {
  base::ThreadRecord* thread = base::require_thread_record();
  TENON_CHECK(innermost(*thread) == nullptr, TENON_ERROR_STATE,
              "tenon_dual_enter: dual levels must not be nested, got one inside of level ",
              number());
  base::add_thread_exit_hook(&close);
  thread->locals[base::kLocalDualLevel] = new DualLevel;
  base::set_follows_tangents(thread, true);
  return number();
}

void DualLevel::leave(int64_t level) {
  base::ThreadRecord* thread = base::current_thread();
  TENON_CHECK(innermost(*thread) != nullptr, TENON_ERROR_STATE,
              "tenon_dual_leave: a dual level must be entered on the thread, got none");
  TENON_CHECK(level == number(), TENON_ERROR_STATE,
              "tenon_dual_leave: level must be the one entered last, ", number(), ", got ", level);
  close(thread);
}

void DualLevel::close(base::ThreadRecord* thread) noexcept {
  const auto level = base::IntrusivePtr<DualLevel>::adopt(
      static_cast<DualLevel*>(std::exchange(thread->locals[base::kLocalDualLevel], nullptr)));
  if (level == nullptr) return;
  base::set_follows_tangents(thread, false);
  // A tangent's end may run foreign code, and empty other slots: one at a time, without the lock.
  while (true) {
    TensorPtr tangent;
    {
      const base::SpinGuard guard(level->locked_);
      TangentSlot* slot = level->first_;
      if (slot == nullptr) break;
      slot->unlink_locked();
      tangent.swap(slot->tangent_);
    }
  }
}

TensorPtr TangentSlot::get(DualLevel& level) const noexcept {
  if (level_.get() != &level) return {};
  const base::SpinGuard guard(level.locked_);
  return tangent_;
}

void TangentSlot::set(DualLevel& level, TensorPtr tangent) noexcept {
  TENON_DCHECK(tangent != nullptr);
  clear();
  level_ = base::IntrusivePtr<DualLevel>::share(&level);
  const base::SpinGuard guard(level.locked_);
  tangent_.swap(tangent);
  next_ = level.first_;
  if (next_ != nullptr) next_->before_ = this;
  level.first_ = this;
}

void TangentSlot::clear() noexcept {
  if (level_ == nullptr) return;
  TensorPtr tangent;
  {
    const base::SpinGuard guard(level_->locked_);
    if (tangent_ != nullptr) unlink_locked();
    tangent.swap(tangent_);
  }
  level_.reset();
}

void TangentSlot::unlink_locked() noexcept {
  (before_ != nullptr ? before_->next_ : level_->first_) = next_;
  if (next_ != nullptr) next_->before_ = before_;
  next_ = before_ = nullptr;
}

}  // namespace tenon::autograd
