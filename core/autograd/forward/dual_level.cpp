// SPDX-License-Identifier: Apache-2.0
#include "autograd/forward/dual_level.h"

#include <memory>
#include <new>
#include <utility>

#include "base/check.h"
#include "base/error.h"
#include "base/spin_guard.h"

namespace tenon::autograd {

using tensor::TensorPtr;

namespace {

tenon_status copy_entered(void* word, void** out_word) noexcept {
  const auto& entered = *static_cast<const EnteredLevel*>(word);
  *out_word = nullptr;
  if (!entered.level->is_open()) return TENON_OK;
  *out_word = new (std::nothrow) EnteredLevel(entered.level, false);
  if (*out_word != nullptr) return TENON_OK;
  return base::set_current_error(base::ErrorPtr::adopt(base::ErrorObject::out_of_memory()));
}

void drop_entered(void* word) noexcept { delete static_cast<EnteredLevel*>(word); }

}  // namespace

constinit dispatch::OwnSlot level_slot("tenon.autograd.dual_level", &copy_entered, &drop_entered);

EnteredLevel::EnteredLevel(base::IntrusivePtr<DualLevel> the_level, bool is_opened_here) noexcept
    : level(std::move(the_level)), opened_here(is_opened_here) {}

EnteredLevel::~EnteredLevel() {
  if (opened_here) level->close();
}

int64_t DualLevel::enter() {
  base::ThreadRecord* thread = base::require_thread_record();
  TENON_CHECK(dispatch::peek_top_layer() == nullptr, TENON_ERROR_STATE,
              "tenon_dual_enter: forward AD level must be entered outside of transforms, got a "
              "call inside ",
              dispatch::peek_top_layer()->kind().name, "; use jvp, which nests with transforms");
  TENON_CHECK(innermost() == nullptr, TENON_ERROR_STATE,
              "tenon_dual_enter: nested forward mode AD is not supported, got a call inside level ",
              number());
  void** word = level_slot.place();
  auto opened =
      std::make_unique<EnteredLevel>(base::IntrusivePtr<DualLevel>::adopt(new DualLevel), true);
  // A thread state may have carried a level here that was closed since: replace it.
  delete static_cast<EnteredLevel*>(std::exchange(*word, opened.release()));
  base::set_follows_tangents(thread, true);
  return number();
}

void DualLevel::leave(int64_t level) {
  TENON_CHECK(innermost() != nullptr, TENON_ERROR_STATE,
              "tenon_dual_leave: a forward AD level must be entered on this thread, got none");
  TENON_CHECK(level == number(), TENON_ERROR_STATE,
              "tenon_dual_leave: level must be the current one, ", number(), ", got ", level);
  void** word = level_slot.place();
  const auto* entered = static_cast<const EnteredLevel*>(*word);
  TENON_CHECK(entered->opened_here, TENON_ERROR_STATE,
              "tenon_dual_leave: forward AD level must be left where it was entered, got one from "
              "a captured thread state");
  *word = nullptr;
  base::set_follows_tangents(base::current_thread(), false);
  delete entered;
}

void DualLevel::close() noexcept {
  // Releases the tangents one at a time without the lock: destroying a tangent may run foreign code
  // that clears other slots.
  while (true) {
    TensorPtr tangent;
    {
      const base::SpinGuard guard(locked_);
      open_.store(false, std::memory_order_release);
      TangentSlot* slot = first_;
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
  if (!level.is_open()) return;
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
