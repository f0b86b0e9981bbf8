// SPDX-License-Identifier: Apache-2.0
// Dual level: a stretch of one thread's work in which tensors may have tangents.
//
// A tangent belongs to one level and is released when the level closes, even if its tensor lives
// on. A tensor keeps its tangent in a TangentSlot; the level links its slots so that it can empty
// them.
//
// The current level is stored in a thread slot, so thread states carry it: a thread that adopts a
// state shares the level until the thread that opened the level leaves it.
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

/// The content of the thread slot.
struct EnteredLevel {
  EnteredLevel(base::IntrusivePtr<DualLevel> the_level, bool is_opened_here) noexcept;
  ~EnteredLevel();  // closes the level if it was opened here and not left
  const base::IntrusivePtr<DualLevel> level;
  const bool opened_here;  // false: carried here by a thread state
};

extern dispatch::OwnSlot level_slot;

/// One dual level, from enter() to leave(). Reference-counted; tangent slots keep it alive.
class DualLevel final : public base::RefCounted<DualLevel> {
 public:
  /// Opens a level on the calling thread and returns its number. Throws TENON_ERROR_STATE inside
  /// another level or a transform.
  static int64_t enter();
  /// Closes the level and releases its tangents. Throws TENON_ERROR_STATE if `number` is not the
  /// innermost level, or if a thread state carried the level here.
  static void leave(int64_t number);

  /// Returns the calling thread's level; NULL outside a level and while a PauseTangents exists.
  static DualLevel* current() noexcept {
    return base::current_thread()->follows_tangents ? innermost() : nullptr;
  }
  /// Like current(), but ignores PauseTangents. Inside transforms, returns the level of the active
  /// layer if that is a jvp, and NULL otherwise.
  static DualLevel* innermost() noexcept {
    if (const dispatch::Layer* layer = dispatch::peek_top_layer()) return of_layer(*layer);
    const auto* entered = static_cast<const EnteredLevel*>(level_slot.word());
    return entered != nullptr && entered->level->is_open() ? entered->level.get() : nullptr;
  }
  static int64_t number() noexcept { return 0; }

  /// Pushes a jvp layer with a new level onto the calling thread's transform stack.
  static dispatch::LayerPtr enter_layer();
  /// Returns NULL if the layer is not a jvp.
  static DualLevel* of_layer(const dispatch::Layer& layer) noexcept;

  bool is_open() const noexcept { return open_.load(std::memory_order_acquire); }
  /// Closes the level and releases all of its tangents.
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

/// A tensor's tangent at one level. Only a thread with exclusive access to the tensor may set it;
/// any thread may read or destroy it.
class TangentSlot {
 public:
  TangentSlot() noexcept = default;
  ~TangentSlot() { clear(); }
  TangentSlot(const TangentSlot&) = delete;
  TangentSlot& operator=(const TangentSlot&) = delete;

  /// Returns the tangent, or NULL if the tensor has none at that level.
  tensor::TensorPtr get(DualLevel& level) const noexcept;
  /// Drops `tangent` at once if another thread has closed the level.
  void set(DualLevel& level, tensor::TensorPtr tangent) noexcept;
  void clear() noexcept;

 private:
  friend class DualLevel;
  void unlink_locked() noexcept;

  base::IntrusivePtr<DualLevel> level_;
  tensor::TensorPtr tangent_;  // the tangent and the links are guarded by the level's lock
  TangentSlot* next_ = nullptr;
  TangentSlot* before_ = nullptr;
};

/// RAII: stops the thread from following tangents, so that code which computes tangents works with
/// plain tensors.
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
