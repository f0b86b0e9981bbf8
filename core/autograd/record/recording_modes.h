// SPDX-License-Identifier: Apache-2.0
// RecordingModes: what a thread wants of each node that its calls record. Hooks of saved tensors,
// hooks of new nodes, and anomaly mode.
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

/// A hook of new nodes.
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
  std::vector<SavedHooksPtr> saved;       // innermost last: that one packs
  std::vector<CreationHookPtr> creation;  // outermost first: all run
  std::string refusal;                    // of hooks of saved tensors, where that is set
  bool refuses = false;
  uint32_t anomaly = 0;  // TENON_ANOMALY_*

  bool is_empty() const noexcept {
    return saved.empty() && creation.empty() && !refuses && anomaly == 0;
  }
};

extern dispatch::OwnSlot recording_slot;

/// The calling thread's; NULL where it wants nothing. Thread states carry them.
inline const RecordingModes* recording_modes() noexcept {
  return static_cast<const RecordingModes*>(recording_slot.word());
}
/// The same to be changed, made on demand. Throws std::bad_alloc.
RecordingModes& require_recording_modes();
/// Drops them where nothing is wanted any more.
void forget_empty_modes() noexcept;

/// See tenon_saved_hooks_push, tenon_saved_hooks_pop, tenon_saved_hooks_disable and
/// tenon_creation_hook_pop.
void push_saved_hooks(SavedHooksPtr hooks);
void pop_saved_hooks(void* ctx);
void refuse_saved_hooks(const char* reason);
void pop_creation_hook(void* ctx);

/// Puts the thread's hooks of saved tensors and of new nodes back, when it ends, to what they were
/// when it began: what the code of a backward pass pushes and does not pop ends with the pass.
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

/// Does to a node that was just recorded what the modes want. Nobody else sees it yet. Throws what
/// hooks raise.
void finish_recorded(Node& node, const RecordingModes& modes);

/// TENON_ANOMALY_* of the calling thread.
inline uint32_t anomaly_flags() noexcept {
  const RecordingModes* modes = recording_modes();
  return modes != nullptr ? modes->anomaly : 0;
}

}  // namespace tenon::autograd
