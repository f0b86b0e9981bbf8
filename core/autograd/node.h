// SPDX-License-Identifier: Apache-2.0
// Node: one step of a backward graph, and the leaf, where gradients end.
//
// A node is one block of memory: this header, then its edges, what it saved, the metadata of its
// outputs. Of these nothing changes once the node is recorded, so that any thread reads them; what
// changes while gradients flow belongs to the pass that has claimed the node (see waiting.h).
#pragma once

#include <atomic>
#include <cstdint>
#include <span>

#include "autograd/formula.h"
#include "autograd/saved_tensor.h"
#include "base/intrusive_ptr.h"
#include "base/release_queue.h"
#include "tensor/tensor.h"

struct tenon_node;

namespace tenon::autograd {

using Node = ::tenon_node;
using NodePtr = base::IntrusivePtr<Node>;
class NodeExtra;

/// Where the gradient of an input goes: output `output` of a node, which the edge owns. Empty where
/// none is wanted.
struct Edge {
  Node* node = nullptr;
  uint32_t output = 0;
};

/// What an output is like: a gradient for it has the same sizes, dtype and device. Sizes follow.
struct OutputInfo {
  int32_t dtype;  // kNoDtype: no gradient flows here; kAnyDtype: of a leaf that takes any
  int32_t ndim;
  tenon_device device;
  int64_t sizes[];

  static constexpr int32_t kNoDtype = -1;
  static constexpr int32_t kAnyDtype = -2;
  bool flows() const noexcept { return dtype != kNoDtype; }
  static constexpr size_t bytes(int32_t ndim) noexcept {
    return sizeof(OutputInfo) + static_cast<size_t>(ndim) * sizeof(int64_t);
  }
  tensor::Dims size_span() const noexcept { return {sizes, static_cast<size_t>(ndim)}; }
};

/// What a pass that has claimed a node keeps there, or the link of a node that ends: nobody claims
/// that one.
struct NodeWord {
  struct Claim {
    std::atomic<const void*> pass{nullptr};
    /// As the pass has it: of a node with one output its gradient, else those of all.
    union {
      tensor::Tensor* grad = nullptr;
      tensor::Tensor** grads;
    };
  };
  union {
    Claim claim;
    base::Ending ending;
  };
  NodeWord() noexcept : claim() {}
};

}  // namespace tenon::autograd

/// A node.
struct tenon_node final : tenon::tensor::AutogradState, private tenon::autograd::NodeWord {
 public:
  using Node = tenon_node;
  using Edge = tenon::autograd::Edge;
  using SavedTensor = tenon::autograd::SavedTensor;
  using OutputInfo = tenon::autograd::OutputInfo;
  using Formula = tenon::autograd::Formula;

  /// A node of a plan's formula, with edges, saved tensors and values still empty, for such outputs
  /// (NULL: one without gradient). Throws TENON_ERROR_OUT_OF_MEMORY.
  static tenon::autograd::NodePtr make(const tenon::autograd::Plan& plan,
                                       const tenon::autograd::NodeShape& shape,
                                       std::span<const tenon_tensor* const> outputs);
  /// The leaf of a tensor.
  static tenon::autograd::NodePtr make_leaf(const tenon_tensor& tensor);
  tenon_node(const tenon_node&) = delete;
  tenon_node& operator=(const tenon_node&) = delete;

  void retain() noexcept { references_.fetch_add(1, std::memory_order_relaxed); }
  void release() noexcept;

  /// NULL for a leaf.
  const Formula* formula() const noexcept { return is_leaf() ? nullptr : plan_->formula; }
  bool is_leaf() const noexcept { return plan_ == nullptr; }
  const tenon::autograd::Plan& plan() const noexcept { return *plan_; }
  /// Larger than that of every node that its edges lead to, and that the thread has made before it;
  /// 0 of leaves.
  uint64_t sequence() const noexcept { return sequence_; }
  uint32_t output_count() const noexcept { return outputs_; }
  const char* name() const noexcept;

  std::span<Edge> edges() noexcept { return {first_edge(), edges_}; }
  std::span<const Edge> edges() const noexcept {
    return {const_cast<tenon_node*>(this)->first_edge(), edges_};
  }
  /// Sets an edge, once, before the node is seen by anybody else.
  void set_edge(uint32_t index, tenon::autograd::NodePtr node, uint32_t output) noexcept;
  /// Raises its number above that of a node that a pass has to run later, before anybody else sees
  /// this one.
  void come_after(const Node& node) noexcept;
  std::span<SavedTensor> saved_tensors() noexcept { return {first_saved(), saved_tensors_}; }
  std::span<tenon_value> saved_values() noexcept { return {first_value(), saved_values_}; }
  /// Returns true if it saved a tensor: what else it saved stays for passes to come.
  bool has_saved() noexcept;
  /// What few nodes have, see node_extra.h; NULL without.
  tenon::autograd::NodeExtra* extra() const noexcept {
    return extra_.load(std::memory_order_acquire);
  }
  /// The same, made on demand. Throws std::bad_alloc.
  tenon::autograd::NodeExtra& require_extra();
  uint32_t use_count() const noexcept { return references_.load(std::memory_order_acquire); }
  /// Of one output.
  const OutputInfo& output(uint32_t index) const noexcept {
    return index == 0 ? *const_cast<tenon_node*>(this)->first_output() : later_output(index);
  }

  /// Saved tensors and values go with the node, or when a backward pass that does not keep the
  /// graph has run it. `begin_read` is false when they are gone, else `end_read` follows; with
  /// `drop` they go as soon as nobody reads them.
  bool begin_read() noexcept;
  void end_read(bool drop) noexcept;

  /// While gradients wait for the node a pass may claim it: nobody else can, and what the claim
  /// holds is the pass's. A pass keeps the nodes it comes to.
  bool try_claim(const void* pass) noexcept {
    const void* none = nullptr;
    return claim.pass.compare_exchange_strong(none, pass, std::memory_order_acquire,
                                              std::memory_order_relaxed);
  }
  bool is_claimed_by(const void* pass) const noexcept {
    return claim.pass.load(std::memory_order_relaxed) == pass;
  }
  /// Of the one who has claimed it.
  Claim& claimed() noexcept { return claim; }
  void unclaim() noexcept { claim.pass.store(nullptr, std::memory_order_release); }

  // Of a leaf: whether its tensor asks for gradients, and what has come so far.
  bool requires_grad() const noexcept { return requires_grad_.load(std::memory_order_relaxed); }
  void set_requires_grad(bool wanted) noexcept {
    requires_grad_.store(wanted, std::memory_order_relaxed);
  }
  /// The tensor whose leaf it is; NULL when that is gone.
  tenon::tensor::TensorPtr copy_variable() const noexcept;
  /// Sets the dtype that gradients for an output are converted to. Nobody else uses it meanwhile.
  void set_grad_dtype(uint32_t output, tenon_dtype dtype) noexcept;
  /// The tensor's data is another's now: gradients are to be like that. Nobody else uses the leaf
  /// meanwhile; there is room for the dims that it had first, and for those of most tensors.
  bool has_room_for(int32_t ndim) const noexcept;
  void follow(const tenon_tensor& tensor) noexcept;
  /// Any thread may do these at any time.
  tenon::tensor::TensorPtr copy_grad() const noexcept;
  /// Returns the one that was there.
  tenon::tensor::TensorPtr set_grad(tenon::tensor::TensorPtr grad) noexcept;
  /// False, and `grad` stays, where there is one.
  bool try_put_grad(tenon::tensor::TensorPtr* grad) noexcept;

 private:
  tenon_node() noexcept = default;
  ~tenon_node() = default;
  static tenon_node* allocate(size_t bytes);
  static void drop_from_tensor(AutogradState* state) noexcept;
  static void end_of(tenon::base::Ending* ending) noexcept;
  void end() noexcept;
  void keep_symbols(const tenon_tensor* output);
  void drop_saved() noexcept;
  const OutputInfo& later_output(uint32_t index) const noexcept;

  Edge* first_edge() noexcept { return reinterpret_cast<Edge*>(this + 1); }
  SavedTensor* first_saved() noexcept {
    return reinterpret_cast<SavedTensor*>(first_edge() + edges_);
  }
  tenon_value* first_value() noexcept {
    return reinterpret_cast<tenon_value*>(first_saved() + saved_tensors_);
  }
  OutputInfo* first_output() noexcept {
    return reinterpret_cast<OutputInfo*>(first_value() + saved_values_);
  }
  tenon::tensor::WeakTensor* variable() const noexcept;  // of a leaf, behind its output

  std::atomic<uint32_t> references_{1};
  uint16_t edges_ = 0;
  uint16_t outputs_ = 0;
  uint16_t saved_tensors_ = 0;
  uint16_t saved_values_ = 0;
  uint8_t block_ = 0;
  std::atomic<bool> requires_grad_{false};
  std::atomic<uint16_t> readers_{0};         // see begin_read
  mutable std::atomic<bool> locked_{false};  // while `grad_` is looked at
  uint64_t sequence_ = 0;
  const tenon::autograd::Plan* plan_ = nullptr;  // kept by a reference to its formula
  tenon::tensor::TensorPtr grad_;                // of a leaf
  std::atomic<tenon::autograd::NodeExtra*> extra_{nullptr};
};
