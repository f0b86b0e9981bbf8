// SPDX-License-Identifier: Apache-2.0
// What layers keep per thread (modes, the transform stack), and thread states, which carry it.
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

/// A layer of the transform stack on one thread, with the words from before the call that it serves
/// now, and those from before it was entered.
struct StackedLayer {
  LayerPtr layer;
  KeyWords outer;
  KeyWords before;
  uint64_t number;  // of all that were ever entered: no other is taken for it
};

constexpr uint32_t kModeCount = 2;  // TENON_MODE_*

struct ThreadStacks {
  HidingStack<value::ObjectPtr> modes[kModeCount];
  HidingStack<StackedLayer> layers;
};

/// The calling thread's stacks: NULL where nothing was ever pushed.
ThreadStacks* thread_stacks() noexcept;
/// The same, made on first use. Throws TENON_ERROR_OUT_OF_MEMORY.
ThreadStacks& require_thread_stacks();

}  // namespace tenon::dispatch

/// What a thread hands to another one that works for it.
struct tenon_thread_state final : tenon::base::RefCounted<tenon_thread_state> {
  tenon_thread_state(tenon::dispatch::KeyWords words,
                     std::unique_ptr<tenon::dispatch::ThreadStacks> stacks_or_null) noexcept;
  ~tenon_thread_state();
  const tenon::dispatch::KeyWords keys;
  std::unique_ptr<tenon::dispatch::ThreadStacks> stacks;  // NULL: empty
  tenon::dispatch::SlotWords slots;
  /// Of a state that entering another one put aside: where, and its number among what is nested.
  const tenon::base::ThreadRecord* left_on = nullptr;
  uint32_t nesting = 0;
};

namespace tenon::dispatch {

using ThreadState = ::tenon_thread_state;
using ThreadStatePtr = base::IntrusivePtr<ThreadState>;

/// State of the calling thread now, without what is hidden.
ThreadStatePtr capture_thread_state();
/// Makes the calling thread's state that; returns what it was, whole.
ThreadStatePtr enter_thread_state(const ThreadState& state);
/// Restores what enter returned, whose reference it takes over. Throws TENON_ERROR_STATE out of
/// order and on another thread; nothing changes then.
void leave_thread_state(tenon_thread_state* previous);

}  // namespace tenon::dispatch
