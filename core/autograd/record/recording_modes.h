// SPDX-License-Identifier: Apache-2.0
// RecordingModes: per-thread settings for nodes that are recorded. Hooks for saved tensors, hooks
// for new nodes, and anomaly mode.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "autograd/node/hook.h"
#include "autograd/node/saved_tensor.h"
#include "base/error.h"
#include "dispatch/thread_slot.h"

namespace tenon::autograd {

/// A hook that runs for each new node.
struct CreationHook final : base::RefCounted<CreationHook> {
  ~CreationHook() {
    if (deleter != nullptr) deleter(ctx);
  }
  tenon_node_fn fn = nullptr;
  void* ctx = nullptr;
  tenon_deleter deleter = nullptr;
};
using CreationHookPtr = base::IntrusivePtr<CreationHook>;

struct RecordingModes {
  std::vector<SavedHooksPtr> saved;       // innermost last; only the innermost hooks pack
  std::vector<CreationHookPtr> creation;  // outermost first; all run
  // error message while hooks for saved tensors are disabled
  std::string refusal;
  bool refuses = false;
  uint32_t anomaly = 0;  // TENON_ANOMALY_*

  bool is_empty() const noexcept {
    return saved.empty() && creation.empty() && !refuses && anomaly == 0;
  }
};

extern dispatch::OwnSlot recording_slot;

/// Returns the calling thread's modes; NULL if none are set. Thread states carry them.
inline const RecordingModes* recording_modes() noexcept {
  return static_cast<const RecordingModes*>(recording_slot.word());
}
/// Returns the modes for modification, created on first use. Throws std::bad_alloc.
RecordingModes& require_recording_modes();
/// Deletes the modes if none are set any more.
void forget_empty_modes() noexcept;

/// See tenon_saved_hooks_push, tenon_saved_hooks_pop, tenon_saved_hooks_disable and
/// tenon_creation_hook_pop.
void push_saved_hooks(SavedHooksPtr hooks);
void pop_saved_hooks(void* ctx);
void refuse_saved_hooks(const char* reason);
void pop_creation_hook(void* ctx);

/// RAII: restores the thread's hooks for saved tensors and new nodes to those at the start. Hooks
/// that a backward pass pushes and does not pop are removed with the pass.
class RecordingHooksGuard {
 public:
  RecordingHooksGuard();
  ~RecordingHooksGuard();
  RecordingHooksGuard(const RecordingHooksGuard&) = delete;
  RecordingHooksGuard& operator=(const RecordingHooksGuard&) = delete;

 private:
  std::vector<SavedHooksPtr> saved_;
  std::vector<CreationHookPtr> creation_;
};

/// Applies the modes to a node that was just recorded, which no other thread can see yet. Throws
/// the errors of hooks.
void finish_recorded(Node& node, const RecordingModes& modes);

/// Returns the TENON_ANOMALY_* flags of the calling thread.
inline uint32_t anomaly_flags() noexcept {
  const RecordingModes* modes = recording_modes();
  return modes != nullptr ? modes->anomaly : 0;
}

}  // namespace tenon::autograd
