// SPDX-License-Identifier: Apache-2.0
// SavedTensor: a tensor that a node saved for backward, as it is or packed by a hook.
#pragma once

#include "base/intrusive_ptr.h"
#include "base/thread.h"
#include "tenon/hooks.h"
#include "tenon/language.h"
#include "tensor/tensor.h"

namespace tenon::autograd {

struct Edge;

/// What packs tensors that are saved, and unpacks them again.
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

/// What a hook made of a tensor.
struct PackedTensor {
  ~PackedTensor();
  SavedHooksPtr hooks;
  tenon_value value{};
};

/// A tensor that a node saved, with the version that it had. A saved result is an alias of its own,
/// which knows no node: the result knows this one.
struct SavedTensor {
  tensor::Tensor* tensor = nullptr;  // owned; NULL: absent; marked: a PackedTensor
  uint32_t version = 0;
  static constexpr uint16_t kNone = UINT16_MAX;
  uint16_t edge = kNone;    // of the same node that led to it when it was saved
  uint16_t result = kNone;  // number of the result that it is

  bool is_packed() const noexcept { return (reinterpret_cast<uintptr_t>(tensor) & kPacked) != 0; }
  PackedTensor& packed() const noexcept {
    TENON_DCHECK(is_packed());
    return *reinterpret_cast<PackedTensor*>(reinterpret_cast<uintptr_t>(tensor) & ~kPacked);
  }
  /// Lets go of the tensor, or of what was packed.
  void clear() noexcept;

  static constexpr uintptr_t kPacked = 1;  // tensors lie at multiples of 64
};

/// Refuses to save an inference tensor, whose writes nobody counts; `node` names the call. Throws
/// TENON_ERROR_STATE.
[[noreturn]] void refuse_inference(const char* node, const tensor::Tensor& tensor);

/// Lets a hook pack a saved tensor, which goes then. Throws what the hook raised, and
/// TENON_ERROR_STATE for one that writes the tensor; the tensor stays as it was then.
void pack(SavedTensor* saved, const SavedHooksPtr& hooks);

/// The tensor, or another on its memory whose gradient goes along the edge, if there is one.
tensor::TensorPtr led_to(tensor::TensorPtr tensor, const Edge& edge);

/// A tensor that a node saved, empty for an absent one. `linked`: it leads to where it led when it
/// was saved. Throws TENON_ERROR_STATE where it was written since, and what a hook raised.
tensor::TensorPtr unpack(tenon_node& node, const SavedTensor& saved, bool linked);
/// The same as the thread's grad mode wants it: linked where that records.
inline tensor::TensorPtr unpack(tenon_node& node, const SavedTensor& saved) {
  return unpack(node, saved, base::grad_mode() == TENON_GRAD_MODE_ON);
}

}  // namespace tenon::autograd
