// SPDX-License-Identifier: Apache-2.0
// Node: one step of a backward graph, or a leaf, where gradients end.
//
// A node is one block of memory: this header, its edges, its saved values, and the metadata of its
// outputs. These never change after the node is recorded, so any thread may read them. State that
// changes while gradients flow belongs to the pass that has claimed the node (see ready_queue.h).
#pragma once

#include <atomic>
#include <cstdint>
#include <span>

#include "autograd/formula/formula.h"
#include "autograd/node/saved_tensor.h"
#include "base/intrusive_ptr.h"
#include "base/release_queue.h"
#include "tensor/tensor.h"

struct tenon_node;

namespace tenon::autograd {

using Node = ::tenon_node;
using NodePtr = base::IntrusivePtr<Node>;
class NodeExtra;

/// Where the gradient of an input flows: output `output` of a node, to which the edge holds a
/// reference. The node is NULL if no gradient is needed.
struct Edge {
  Node* node = nullptr;
  uint32_t output = 0;
};

/// The metadata of an output, which its gradient must match. The sizes follow the struct.
struct OutputInfo {
  int32_t dtype;  // kNoDtype: no gradient flows here; kAnyDtype: a leaf that accepts any
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

/// Either the data of the pass that has claimed a node, or the link in the list of ending nodes. A
/// node that ends can no longer be claimed.
struct NodeWord {
  struct Claim {
    std::atomic<const void*> pass{nullptr};
    /// Owned by the claiming pass: the one gradient of a node with one output, otherwise an array.
    union {
      tensor::Tensor* grad = nullptr;
      tensor::Tensor** grads;
    };
  };
  union {
    Claim claim;
    base::ReleaseLink ending;
  };
  NodeWord() noexcept : claim() {}
};

}  // namespace tenon::autograd

/// A node. Reference-counted.
struct tenon_node final : tenon::tensor::AutogradState, private tenon::autograd::NodeWord {
 public:
  using Node = tenon_node;
  using Edge = tenon::autograd::Edge;
  using SavedTensor = tenon::autograd::SavedTensor;
  using OutputInfo = tenon::autograd::OutputInfo;
  using Formula = tenon::autograd::Formula;

  /// Returns a node for a plan's formula and outputs (NULL: an output without a gradient). Its
  /// edges, saved tensors and saved values are still empty. Throws TENON_ERROR_OUT_OF_MEMORY.
  static tenon::autograd::NodePtr make(const tenon::autograd::Plan& plan,
                                       const tenon::autograd::NodeShape& shape,
                                       std::span<const tenon_tensor* const> outputs);
  /// Returns a new leaf for a tensor.
  static tenon::autograd::NodePtr make_leaf(const tenon_tensor& tensor);
  tenon_node(const tenon_node&) = delete;
  tenon_node& operator=(const tenon_node&) = delete;

  void retain() noexcept { references_.fetch_add(1, std::memory_order_relaxed); }
  void release() noexcept;

  /// Returns NULL for a leaf.
  const Formula* formula() const noexcept { return is_leaf() ? nullptr : plan_->formula; }
  bool is_leaf() const noexcept { return plan_ == nullptr; }
  const tenon::autograd::Plan& plan() const noexcept { return *plan_; }
  /// Returns a number that is larger than those of all nodes that the edges lead to, and of nodes
  /// that the thread made before; 0 for leaves.
  uint64_t sequence() const noexcept { return sequence_; }
  uint32_t output_count() const noexcept { return outputs_; }
  const char* name() const noexcept;

  std::span<Edge> edges() noexcept { return {first_edge(), edges_}; }
  std::span<const Edge> edges() const noexcept {
    return {const_cast<tenon_node*>(this)->first_edge(), edges_};
  }
  /// Sets an edge. Call once per edge, before other threads can see the node.
  void set_edge(uint32_t index, tenon::autograd::NodePtr node, uint32_t output) noexcept;
  /// Raises the sequence number above that of `node`, which must run later in a pass. Call before
  /// other threads can see this node.
  void come_after(const Node& node) noexcept;
  std::span<SavedTensor> saved_tensors() noexcept { return {first_saved(), saved_tensors_}; }
  std::span<tenon_value> saved_values() noexcept { return {first_value(), saved_values_}; }
  /// Returns true if the node holds values that a pass may drop: saved tensors, saved lists of
  /// tensors, or an inner node. A node with only other values can run any number of times.
  bool has_saved() noexcept;
  /// Returns the data that few nodes have, see node_extra.h; NULL if there is none.
  tenon::autograd::NodeExtra* extra() const noexcept {
    return extra_.load(std::memory_order_acquire);
  }
  /// Like extra(), but creates the data on first use. Throws std::bad_alloc.
  tenon::autograd::NodeExtra& require_extra();
  uint32_t use_count() const noexcept { return references_.load(std::memory_order_acquire); }
  /// Returns the metadata of one output.
  const OutputInfo& output(uint32_t index) const noexcept {
    return index == 0 ? *const_cast<tenon_node*>(this)->first_output() : later_output(index);
  }

  /// Saved tensors and values are released with the node, or after a backward pass that does not
  /// keep the graph has run it. begin_read() returns false if they are already released; otherwise
  /// the caller must call end_read(). With `drop` they are released after the last reader.
  bool begin_read() noexcept;
  void end_read(bool drop) noexcept;

  /// Claims the node for a pass while gradients are queued for it; returns false if another pass
  /// has claimed it. Only the claiming pass may use claimed(). A pass keeps alive the nodes that it
  /// reaches.
  bool try_claim(const void* pass) noexcept {
    const void* none = nullptr;
    return claim.pass.compare_exchange_strong(none, pass, std::memory_order_acquire,
                                              std::memory_order_relaxed);
  }
  bool is_claimed_by(const void* pass) const noexcept {
    return claim.pass.load(std::memory_order_relaxed) == pass;
  }
  /// Requires that the caller's pass has claimed the node.
  Claim& claimed() noexcept { return claim; }
  void unclaim() noexcept { claim.pass.store(nullptr, std::memory_order_release); }

  // For leaves: requires_grad of the tensor, and its gradient so far.
  bool requires_grad() const noexcept { return requires_grad_.load(std::memory_order_relaxed); }
  void set_requires_grad(bool wanted) noexcept {
    requires_grad_.store(wanted, std::memory_order_relaxed);
  }
  /// Returns the tensor of a leaf, or NULL if it no longer exists.
  tenon::tensor::TensorPtr copy_variable() const noexcept;
  /// Sets the dtype that gradients for an output are cast to. Requires exclusive access to the
  /// output's tensor.
  void set_grad_dtype(uint32_t output, tenon_dtype dtype) noexcept;
  /// Updates the leaf's metadata after set_data(), so that gradients match the new data. Requires
  /// exclusive access to the leaf, and room for the dims: a leaf has room for the number of dims
  /// that its tensor had at first, and at least for kInlineDims.
  bool has_room_for(int32_t ndim) const noexcept;
  void follow(const tenon_tensor& tensor) noexcept;
  /// Returns the leaf's gradient so far, or NULL. Safe to call from any thread at any time.
  tenon::tensor::TensorPtr copy_grad() const noexcept;
  /// Returns the previous gradient.
  tenon::tensor::TensorPtr set_grad(tenon::tensor::TensorPtr grad) noexcept;
  /// Stores `grad` if the leaf has no gradient. Otherwise returns false and leaves `grad`
  /// unchanged.
  bool try_put_grad(tenon::tensor::TensorPtr* grad) noexcept;

 private:
  tenon_node() noexcept = default;
  ~tenon_node() = default;
  static tenon_node* allocate(size_t bytes);
  static void drop_from_tensor(AutogradState* state) noexcept;
  static void end_of(tenon::base::ReleaseLink* ending) noexcept;
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
  tenon::tensor::WeakTensor* variable() const noexcept;  // of a leaf; stored behind its output

  std::atomic<uint32_t> references_{1};
  uint16_t edges_ = 0;
  uint16_t outputs_ = 0;
  uint16_t saved_tensors_ = 0;
  uint16_t saved_values_ = 0;
  uint8_t block_ = 0;
  std::atomic<bool> requires_grad_{false};
  std::atomic<uint16_t> readers_{0};         // see begin_read
  mutable std::atomic<bool> locked_{false};  // guards `grad_`
  uint64_t sequence_ = 0;
  const tenon::autograd::Plan* plan_ = nullptr;  // kept alive by a reference to its formula
  tenon::tensor::TensorPtr grad_;                // gradient of a leaf
  std::atomic<tenon::autograd::NodeExtra*> extra_{nullptr};
};
