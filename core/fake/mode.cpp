// SPDX-License-Identifier: Apache-2.0
#include "fake/mode.h"

#include <algorithm>
#include <new>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/error.h"
#include "base/live_count.h"
#include "dispatch/thread_slot.h"

using namespace tenon;

tenon_fake_mode::tenon_fake_mode(uint32_t mode_flags) noexcept : flags(mode_flags) {
  base::count_live(TENON_HANDLE_FAKE_MODE, 1);
}

tenon_fake_mode::~tenon_fake_mode() { base::count_live(TENON_HANDLE_FAKE_MODE, -1); }

tensor::TensorPtr tenon_fake_mode::find(const tensor::Tensor& real) {
  const std::lock_guard lock(mutex_);
  const auto found = entries_.find(&real);
  return found != entries_.end() ? found->second.fake : tensor::TensorPtr();
}

tensor::TensorPtr tenon_fake_mode::keep(tensor::Tensor& real, tensor::TensorPtr fake) {
  const std::lock_guard lock(mutex_);
  if (entries_.size() >= sweep_at_) drop_dead_locked();
  const auto [entry, fresh] = entries_.try_emplace(&real);
  if (fresh) entry->second = {tensor::WeakTensor(&real), std::move(fake)};
  return entry->second.fake;
}

symbol::ShapeEnvPtr tenon_fake_mode::shape_env() {
  const std::lock_guard lock(mutex_);
  if (!shape_env_) shape_env_ = symbol::new_shape_env();
  return shape_env_;
}

void tenon_fake_mode::set_shape_env(symbol::ShapeEnvPtr env) {
  const std::lock_guard lock(mutex_);
  TENON_CHECK(!shape_env_, TENON_ERROR_STATE,
              "tenon_fake_mode_set_shape_env: mode must not have a shape environment yet, got a "
              "mode with one");
  shape_env_ = std::move(env);
  is_given_ = true;
}

symbol::ShapeEnvPtr tenon_fake_mode::give_env() {
  symbol::ShapeEnvPtr env = shape_env();
  const std::lock_guard lock(mutex_);
  is_given_ = true;
  return env;
}

symbol::ShapeEnvPtr tenon_fake_mode::given_env() {
  const std::lock_guard lock(mutex_);
  return is_given_ ? shape_env_ : symbol::ShapeEnvPtr();
}

// Drops the entries of tensors that have died. Releasing fakes under the lock is safe: they have no
// memory and no deleters, so no foreign code runs; the release of their language objects is only
// queued.
void tenon_fake_mode::drop_dead_locked() {
  std::erase_if(entries_, [](const auto& entry) { return !entry.second.of.lock(); });
  sweep_at_ = std::max<size_t>(64, 2 * entries_.size());
}

namespace tenon::fake {

namespace {

struct State {
  ModePtr mode;
  symbol::ShapeEnvPtr shape_env;  // used outside modes
  const tenon_op* running = nullptr;
};

// Copies only the mode. The thread that receives the copy runs no fake kernel.
tenon_status copy_state(void* word, void** out_word) noexcept {
  *out_word = nullptr;
  const State& state = *static_cast<const State*>(word);
  if (!state.mode) return TENON_OK;
  auto* copy = new (std::nothrow) State{state.mode, {}};
  if (copy == nullptr) {
    return base::set_current_error(base::ErrorPtr::adopt(base::ErrorObject::out_of_memory()));
  }
  *out_word = copy;
  return TENON_OK;
}

void drop_state(void* word) noexcept { delete static_cast<State*>(word); }

constinit dispatch::OwnSlot state_slot("tenon.fake", &copy_state, &drop_state);

State* thread_state() noexcept { return static_cast<State*>(state_slot.word()); }

State& require_state() {
  void** word = state_slot.place();
  if (*word == nullptr) *word = new State;
  return *static_cast<State*>(*word);
}

}  // namespace

Mode* thread_mode() noexcept {
  const State* state = thread_state();
  return state != nullptr ? state->mode.get() : nullptr;
}

ModePtr exchange_thread_mode(ModePtr mode) {
  return std::exchange(require_state().mode, std::move(mode));
}

symbol::ShapeEnvPtr thread_shape_env() {
  State& state = require_state();
  if (state.mode) return state.mode->shape_env();
  if (!state.shape_env) state.shape_env = symbol::new_shape_env();
  return state.shape_env;
}

const tenon_op* running() noexcept {
  const State* state = thread_state();
  return state != nullptr ? state->running : nullptr;
}

RunningFakeKernel::RunningFakeKernel(const tenon_op& op)
    : outer_(std::exchange(require_state().running, &op)) {}

RunningFakeKernel::~RunningFakeKernel() { thread_state()->running = outer_; }

}  // namespace tenon::fake
