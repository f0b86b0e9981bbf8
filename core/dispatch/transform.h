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

#include "base/small_vector.h"
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
  // Gives a lower tensor, or a result from below, the layer's level. `view_of`: the tensor of the
  // layer, no view itself, that the result is a view of; NULL else. NULL: they stay as they are.
  tensor::TensorPtr (*lift)(Layer& layer, tensor::Tensor& lower, const tensor::Tensor* view_of);
  bool dead_unwraps;  // what outlives its layer stands for the tensor below; else using it fails
  bool may_write_lower = false;  // lifted tensors may be written, too; else that fails
  // Its function runs in grad mode, whatever the mode outside: what was off there stays off below.
  bool opens_grad_mode = false;
  bool follows_tangents = false;  // as base::ThreadRecord has it, in the layer's calls
};

}  // namespace tenon::dispatch

/// One layer, shared by the threads that its thread state was carried to.
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
  /// 1 for the outermost.
  int64_t level() const noexcept { return level_; }
  /// The grad mode outside of it.
  uint32_t grad_mode() const noexcept { return grad_mode_; }
  /// What its kind keeps; lives as long as the layer, which may end before.
  void* content() const noexcept { return content_; }
  bool is_alive() const noexcept { return alive_.load(std::memory_order_acquire); }
  void end() noexcept { alive_.store(false, std::memory_order_release); }

 private:
  const LayerKind& kind_;
  const int64_t level_;
  const uint32_t grad_mode_;
  void* const content_;
  const tenon_deleter drop_;  // of `content_`; may be NULL
  std::atomic<bool> alive_{true};
};

namespace tenon::dispatch {

/// Puts a layer on the calling thread's stack. Takes over `content`, also when this throws: `drop`
/// runs with the last reference to the layer.
LayerPtr enter_layer(const LayerKind& kind, void* content = nullptr, tenon_deleter drop = nullptr);
/// Takes the top layer off and ends it. Throws TENON_ERROR_STATE for any other layer.
void leave_layer(Layer& layer);
/// The layer whose turn it is; empty without one.
LayerPtr top_layer() noexcept;
/// The same, borrowed from the thread's stack.
Layer* peek_top_layer() noexcept;

/// A tensor as a layer sees it: the tensor below, and what the layer's kind keeps with it.
struct LevelTensor final : tensor::InBlock<LevelTensor> {
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
/// dtype, backend and version counter of `below`; a view of `view_of` unless that is NULL. Takes
/// over `content`, also when this throws.
tensor::TensorPtr new_level_tensor(Layer& layer, tensor::Tensor& below, tenon_keyset keys,
                                   const tensor::Geometry& geometry, void* content = nullptr,
                                   tenon_deleter drop = nullptr,
                                   const tensor::Tensor* view_of = nullptr);
/// Makes a level's tensor stand for another one below, with another content, which needs no drop:
/// what an in-place view of it comes to.
void replace_below(tensor::Tensor& tensor, tensor::Tensor& below, const tensor::Geometry& geometry,
                   void* content);
/// NULL for tensors of no level.
const LevelTensor* level_tensor(const tensor::Tensor& tensor) noexcept;
/// The same for a layer's own tensors only.
const LevelTensor* level_tensor(const tensor::Tensor& tensor, const Layer& layer) noexcept;

/// Whether nobody but its only holder sees what a tensor, or the one below all its layers, has in
/// memory: it may be written without telling anyone.
bool is_alone(const tensor::Tensor& tensor) noexcept;

/// What a tensor stands for once the layers that it is of have ended; itself where they live, or
/// it has none. Throws TENON_ERROR_STATE, in the name of `who`, for one that must not outlive its
/// layer.
tensor::Tensor& settle_dead(const char* who, tensor::Tensor& tensor);

/// Tensors that a call goes on with, and the arguments that they stand for.
struct Replacement {
  tensor::Tensor* argument;
  tensor::Tensor* replaced_by;
};
using Replacements = base::SmallVector<Replacement, 8>;

/// The layer's tensor, no view itself, that a result from below is a view of: it lies on memory
/// that an argument stands for. NULL for what is no view.
const tensor::Tensor* viewed_argument(const Replacements& replacements, const Layer& layer,
                                      const tensor::Tensor& result) noexcept;
/// The caller's own handle where a result is what it was replaced by: what is returned is an alias
/// of it at every level. Empty for other results.
tensor::TensorPtr map_back(const Replacements& replacements, const tensor::Tensor& result);

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

/// Begins calls that follow at TransformFront, where tensors of layers that have ended are settled:
/// also inside of a kernel that a layer serves, which has it excluded.
class FromFront {
 public:
  FromFront() noexcept;
  ~FromFront();
  FromFront(const FromFront&) = delete;
  FromFront& operator=(const FromFront&) = delete;

 private:
  const KeyWords words_;
};

/// Kernels of the built-in fallbacks at TransformFront and TransformBack.
tenon_status transform_front(void* ctx, const tenon_op* op, tenon_keyset keys, tenon_stack* stack);
tenon_status transform_back(void* ctx, const tenon_op* op, tenon_keyset keys, tenon_stack* stack);
Explanation explain_transform_front(const Arguments* arguments);
Explanation explain_transform_back(const Arguments* arguments);

}  // namespace tenon::dispatch
