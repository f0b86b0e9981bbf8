// SPDX-License-Identifier: Apache-2.0
// SavedTensor: a tensor that a node saved for backward, either directly or packed by a hook.
#pragma once

#include "base/intrusive_ptr.h"
#include "base/thread.h"
#include "tenon/hooks.h"
#include "tenon/language.h"
#include "tensor/tensor.h"

namespace tenon::autograd {

struct Edge;

/// A pair of hooks that packs tensors when they are saved and unpacks them in backward.
struct SavedHooks final : base::RefCounted<SavedHooks> {
  ~SavedHooks() {
    if (deleter != nullptr) deleter(ctx);
  }
  tenon_pack_fn pack = nullptr;
  tenon_unpack_fn unpack = nullptr;
  void* ctx = nullptr;
  tenon_deleter deleter = nullptr;
  uint32_t language = TENON_LANGUAGE_NONE;
};
using SavedHooksPtr = base::IntrusivePtr<SavedHooks>;

/// The value that a pack hook returned.
struct PackedTensor {
  ~PackedTensor();
  SavedHooksPtr hooks;
  tenon_value value{};
};

/// A tensor that a node saved, and its version at that time. A saved result is a detached alias:
/// the result refers to the node, so a reference back to it would make a cycle.
struct SavedTensor {
  tensor::Tensor* tensor = nullptr;  // owned; NULL: absent; low bit set: a PackedTensor
  uint32_t version = 0;
  static constexpr uint16_t kNone = UINT16_MAX;
  uint16_t edge = kNone;    // the node's edge that the tensor led to when it was saved
  uint16_t result = kNone;  // index of the result that it is

  bool is_packed() const noexcept { return (reinterpret_cast<uintptr_t>(tensor) & kPacked) != 0; }
  PackedTensor& packed() const noexcept {
    TENON_DCHECK(is_packed());
    return *reinterpret_cast<PackedTensor*>(reinterpret_cast<uintptr_t>(tensor) & ~kPacked);
  }
  /// Releases the tensor or the packed value.
  void clear() noexcept;

  // in the pointer's low bit: tensors are aligned to 64 bytes
  static constexpr uintptr_t kPacked = 1;
};

/// Throws TENON_ERROR_STATE for an inference tensor, which cannot be saved because its writes are
/// not counted; `node` names the call.
[[noreturn]] void refuse_inference(const char* node, const tensor::Tensor& tensor);

/// Replaces a saved tensor with the value that a hook packs it into. Throws the hook's errors, and
/// TENON_ERROR_STATE if the hook writes the tensor; the tensor then stays unchanged.
void pack(SavedTensor* saved, const SavedHooksPtr& hooks);

/// Returns the tensor, or an alias of it, such that its gradient flows along `edge`; detached if
/// the edge is empty.
tensor::TensorPtr with_edge(tensor::TensorPtr tensor, const Edge& edge);

/// Returns a saved tensor; NULL if it is absent. With `linked` it leads to the node that it led to
/// when it was saved. Throws TENON_ERROR_STATE if it was written since, and the errors of hooks.
tensor::TensorPtr unpack(tenon_node& node, const SavedTensor& saved, bool linked);
/// Like unpack() above, linked if the thread's grad mode is on.
inline tensor::TensorPtr unpack(tenon_node& node, const SavedTensor& saved) {
  return unpack(node, saved, base::grad_mode() == TENON_GRAD_MODE_ON);
}

}  // namespace tenon::autograd
