// SPDX-License-Identifier: Apache-2.0
// The transform stack: layers such as vmap and grad, nested in any order, each calling the next.
//
// A call with layers on meets TransformFront, which hands it to the top layer: arguments of lower
// levels are lifted, the keys of all other layers and Front itself are excluded, and the operator
// is called again, so that the layer's own keys serve it (Batched for vmap, Autograd for grad).
// Whatever these kernels call below themselves meets TransformBack, which restores the words from
// before, hides the layer, unwraps its tensors, calls the operator for the layers below and wraps
// the results. No order of keys could do this: the same key serves several levels of one call.
#pragma once

#include <atomic>

#include "dispatch/built_in.h"
#include "dispatch/thread_state.h"
#include "tenon/value.h"
#include "tensor/tensor.h"

namespace tenon::dispatch {

/// What all layers of one kind have in common. Static memory.
struct LayerKind {
  const char* name;      // such as "vmap"
  tenon_keyset keys;     // functionalities that serve its calls: open there, shut at other layers
  tenon_keyset include;  // of these, what its calls have whatever the arguments carry
  // Gives a lower tensor, or a result from below, the layer's level. NULL: they stay as they are.
  tensor::TensorPtr (*lift)(Layer& layer, tensor::Tensor& lower);
  bool dead_unwraps;  // what outlives its layer stands for the tensor below; else using it fails
  bool may_write_lower = false;  // lifted tensors may be written, too; else that fails
};

/// One layer, shared by the threads that its thread state was carried to.
class Layer final : public base::RefCounted<Layer> {
 public:
  Layer(const LayerKind& kind, int64_t level, void* content, tenon_deleter drop) noexcept
      : kind_(kind), level_(level), content_(content), drop_(drop) {}
  ~Layer() {
    if (drop_ != nullptr) drop_(content_);
  }

  const LayerKind& kind() const noexcept { return kind_; }
  /// 1 for the outermost.
  int64_t level() const noexcept { return level_; }
  /// What its kind keeps; lives as long as the layer, which may end before.
  void* content() const noexcept { return content_; }
  bool is_alive() const noexcept { return alive_.load(std::memory_order_acquire); }
  void end() noexcept { alive_.store(false, std::memory_order_release); }

 private:
  const LayerKind& kind_;
  const int64_t level_;
  void* const content_;
  const tenon_deleter drop_;  // of `content_`; may be NULL
  std::atomic<bool> alive_{true};
};

/// Puts a layer on the calling thread's stack. Takes over `content`, also when this throws: `drop`
/// runs with the last reference to the layer.
LayerPtr enter_layer(const LayerKind& kind, void* content = nullptr, tenon_deleter drop = nullptr);
/// Takes the top layer off and ends it. Throws TENON_ERROR_STATE for any other layer.
void leave_layer(Layer& layer);
/// The layer whose turn it is; empty without one.
LayerPtr top_layer() noexcept;

/// A tensor as a layer sees it: the tensor below, and what the layer's kind keeps with it.
struct LevelTensor {
  LayerPtr layer;
  tensor::TensorPtr below;
  void* content = nullptr;
  tenon_deleter drop = nullptr;  // of `content`; may be NULL
  LevelTensor(LayerPtr its_layer, tensor::TensorPtr tensor_below, void* its_content,
              tenon_deleter drop_content) noexcept;
  LevelTensor(const LevelTensor&) = delete;
  LevelTensor& operator=(const LevelTensor&) = delete;
  ~LevelTensor();
};

/// A tensor at a layer's level, with the functionalities of `keys`, TransformBack, and the device,
/// dtype, backend and version counter of `below`. Takes over `content`, also when this throws.
tensor::TensorPtr new_level_tensor(Layer& layer, tensor::Tensor& below, tenon_keyset keys,
                                   const tensor::Geometry& geometry, void* content = nullptr,
                                   tenon_deleter drop = nullptr);
/// NULL for tensors of no level.
const LevelTensor* level_tensor(const tensor::Tensor& tensor) noexcept;
/// The same for a layer's own tensors only.
const LevelTensor* level_tensor(const tensor::Tensor& tensor, const Layer& layer) noexcept;

/// Runs what follows below the layer whose turn it is: it is hidden, the words are those from
/// before the call. A layer's kernels use it for their calls on tensors below.
class BelowLayer {
 public:
  BelowLayer() noexcept;
  ~BelowLayer();
  BelowLayer(const BelowLayer&) = delete;
  BelowLayer& operator=(const BelowLayer&) = delete;

 private:
  KeyWords words_;
  size_t hidden_ = 0;
  bool hides_ = false;
};

/// Kernels of the built-in fallbacks at TransformFront and TransformBack.
tenon_status transform_front(void* ctx, const tenon_op* op, tenon_keyset keys, tenon_stack* stack);
tenon_status transform_back(void* ctx, const tenon_op* op, tenon_keyset keys, tenon_stack* stack);
Explanation explain_transform_front(const Arguments* arguments);
Explanation explain_transform_back(const Arguments* arguments);

}  // namespace tenon::dispatch
