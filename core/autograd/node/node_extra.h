// SPDX-License-Identifier: Apache-2.0
// NodeExtra: what few nodes have. Hooks, gradients that outputs retain, cells of languages, packed
// lists, and the node that a write through a view runs itself.
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

/// A language's word on a node.
struct NodeCell {
  explicit NodeCell(uint32_t the_language) noexcept : language(the_language) {}
  const uint32_t language;
  void* object = nullptr;
  tenon_deleter drop = nullptr;  // set: the node owns
  NodeCell* next = nullptr;
};

/// An output that retains its gradient, and what has come so far.
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

  /// NULL where no hook was added. Any thread at any time, as all of this.
  HookListPtr hooks() const noexcept;
  /// Throws std::bad_alloc.
  void add_hook(HookPtr hook);

  bool has_retained() const noexcept { return has_retained_.load(std::memory_order_relaxed); }
  /// Makes an output retain its gradient, where it does not yet. Throws std::bad_alloc.
  void retain_grad(uint32_t output, tensor::Tensor& tensor);
  bool retains_grad(uint32_t output, const tensor::Tensor& tensor) const noexcept;
  tensor::TensorPtr copy_retained(uint32_t output, const tensor::Tensor& tensor) const noexcept;
  /// Sets what a tensor has retained; false where it does not retain.
  bool set_retained(uint32_t output, const tensor::Tensor& tensor, tensor::TensorPtr grad) noexcept;
  /// Adds a gradient to what the tensors that are this output have. Throws what operators raise.
  void add_retained(uint32_t output, const tensor::Tensor& grad);
  /// Takes out what a tensor retains: it follows the tensor to another node.
  std::unique_ptr<Retained> take_retained(uint32_t output, const tensor::Tensor& tensor) noexcept;
  void put_retained(std::unique_ptr<Retained> retained) noexcept;

  /// A language's word, made on demand; NULL when memory is short.
  NodeCell* cell(uint32_t language) noexcept;
  /// What a language's word owns, NULL where it owns nothing.
  void* owned_object(uint32_t language) const noexcept;

  /// A node that this one runs itself, for its output `inner_output` and with its edge `inner_self`
  /// (-1: none) as this one's first. Set before anybody else sees the node; goes as what it saved.
  NodePtr inner;
  uint16_t inner_output = 0;
  int16_t inner_self = -1;
  /// Of the saved values. Set before anybody else sees the node, or while no pass comes to it; they
  /// go as what it saved.
  std::vector<PackedList> packed_lists;
  /// Of the sizes of outputs: a reference. NULL: they are numbers.
  base::SymbolOwner* symbols = nullptr;
  /// Where the node was made, in anomaly mode. Set before anybody else sees the node.
  base::IntrusivePtr<Origin> origin;

 private:
  Retained* find_locked(uint32_t output, const tensor::Tensor& tensor) const noexcept;

  mutable std::atomic<bool> locked_{false};  // while `hooks_` and `retained_` are looked at
  std::atomic<bool> has_retained_{false};
  HookListPtr hooks_;
  std::unique_ptr<Retained> retained_;
  std::atomic<NodeCell*> cells_{nullptr};
};

/// See tenon_node_cell and tenon_node_own_cell.
void** node_cell(Node& node, uint32_t language) noexcept;
void own_node_cell(Node& node, uint32_t language, void* object, tenon_deleter drop);

/// A tensor that was output `from_output` of a node becomes that of another one: what it retains
/// goes along. Throws std::bad_alloc before anything changes.
void move_retained(const tensor::Tensor& tensor, Node& from, uint32_t from_output, Node& to,
                   uint32_t to_output);

}  // namespace tenon::autograd
