// SPDX-License-Identifier: Apache-2.0
// Dual level: a stretch of one thread's work in which tensors may have tangents.
//
// Tangents belong to their level: those of a level that was left are gone, wherever their tensors
// are. A tensor keeps its tangent in a TangentSlot; the level knows the slots, to empty them.
//
// A thread has its level in a thread slot, so that thread states carry it: threads that enter one
// have the level, too, until the thread that opened it leaves it.
#pragma once

#include <atomic>

#include "base/intrusive_ptr.h"
#include "base/thread.h"
#include "dispatch/thread_slot.h"
#include "dispatch/transform.h"
#include "tensor/tensor.h"

namespace tenon::autograd {

class DualLevel;
class TangentSlot;

/// What a thread slot holds.
struct EnteredLevel {
  EnteredLevel(base::IntrusivePtr<DualLevel> the_level, bool is_opened_here) noexcept;
  ~EnteredLevel();  // a level that was opened here, and not left, ends
  const base::IntrusivePtr<DualLevel> level;
  const bool opened_here;  // else a thread state has carried it
};

extern dispatch::OwnSlot level_slot;

/// One dual level, from enter() to leave(). Slots keep it.
class DualLevel final : public base::RefCounted<DualLevel> {
 public:
  /// Opens a level on the calling thread; returns its number. Throws TENON_ERROR_STATE inside of
  /// another one.
  static int64_t enter();
  /// Closes it: its tangents go. Throws TENON_ERROR_STATE for a number that is not the innermost,
  /// and for a level that another thread has opened.
  static void leave(int64_t number);

  /// The calling thread's level, NULL outside of any and while a PauseTangents lives.
  static DualLevel* current() noexcept {
    return base::current_thread()->follows_tangents ? innermost() : nullptr;
  }
  /// The same while a PauseTangents lives, too. Inside of transforms it is the level of the layer
  /// whose turn it is, where that is a jvp.
  static DualLevel* innermost() noexcept {
    if (const dispatch::Layer* layer = dispatch::peek_top_layer()) return of_layer(*layer);
    const auto* entered = static_cast<const EnteredLevel*>(level_slot.word());
    return entered != nullptr && entered->level->is_open() ? entered->level.get() : nullptr;
  }
  static int64_t number() noexcept { return 0; }

  /// Puts a jvp layer with a level of its own on the calling thread's transform stack.
  static dispatch::LayerPtr enter_layer();
  /// NULL where the layer is no jvp.
  static DualLevel* of_layer(const dispatch::Layer& layer) noexcept;

  bool is_open() const noexcept { return open_.load(std::memory_order_acquire); }
  /// Ends it: all its tangents go.
  void close() noexcept;

 private:
  friend class TangentSlot;
  friend struct EnteredLevel;
  friend class base::RefCounted<DualLevel>;
  DualLevel() noexcept = default;
  ~DualLevel() = default;

  std::atomic<bool> open_{true};  // written under the lock
  std::atomic<bool> locked_{false};
  TangentSlot* first_ = nullptr;  // the slots that hold a tangent
};

/// A tensor's tangent, of one level. It is set by whoever has the tensor to himself; it may be read
/// and may end on any thread.
class TangentSlot {
 public:
  TangentSlot() noexcept = default;
  ~TangentSlot() { clear(); }
  TangentSlot(const TangentSlot&) = delete;
  TangentSlot& operator=(const TangentSlot&) = delete;

  /// Empty where the tensor has none at that level.
  tensor::TensorPtr get(DualLevel& level) const noexcept;
  /// Of a level that is closed meanwhile the tangent goes at once.
  void set(DualLevel& level, tensor::TensorPtr tangent) noexcept;
  void clear() noexcept;

 private:
  friend class DualLevel;
  void unlink_locked() noexcept;

  base::IntrusivePtr<DualLevel> level_;
  tensor::TensorPtr tangent_;  // guarded, as the links, by the level's lock
  TangentSlot* next_ = nullptr;
  TangentSlot* before_ = nullptr;
};

/// While it lives the thread follows no tangents: what computes tangents works with plain tensors.
class PauseTangents {
 public:
  PauseTangents() noexcept : thread_(base::current_thread()), followed_(thread_->follows_tangents) {
    if (followed_) base::set_follows_tangents(thread_, false);
  }
  ~PauseTangents() {
    if (followed_) base::set_follows_tangents(thread_, DualLevel::innermost() != nullptr);
  }
  PauseTangents(const PauseTangents&) = delete;
  PauseTangents& operator=(const PauseTangents&) = delete;

 private:
  base::ThreadRecord* const thread_;
  const bool followed_;
};

}  // namespace tenon::autograd
