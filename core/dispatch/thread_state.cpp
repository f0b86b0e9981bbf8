// SPDX-License-Identifier: Apache-2.0
#include "dispatch/thread_state.h"

#include <utility>

#include "base/check.h"
#include "base/live_count.h"
#include "dispatch/transform.h"

using tenon::base::count_live;

tenon_thread_state::tenon_thread_state(
    tenon::dispatch::KeyState state,
    std::unique_ptr<tenon::dispatch::ThreadStacks> stacks_or_null) noexcept
    : keys(state), stacks(std::move(stacks_or_null)) {
  count_live(TENON_HANDLE_THREAD_STATE, 1);
}

tenon_thread_state::~tenon_thread_state() { count_live(TENON_HANDLE_THREAD_STATE, -1); }

namespace tenon::dispatch {

namespace {

using base::ThreadRecord;

void* exchange_stacks(base::ThreadRecord* thread, void* stacks) noexcept {
  return std::exchange(thread->locals[base::kLocalThreadState], stacks);
}

void free_stacks(base::ThreadRecord* thread) noexcept {
  delete static_cast<ThreadStacks*>(exchange_stacks(thread, nullptr));
}

// Copies the visible part of the stacks. Returns NULL if it is empty.
std::unique_ptr<ThreadStacks> copy_visible(const ThreadStacks* stacks) {
  if (stacks == nullptr) return nullptr;
  bool empty = stacks->layers.empty();
  for (const auto& modes : stacks->modes) empty = empty && modes.empty();
  if (empty) return nullptr;
  auto copy = std::make_unique<ThreadStacks>();
  for (uint32_t kind = 0; kind < kModeCount; ++kind) {
    copy->modes[kind] = stacks->modes[kind].visible();
  }
  copy->layers = stacks->layers.visible();
  return copy;
}

}  // namespace

ThreadStacks* thread_stacks() noexcept {
  return static_cast<ThreadStacks*>(base::current_thread()->locals[base::kLocalThreadState]);
}

ThreadStacks& require_thread_stacks() {
  base::ThreadRecord* thread = base::require_thread_record();
  base::add_thread_exit_hook(&free_stacks);
  if (thread_stacks() == nullptr) exchange_stacks(thread, new ThreadStacks);
  return *thread_stacks();
}

ThreadStatePtr capture_thread_state() {
  auto state = base::make_intrusive<ThreadState>(key_state(), copy_visible(thread_stacks()));
  state->slots = SlotWords::of_thread();
  return state;
}

ThreadStatePtr enter_thread_state(const ThreadState& state) {
  base::ThreadRecord* thread = base::require_thread_record();
  // Registers the exit hook: a thread that never leaves the state must not leak its stacks.
  if (state.stacks != nullptr) require_thread_stacks();
  std::unique_ptr<ThreadStacks> entered = copy_visible(state.stacks.get());
  SlotWords slots = state.slots.copy();
  slots.require_place();
  auto previous = base::make_intrusive<ThreadState>(key_state(), nullptr);
  previous->stacks.reset(static_cast<ThreadStacks*>(exchange_stacks(thread, entered.release())));
  previous->slots = std::move(slots).swap_with_thread();
  previous->left_on = thread;
  previous->nesting = thread->nesting++;
  set_key_state(state.keys);
  return previous;
}

void leave_thread_state(tenon_thread_state* given) {
  ThreadRecord* thread = base::current_thread();
  TENON_CHECK(given->left_on == thread, TENON_ERROR_STATE,
              "tenon_thread_state_leave: state must be left on the thread that entered it, got ",
              given->left_on == nullptr ? "one that was not entered" : "another thread");
  TENON_CHECK(given->nesting + 1 == thread->nesting, TENON_ERROR_STATE,
              "tenon_thread_state_leave: state must be the innermost of its thread, number ",
              thread->nesting, ", got number ", given->nesting + 1);
  const auto previous = ThreadStatePtr::adopt(given);
  thread->nesting = given->nesting;
  set_key_state(previous->keys);
  void* entered = exchange_stacks(thread, previous->stacks.release());
  // The entered state is destroyed last: that may run foreign code, which must see the restored
  // state.
  const SlotWords slots = std::move(previous->slots).swap_with_thread();
  delete static_cast<ThreadStacks*>(entered);
}

}  // namespace tenon::dispatch
