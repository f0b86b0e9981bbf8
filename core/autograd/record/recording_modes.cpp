// SPDX-License-Identifier: Apache-2.0
#include "autograd/record/recording_modes.h"

#include <algorithm>

#include "autograd/engine/anomaly.h"
#include "autograd/node/node_extra.h"
#include "autograd/node/packed_list.h"
#include "base/check.h"

namespace tenon::autograd {

namespace {

tenon_status copy_modes(void* word, void** out_word) noexcept {
  try {
    *out_word = new RecordingModes(*static_cast<const RecordingModes*>(word));
    return TENON_OK;
  } catch (const std::bad_alloc&) {
    return base::set_current_error(base::ErrorPtr::adopt(base::ErrorObject::out_of_memory()));
  }
}

void drop_modes(void* word) noexcept { delete static_cast<RecordingModes*>(word); }

}  // namespace

constinit dispatch::OwnSlot recording_slot("tenon.autograd.recording", &copy_modes, &drop_modes);

RecordingModes& require_recording_modes() {
  void** word = recording_slot.place();
  if (*word == nullptr) *word = new RecordingModes;
  return *static_cast<RecordingModes*>(*word);
}

void forget_empty_modes() noexcept {
  const RecordingModes* modes = recording_modes();
  if (modes == nullptr || !modes->is_empty()) return;
  *recording_slot.place() = nullptr;
  delete modes;
}

RecordingHooksGuard::RecordingHooksGuard() {
  if (const RecordingModes* modes = recording_modes()) {
    saved_ = modes->saved;
    creation_ = modes->creation;
  }
}

RecordingHooksGuard::~RecordingHooksGuard() {
  if (recording_modes() == nullptr && saved_.empty() && creation_.empty()) [[likely]] {
    return;
  }
  try {
    RecordingModes& modes = require_recording_modes();
    modes.saved.swap(saved_);
    modes.creation.swap(creation_);
    forget_empty_modes();
  } catch (const std::bad_alloc&) {
    // Out of memory: hooks that the pass popped stay popped.
  }
}

void finish_recorded(Node& node, const RecordingModes& modes) {
  if ((modes.anomaly & TENON_ANOMALY_RECORD) != 0) {
    note_frames(node);
  }
  if (!modes.saved.empty()) {
    const SavedHooksPtr hooks = modes.saved.back();  // a reference, because a hook may pop itself
    for (SavedTensor& saved : node.saved_tensors()) {
      // Wrapped numbers are not packed, as in PyTorch.
      if (saved.tensor != nullptr && !saved.tensor->is_wrapped_number()) pack(&saved, hooks);
    }
    if (node.plan().saves_lists) pack_lists(node, hooks);
  }
  const std::vector<CreationHookPtr> creation = modes.creation;
  const auto show = [&](Node& made) {
    for (const CreationHookPtr& hook : creation) {
      const tenon_status status = hook->fn(hook->ctx, &made);
      if (status == TENON_OK) continue;
      throw Error(base::adopt_current_error(made.name(), "creation hook", status, true));
    }
  };
  if (creation.empty()) return;
  // Call the hooks for new leaves, too: those that only their tensor and this node's edges hold.
  for (const Edge& edge : node.edges()) {
    if (edge.node == nullptr || !edge.node->is_leaf()) continue;
    const auto same = [&](const Edge& other) { return other.node == edge.node; };
    const auto uses = static_cast<uint32_t>(std::ranges::count_if(node.edges(), same));
    const bool is_first = &*std::ranges::find_if(node.edges(), same) == &edge;
    if (is_first && edge.node->use_count() == uses + 1) show(*edge.node);
  }
  show(node);
}

namespace {

// Pops the last hook, which must have this ctx.
template <class Hook>
void pop(const char* function, std::vector<Hook> RecordingModes::*list, void* ctx) {
  const RecordingModes* there = recording_modes();
  TENON_CHECK(there != nullptr && !(there->*list).empty(), TENON_ERROR_STATE, function,
              ": hooks must have been pushed on this thread, got none");
  TENON_CHECK((there->*list).back()->ctx == ctx, TENON_ERROR_STATE, function,
              ": hooks must be popped in the reverse of the order in which they were pushed");
  std::vector<Hook>& hooks = require_recording_modes().*list;
  // released last, so its deleter sees the updated modes
  const Hook gone = std::move(hooks.back());
  hooks.pop_back();
  forget_empty_modes();
}

}  // namespace

void push_saved_hooks(SavedHooksPtr hooks) {
  RecordingModes& modes = require_recording_modes();
  TENON_CHECK(!modes.refuses, TENON_ERROR_STATE, modes.refusal);
  modes.saved.push_back(std::move(hooks));
}

void pop_saved_hooks(void* ctx) { pop("tenon_saved_hooks_pop", &RecordingModes::saved, ctx); }

void refuse_saved_hooks(const char* reason) {
  RecordingModes& modes = require_recording_modes();
  if (reason != nullptr) {
    TENON_CHECK(modes.saved.empty(), TENON_ERROR_STATE, reason);
    modes.refusal = reason;
  }
  modes.refuses = reason != nullptr;
  forget_empty_modes();
}

void pop_creation_hook(void* ctx) {
  pop("tenon_creation_hook_pop", &RecordingModes::creation, ctx);
}

}  // namespace tenon::autograd
