// SPDX-License-Identifier: Apache-2.0
// Per-thread state of layers (modes, the transform stack), and thread states, which carry it to
// other threads.
#pragma once

#include <memory>

#include "base/intrusive_ptr.h"
#include "dispatch/hiding_stack.h"
#include "dispatch/key_tls.h"
#include "dispatch/thread_slot.h"
#include "tenon/common.h"
#include "value/object.h"

struct tenon_layer;

namespace tenon::dispatch {

using Layer = ::tenon_layer;
using LayerPtr = base::IntrusivePtr<Layer>;

/// A layer on one thread's transform stack.
struct StackedLayer {
  LayerPtr layer;
  /// Key state from before the call that the layer serves now.
  KeyState outer;
  /// Key state from before the layer was entered.
  KeyState before;
  uint64_t number;  // process-wide number of this entry, never reused
};

constexpr uint32_t kModeCount = 2;  // TENON_MODE_*

struct ThreadStacks {
  HidingStack<value::ObjectPtr> modes[kModeCount];
  HidingStack<StackedLayer> layers;
};

/// Returns the calling thread's stacks, NULL if nothing was ever pushed.
ThreadStacks* thread_stacks() noexcept;
/// Like thread_stacks(), but creates them on first use. Throws TENON_ERROR_OUT_OF_MEMORY.
ThreadStacks& require_thread_stacks();

}  // namespace tenon::dispatch

/// The state that a thread passes to another thread that works for it.
struct tenon_thread_state final : tenon::base::RefCounted<tenon_thread_state> {
  tenon_thread_state(tenon::dispatch::KeyState state,
                     std::unique_ptr<tenon::dispatch::ThreadStacks> stacks_or_null) noexcept;
  ~tenon_thread_state();
  const tenon::dispatch::KeyState keys;
  std::unique_ptr<tenon::dispatch::ThreadStacks> stacks;  // NULL if empty
  tenon::dispatch::SlotWords slots;
  /// Set if entering another state replaced this one: the thread it belongs to, and its nesting
  /// depth there.
  const tenon::base::ThreadRecord* left_on = nullptr;
  uint32_t nesting = 0;
};

namespace tenon::dispatch {

using ThreadState = ::tenon_thread_state;
using ThreadStatePtr = base::IntrusivePtr<ThreadState>;

/// Returns the calling thread's current state, without hidden entries.
ThreadStatePtr capture_thread_state();
/// Replaces the calling thread's state with `state`. Returns the complete previous state.
ThreadStatePtr enter_thread_state(const ThreadState& state);
/// Restores a state that enter_thread_state() returned, and takes over its reference. Throws
/// TENON_ERROR_STATE, with nothing changed, if called out of order or on another thread.
void leave_thread_state(tenon_thread_state* previous);

}  // namespace tenon::dispatch
