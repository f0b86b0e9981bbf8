// SPDX-License-Identifier: Apache-2.0
#include "autograd/node/node.h"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <new>

#include "autograd/node/node_extra.h"
#include "base/check.h"
#include "base/live_count.h"
#include "base/spin_guard.h"
#include "base/thread.h"
#include "tensor/allocator.h"
#include "value/value.h"

using namespace tenon::autograd;
namespace tensor = tenon::tensor;
namespace base = tenon::base;

namespace {

// Small nodes are allocated in the same blocks as small tensors.
constexpr uint8_t kFromMalloc = 255;

tensor::BlockClass block_for(size_t bytes) noexcept {
  if (bytes <= static_cast<size_t>(tensor::kHeaderBytes)) return tensor::kHeaderBlock;
  return tensor::inline_class(static_cast<int64_t>(bytes) - tensor::kDataOffset);
}

bool fits_block(size_t bytes) noexcept {
  return bytes <= static_cast<size_t>(tensor::block_bytes(tensor::kBlock1024));
}

void write_info(const tensor::Tensor* output, OutputInfo* info) noexcept {
  const bool flows = output != nullptr;
  info->dtype = flows ? output->dtype() : OutputInfo::kNoDtype;
  info->ndim = flows ? output->ndim() : 0;
  info->device = flows ? output->device() : tenon_device{};
  for (int32_t dim = 0; dim < info->ndim; ++dim) info->sizes[dim] = output->sizes()[dim];
}

uint64_t bytes_of(std::span<const tenon_tensor* const> outputs) noexcept {
  uint64_t bytes = 0;
  for (const tenon_tensor* output : outputs) {
    bytes += OutputInfo::bytes(output != nullptr ? output->ndim() : 0);
  }
  return bytes;
}

OutputInfo* after(OutputInfo* info) noexcept {
  return reinterpret_cast<OutputInfo*>(reinterpret_cast<char*>(info) +
                                       OutputInfo::bytes(info->ndim));
}

// Returns the next sequence number of the calling thread: a Lamport clock, so that of two nodes
// that do not lead to each other, the newer one usually runs first. A thread without a record keeps
// no clock.
uint64_t next_sequence() noexcept {
  base::ThreadRecord* const thread = base::current_thread();
  void*& newest = thread->locals[base::kLocalSequence];
  const uint64_t sequence = reinterpret_cast<uintptr_t>(newest) + 1;
  if (thread != &base::no_thread_record) newest = reinterpret_cast<void*>(sequence);
  return sequence;
}
// Like next_sequence(), but greater than the number of a node that another thread has made.
[[gnu::noinline]] uint64_t sequence_after(uint64_t other) noexcept {
  uint64_t sequence = next_sequence();
  if (sequence > other) return sequence;
  sequence = other + 1;
  if (base::has_thread_record()) {
    base::current_thread()->locals[base::kLocalSequence] = reinterpret_cast<void*>(sequence);
  }
  return sequence;
}

}  // namespace

tenon_node* tenon_node::allocate(size_t bytes) {
  const bool small = fits_block(bytes);
  const tensor::BlockClass block = small ? block_for(bytes) : tensor::kHeaderBlock;
  void* memory = small ? tensor::allocate_block(block) : std::malloc(bytes);
  if (memory == nullptr) throw std::bad_alloc();
  auto* node = new (memory) tenon_node;
  node->drop = &drop_from_tensor;
  node->block_ = small ? static_cast<uint8_t>(block) : kFromMalloc;
  base::count_live(TENON_HANDLE_NODE, 1);
  return node;
}

NodePtr tenon_node::make(const Plan& plan, const NodeShape& shape,
                         std::span<const tenon_tensor* const> outputs) {
  TENON_CHECK(
      shape.edges < UINT16_MAX && shape.saved_tensors < UINT16_MAX &&
          shape.saved_values < UINT16_MAX && outputs.size() < UINT16_MAX,
      TENON_ERROR_NOT_SUPPORTED, plan.formula->name(),
      ": a recorded call must have fewer than 65535 inputs, outputs and saved values, got more");
  tenon_node* node = allocate(sizeof(tenon_node) + shape.edges * sizeof(Edge) +
                              shape.saved_tensors * sizeof(SavedTensor) +
                              shape.saved_values * sizeof(tenon_value) + bytes_of(outputs));
  plan.formula->retain();
  node->plan_ = &plan;
  node->edges_ = static_cast<uint16_t>(shape.edges);
  node->saved_tensors_ = static_cast<uint16_t>(shape.saved_tensors);
  node->saved_values_ = static_cast<uint16_t>(shape.saved_values);
  node->outputs_ = static_cast<uint16_t>(outputs.size());
  node->sequence_ = next_sequence();
  std::ranges::uninitialized_default_construct(node->edges());
  std::ranges::uninitialized_default_construct(node->saved_tensors());
  std::ranges::uninitialized_value_construct(node->saved_values());
  OutputInfo* info = node->first_output();
  bool has_symbols = false;
  for (const tenon_tensor* output : outputs) {
    write_info(output, info);
    info = after(info);
    has_symbols = has_symbols || (output != nullptr && output->is_symbolic());
  }
  NodePtr made = NodePtr::adopt(node);
  if (has_symbols) [[unlikely]] {
    for (const tenon_tensor* output : outputs) made->keep_symbols(output);
  }
  return made;
}

// Retains the owner of the symbols in the sizes of outputs, which are borrowed words.
void tenon_node::keep_symbols(const tenon_tensor* output) {
  if (output == nullptr || !output->is_symbolic()) return;
  base::SymbolOwner*& kept = require_extra().symbols;
  if (kept != nullptr) return;
  kept = output->extra()->symbols;
  kept->retain();
}

NodePtr tenon_node::make_leaf(const tenon_tensor& tensor) {
  const tenon_tensor* output = &tensor;
  const int32_t room = std::max(tensor.ndim(), tensor::kInlineDims);
  tenon_node* node =
      allocate(sizeof(tenon_node) + OutputInfo::bytes(room) + sizeof(tensor::WeakTensor));
  node->outputs_ = 1;
  write_info(output, node->first_output());
  new (node->variable()) tensor::WeakTensor(const_cast<tenon_tensor*>(&tensor));
  NodePtr made = NodePtr::adopt(node);
  made->keep_symbols(output);
  return made;
}

tensor::WeakTensor* tenon_node::variable() const noexcept {
  TENON_DCHECK(is_leaf());
  return reinterpret_cast<tensor::WeakTensor*>(
      after(const_cast<tenon_node*>(this)->first_output()));
}

tensor::TensorPtr tenon_node::copy_variable() const noexcept {
  return is_leaf() ? variable()->lock() : nullptr;
}

void tenon_node::set_grad_dtype(uint32_t index, tenon_dtype dtype) noexcept {
  const_cast<OutputInfo&>(output(index)).dtype = dtype < 0 ? OutputInfo::kAnyDtype : dtype;
}

NodeExtra& tenon_node::require_extra() {
  NodeExtra* extra = extra_.load(std::memory_order_acquire);
  if (extra != nullptr) return *extra;
  auto fresh = std::make_unique<NodeExtra>();
  if (extra_.compare_exchange_strong(extra, fresh.get(), std::memory_order_acq_rel)) {
    return *fresh.release();
  }
  return *extra;  // lost the race
}

bool tenon_node::has_room_for(int32_t ndim) const noexcept {
  TENON_DCHECK(is_leaf());
  return ndim <= std::max(output(0).ndim, tensor::kInlineDims);
}

void tenon_node::follow(const tenon_tensor& tensor) noexcept {
  TENON_DCHECK(has_room_for(tensor.ndim()));
  // The variable is stored behind the sizes, so it moves if their number changes.
  tensor::WeakTensor kept = std::move(*variable());
  variable()->~WeakTensor();
  write_info(&tensor, first_output());
  new (variable()) tensor::WeakTensor(std::move(kept));
}

const char* tenon_node::name() const noexcept {
  return is_leaf() ? "AccumulateGrad" : formula()->name();
}

void tenon_node::come_after(const Node& node) noexcept {
  if (node.sequence_ >= sequence_) [[unlikely]] {
    sequence_ = sequence_after(node.sequence_);
  }
}

void tenon_node::set_edge(uint32_t index, NodePtr node, uint32_t output) noexcept {
  Edge& edge = edges()[index];
  TENON_DCHECK(edge.node == nullptr && node.get() != this);
  come_after(*node);
  edge = {node.detach(), output};
}

const OutputInfo& tenon_node::later_output(uint32_t index) const noexcept {
  TENON_DCHECK(index < outputs_);
  OutputInfo* info = const_cast<tenon_node*>(this)->first_output();
  for (; index != 0; --index) info = after(info);
  return *info;
}

void tenon_node::release() noexcept {
  // The last reference needs no atomic write.
  if (references_.load(std::memory_order_acquire) != 1 &&
      references_.fetch_sub(1, std::memory_order_acq_rel) != 1) {
    return;
  }
  // The edges may hold the last references to a chain of a million nodes: end them one by one
  // instead of recursively.
  TENON_DCHECK(is_claimed_by(nullptr));
  base::release_in_order(new (&ending) base::ReleaseLink, &end_of);
}

void tenon_node::drop_from_tensor(AutogradState* state) noexcept {
  static_cast<tenon_node*>(state)->release();
}

void tenon_node::end_of(base::ReleaseLink* ending) noexcept {
  static_cast<tenon_node*>(reinterpret_cast<NodeWord*>(ending))->end();
}

void tenon_node::end() noexcept {
  drop_saved();
  for (Edge& edge : edges()) {
    if (edge.node != nullptr) edge.node->release();
  }
  grad_.reset();
  if (is_leaf()) variable()->~WeakTensor();
  delete extra_.load(std::memory_order_acquire);
  if (plan_ != nullptr) plan_->formula->release();
  base::count_live(TENON_HANDLE_NODE, -1);
  const uint8_t block = block_;
  if (block == kFromMalloc) {
    std::free(this);
  } else {
    tensor::free_block(this, static_cast<tensor::BlockClass>(block));
  }
}

bool tenon_node::has_saved() noexcept {
  for (const SavedTensor& saved : saved_tensors()) {
    if (saved.tensor != nullptr) return true;
  }
  for (const tenon_value& value : saved_values()) {
    if (value.tag == TENON_TAG_TENSOR_LIST) return true;
  }
  return extra() != nullptr && extra()->inner != nullptr;
}

void tenon_node::drop_saved() noexcept {
  for (SavedTensor& saved : saved_tensors()) saved.clear();
  for (tenon_value& value : saved_values()) tenon::value::clear(&value);
  if (NodeExtra* more = extra()) {
    more->inner.reset();
    more->packed_lists.clear();
  }
}

tensor::TensorPtr tenon_node::copy_grad() const noexcept {
  const base::SpinGuard guard(locked_);
  return grad_;
}

tensor::TensorPtr tenon_node::set_grad(tensor::TensorPtr grad) noexcept {
  const base::SpinGuard guard(locked_);
  grad_.swap(grad);
  return grad;
}

bool tenon_node::try_put_grad(tensor::TensorPtr* grad) noexcept {
  const base::SpinGuard guard(locked_);
  if (grad_ != nullptr) return false;
  grad_.swap(*grad);
  return true;
}

// Note: releasing saved values. A pass that drops them may finish while another pass still reads
// them. The lower 14 bits of `readers_` count readers. Bit 15 means that the values are to be
// dropped: new readers are refused. The last reader to leave then sets bit 14, which makes it the
// one that drops them, exactly once.
namespace {
constexpr uint16_t kDrop = 1u << 15;
constexpr uint16_t kDropped = 1u << 14;
}  // namespace

bool tenon_node::begin_read() noexcept {
  uint16_t word = readers_.load(std::memory_order_relaxed);
  do {
    if ((word & kDrop) != 0) return false;
  } while (!readers_.compare_exchange_weak(word, static_cast<uint16_t>(word + 1),
                                           std::memory_order_acquire, std::memory_order_relaxed));
  return true;
}

void tenon_node::end_read(bool drop) noexcept {
  uint16_t word = readers_.load(std::memory_order_relaxed);
  uint16_t next;
  do {
    next = static_cast<uint16_t>(word - 1);
    if (drop) next |= kDrop;
    if (next == kDrop) next = kDrop | kDropped;
  } while (!readers_.compare_exchange_weak(word, next, std::memory_order_acq_rel,
                                           std::memory_order_relaxed));
  if (next == (kDrop | kDropped)) drop_saved();
}
