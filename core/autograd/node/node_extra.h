// SPDX-License-Identifier: Apache-2.0
// NodeExtra: data that few nodes have, such as hooks, retained gradients, cells of languages,
// packed lists, and the inner node of a write through a view.
#pragma once

#include <memory>
#include <vector>

#include "autograd/engine/origin.h"
#include "autograd/node/hook.h"
#include "autograd/node/node.h"
#include "autograd/node/packed_list.h"
#include "base/error.h"
#include "base/symbol.h"

namespace tenon::autograd {

/// A language's cell on a node.
struct NodeCell {
  explicit NodeCell(uint32_t the_language) noexcept : language(the_language) {}
  const uint32_t language;
  void* object = nullptr;
  tenon_deleter drop = nullptr;  // set if the node owns `object`
  NodeCell* next = nullptr;
};

/// An output that retains its gradient, and the gradient so far.
struct Retained {
  uint32_t output = 0;
  tensor::WeakTensor tensor;
  tensor::TensorPtr grad;
  std::unique_ptr<Retained> next;
};

class NodeExtra {
 public:
  NodeExtra() noexcept = default;
  NodeExtra(const NodeExtra&) = delete;
  NodeExtra& operator=(const NodeExtra&) = delete;
  ~NodeExtra();

  /// Returns NULL if no hook was added. Like all member functions, safe to call from any thread.
  HookListPtr hooks() const noexcept;
  /// Throws std::bad_alloc.
  void add_hook(HookPtr hook);

  bool has_retained() const noexcept { return has_retained_.load(std::memory_order_relaxed); }
  /// Makes an output retain its gradient, if it does not yet. Throws std::bad_alloc.
  void retain_grad(uint32_t output, tensor::Tensor& tensor);
  bool retains_grad(uint32_t output, const tensor::Tensor& tensor) const noexcept;
  tensor::TensorPtr copy_retained(uint32_t output, const tensor::Tensor& tensor) const noexcept;
  /// Sets the retained gradient of a tensor; returns false if the tensor does not retain its
  /// gradient.
  bool set_retained(uint32_t output, const tensor::Tensor& tensor, tensor::TensorPtr grad) noexcept;
  /// Adds a gradient to the retained ones of all tensors that are this output. Throws the errors of
  /// operators.
  void add_retained(uint32_t output, const tensor::Tensor& grad);
  /// Removes and returns the retained gradient of a tensor, which is moving to another node.
  std::unique_ptr<Retained> take_retained(uint32_t output, const tensor::Tensor& tensor) noexcept;
  void put_retained(std::unique_ptr<Retained> retained) noexcept;

  /// Returns a language's cell, created on first use; NULL if out of memory.
  NodeCell* cell(uint32_t language) noexcept;
  /// Returns the object that a language's cell owns; NULL if it owns none.
  void* owned_object(uint32_t language) const noexcept;

  /// For a write node (see view_node.h): the node of the call that wrote the view. The write node
  /// runs it with the gradient of its output `inner_output`. The gradient for edge `inner_self`
  /// (-1: none), which leads to the view, becomes a part of the gradient for edge 0 of the write
  /// node. Set before other threads can see the node, and released with its saved values.
  NodePtr inner;
  uint16_t inner_output = 0;
  int16_t inner_self = -1;
  /// Packed lists among the saved values. Set before other threads can see the node or while no
  /// pass reaches it, and released with the saved values.
  std::vector<PackedList> packed_lists;
  /// Owner of the symbols in the sizes of outputs; a reference. NULL if the sizes are numbers.
  base::SymbolOwner* symbols = nullptr;
  /// Where the node was created, in anomaly mode. Set before other threads can see the node.
  base::IntrusivePtr<Origin> origin;

 private:
  Retained* find_locked(uint32_t output, const tensor::Tensor& tensor) const noexcept;

  mutable std::atomic<bool> locked_{false};  // guards `hooks_` and `retained_`
  std::atomic<bool> has_retained_{false};
  HookListPtr hooks_;
  std::unique_ptr<Retained> retained_;
  std::atomic<NodeCell*> cells_{nullptr};
};

/// See tenon_node_cell and tenon_node_own_cell.
void** node_cell(Node& node, uint32_t language) noexcept;
void own_node_cell(Node& node, uint32_t language, void* object, tenon_deleter drop);

/// Moves the retained gradient of a tensor that was output `from_output` of one node and becomes an
/// output of another. Throws std::bad_alloc before anything changes.
void move_retained(const tensor::Tensor& tensor, Node& from, uint32_t from_output, Node& to,
                   uint32_t to_output);

}  // namespace tenon::autograd
