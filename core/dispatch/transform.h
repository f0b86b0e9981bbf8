// SPDX-License-Identifier: Apache-2.0
// The transform stack: layers such as vmap and grad that nest in any order, each calling the next
// one.
//
// A call made while layers are active reaches TransformFront, which passes it to the top layer:
// arguments of lower levels are lifted, the keys of all other layers and Front itself are excluded,
// and the operator is called again, so that the layer's own keys serve it (Batched for vmap,
// Autograd for grad). Calls that these kernels make reach TransformBack, which restores the key
// state from before, hides the layer, unwraps its tensors, calls the operator for the layers below
// and wraps the results. A fixed order of keys could not do this, because the same key serves
// several levels of one call.
#pragma once

#include <atomic>

#include "base/small_vector.h"
#include "dispatch/built_in.h"
#include "dispatch/thread_state.h"
#include "tenon/value.h"
#include "tensor/tensor.h"

namespace tenon::dispatch {

/// Properties that all layers of one kind share. Static memory.
struct LayerKind {
  const char* name;      // such as "vmap"
  tenon_keyset keys;     // functionalities that serve its calls, excluded while other layers serve
  tenon_keyset include;  // those of `keys` that its calls have even if no argument carries them
  // Wraps a tensor of a lower level, or a result from below, at the layer's level. `view_of` is the
  // layer's tensor (itself not a view) that the result is a view of, otherwise NULL. If `lift` is
  // NULL, tensors stay unchanged.
  tensor::TensorPtr (*lift)(Layer& layer, tensor::Tensor& lower, const tensor::Tensor* view_of);
  bool dead_unwraps;  // tensors that outlive the layer unwrap; otherwise using them is an error
  bool may_write_lower = false;  // lifted tensors may be written; otherwise that is an error
  // The layer turns grad mode on for its function. If the mode was off outside, it stays off for
  // the calls below the layer.
  bool opens_grad_mode = false;
  bool follows_tangents = false;  // its calls may follow tangents, see base::ThreadRecord
};

}  // namespace tenon::dispatch

/// A layer, shared by the threads that its thread state was carried to.
struct tenon_layer final : tenon::base::RefCounted<tenon_layer> {
 public:
  using LayerKind = tenon::dispatch::LayerKind;

  tenon_layer(const LayerKind& kind, int64_t level, uint32_t grad_mode, void* content,
              tenon_deleter drop) noexcept
      : kind_(kind), level_(level), grad_mode_(grad_mode), content_(content), drop_(drop) {}
  ~tenon_layer() {
    if (drop_ != nullptr) drop_(content_);
  }

  const LayerKind& kind() const noexcept { return kind_; }
  /// Returns 1 for the outermost layer.
  int64_t level() const noexcept { return level_; }
  /// Returns the grad mode outside of the layer.
  uint32_t grad_mode() const noexcept { return grad_mode_; }
  /// Returns the data that the kind keeps for the layer. It lives as long as this object, which may
  /// outlive the layer's end.
  void* content() const noexcept { return content_; }
  bool is_alive() const noexcept { return alive_.load(std::memory_order_acquire); }
  void end() noexcept { alive_.store(false, std::memory_order_release); }

 private:
  const LayerKind& kind_;
  const int64_t level_;
  const uint32_t grad_mode_;
  void* const content_;
  const tenon_deleter drop_;  // deleter of `content_`; may be NULL
  std::atomic<bool> alive_{true};
};

namespace tenon::dispatch {

/// Pushes a layer on the calling thread's stack. Takes over `content`, even if this throws: `drop`
/// runs when the last reference to the layer is released.
LayerPtr enter_layer(const LayerKind& kind, void* content = nullptr, tenon_deleter drop = nullptr);
/// Removes the top layer and ends it. Throws TENON_ERROR_STATE for any other layer.
void leave_layer(Layer& layer);
/// Returns the innermost layer that has not ended; empty if there is none.
LayerPtr top_layer() noexcept;
/// Like top_layer(), but borrows the layer from the thread's stack.
Layer* peek_top_layer() noexcept;

/// A tensor at a layer's level: the tensor below, and the data that the layer's kind keeps with it.
struct LevelTensor final : tensor::BlockAllocated<LevelTensor> {
  LayerPtr layer;
  tensor::TensorPtr below;
  void* content = nullptr;
  tenon_deleter drop = nullptr;  // deleter of `content`; may be NULL
  LevelTensor(LayerPtr its_layer, tensor::TensorPtr tensor_below, void* its_content,
              tenon_deleter drop_content) noexcept;
  LevelTensor(const LevelTensor&) = delete;
  LevelTensor& operator=(const LevelTensor&) = delete;
  ~LevelTensor();
};

/// Makes a tensor at a layer's level. It has the functionalities of `keys`, TransformFront and
/// TransformBack, and the device, dtype, backend and version counter of `below`. It is a view of
/// `view_of` unless that is NULL. Takes over `content`, even if this throws.
tensor::TensorPtr new_level_tensor(Layer& layer, tensor::Tensor& below, tenon_keyset keys,
                                   const tensor::Geometry& geometry, void* content = nullptr,
                                   tenon_deleter drop = nullptr,
                                   const tensor::Tensor* view_of = nullptr);
/// Makes a level tensor wrap another tensor below, with new content that needs no deleter. Used
/// after an operator that changed the shape of the tensor in place.
void replace_below(tensor::Tensor& tensor, tensor::Tensor& below, const tensor::Geometry& geometry,
                   void* content);
/// Returns the level data of a tensor, NULL if it is at no level.
const LevelTensor* level_tensor(const tensor::Tensor& tensor) noexcept;
/// Like level_tensor() above, but NULL unless the tensor is at the level of `layer`.
const LevelTensor* level_tensor(const tensor::Tensor& tensor, const Layer& layer) noexcept;

/// Returns true if only the holder of this single reference can see the memory of a tensor, or of
/// the tensor below all its layers. Such a tensor can be written in place without an observer.
bool is_alone(const tensor::Tensor& tensor) noexcept;

/// Unwraps a tensor from layers that have ended. Returns the tensor itself if its layer is alive or
/// it has none. Throws TENON_ERROR_STATE, in the name of `who`, for a tensor that must not outlive
/// its layer.
tensor::Tensor& unwrap_ended_levels(const char* who, tensor::Tensor& tensor);

/// An argument, and the tensor that takes its place in the inner call.
struct Replacement {
  tensor::Tensor* argument;
  tensor::Tensor* replaced_by;
};
using Replacements = base::SmallVector<Replacement, 8>;

/// Returns the layer's tensor (itself not a view) that a result from below is a view of: the one
/// whose replacement owns the result's memory. NULL if the result is not a view of an argument.
const tensor::Tensor* viewed_argument(const Replacements& replacements, const Layer& layer,
                                      const tensor::Tensor& result) noexcept;
/// Returns the caller's own handle if a result is the replacement of an argument, so that a
/// returned argument stays the same tensor at every level. Empty for other results.
tensor::TensorPtr map_back(const Replacements& replacements, const tensor::Tensor& result);

/// RAII: hides the active layer and restores the key state from before the call that it serves. A
/// layer's kernels use it for their calls on tensors below.
class BelowLayer {
 public:
  BelowLayer() noexcept;
  ~BelowLayer();
  BelowLayer(const BelowLayer&) = delete;
  BelowLayer& operator=(const BelowLayer&) = delete;

 private:
  KeyState state_;
  size_t hidden_ = 0;
  bool hides_ = false;
};

/// RAII: makes the calls that follow begin at TransformFront, which unwraps tensors of layers that
/// have ended. Works also inside a kernel that a layer serves, where Front is excluded.
class DispatchFromFront {
 public:
  DispatchFromFront() noexcept;
  ~DispatchFromFront();
  DispatchFromFront(const DispatchFromFront&) = delete;
  DispatchFromFront& operator=(const DispatchFromFront&) = delete;

 private:
  const KeyState state_;
};

/// Kernels of the built-in fallbacks at TransformFront and TransformBack.
tenon_status transform_front(void* ctx, const tenon_op* op, tenon_keyset keys, tenon_stack* stack);
tenon_status transform_back(void* ctx, const tenon_op* op, tenon_keyset keys, tenon_stack* stack);
Explanation explain_transform_front(const Arguments* arguments);
Explanation explain_transform_back(const Arguments* arguments);

}  // namespace tenon::dispatch
