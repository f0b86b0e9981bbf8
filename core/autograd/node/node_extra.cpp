// SPDX-License-Identifier: Apache-2.0
#include "autograd/node/node_extra.h"

#include <new>

#include "autograd/operators.h"
#include "base/check.h"
#include "base/language.h"

namespace tenon::autograd {

using tensor::Tensor;
using tensor::TensorPtr;

NodeExtra::~NodeExtra() {
  if (symbols != nullptr) symbols->release();
  // A handle of a hook may outlive the node: it keeps nothing of what the hook calls.
  if (hooks_ != nullptr) {
    for (const HookPtr& hook : hooks_->hooks) hook->remove();
  }
  while (retained_ != nullptr) retained_ = std::move(retained_->next);
  for (NodeCell* cell = cells_.load(std::memory_order_acquire); cell != nullptr;) {
    NodeCell* next = cell->next;
    if (cell->drop != nullptr) cell->drop(cell->object);
    delete cell;
    cell = next;
  }
}

HookListPtr NodeExtra::hooks() const noexcept {
  const base::SpinGuard guard(locked_);
  return hooks_;
}

void NodeExtra::add_hook(HookPtr hook) {
  while (true) {
    const HookListPtr before = hooks();
    auto list = base::make_intrusive<HookList>();
    if (before != nullptr) {
      for (const HookPtr& each : before->hooks) {
        if (each->target() != nullptr) list->hooks.push_back(each);
      }
    }
    list->hooks.push_back(hook);
    const base::SpinGuard guard(locked_);
    if (hooks_ != before) continue;  // another thread added one meanwhile
    hooks_.swap(list);
    return;
  }
}

Retained* NodeExtra::find_locked(uint32_t output, const Tensor& tensor) const noexcept {
  for (Retained* each = retained_.get(); each != nullptr; each = each->next.get()) {
    if (each->output == output && each->tensor.is(tensor)) return each;
  }
  return nullptr;
}

void NodeExtra::retain_grad(uint32_t output, Tensor& tensor) {
  if (retains_grad(output, tensor)) return;
  auto fresh = std::make_unique<Retained>();
  fresh->output = output;
  fresh->tensor = tensor::WeakTensor(&tensor);
  put_retained(std::move(fresh));
}

bool NodeExtra::retains_grad(uint32_t output, const Tensor& tensor) const noexcept {
  const base::SpinGuard guard(locked_);
  return find_locked(output, tensor) != nullptr;
}

TensorPtr NodeExtra::copy_retained(uint32_t output, const Tensor& tensor) const noexcept {
  const base::SpinGuard guard(locked_);
  const Retained* found = find_locked(output, tensor);
  return found != nullptr ? found->grad : nullptr;
}

bool NodeExtra::set_retained(uint32_t output, const Tensor& tensor, TensorPtr grad) noexcept {
  const base::SpinGuard guard(locked_);
  Retained* found = find_locked(output, tensor);
  if (found == nullptr) return false;
  found->grad.swap(grad);  // the old one goes when the caller's pointer does, after the lock
  return true;
}

void NodeExtra::add_retained(uint32_t output, const Tensor& grad) {
  // What is there is looked at one by one: operators run without the lock.
  for (size_t skipped = 0;; ++skipped) {
    while (true) {
      TensorPtr owner;
      TensorPtr before;
      {
        const base::SpinGuard guard(locked_);
        Retained* each = retained_.get();
        for (size_t i = 0; each != nullptr && i < skipped; ++i) each = each->next.get();
        if (each == nullptr) return;
        if (each->output == output) owner = each->tensor.lock();
        before = each->grad;
      }
      if (owner == nullptr) break;
      TensorPtr sum = before != nullptr ? operators::add(*before, grad) : operators::clone(grad);
      const base::SpinGuard guard(locked_);
      Retained* each = find_locked(output, *owner);
      if (each == nullptr) break;
      if (each->grad != before) continue;  // another pass added meanwhile
      each->grad.swap(sum);
      break;
    }
  }
}

std::unique_ptr<Retained> NodeExtra::take_retained(uint32_t output, const Tensor& tensor) noexcept {
  const base::SpinGuard guard(locked_);
  for (std::unique_ptr<Retained>* link = &retained_; *link != nullptr; link = &(*link)->next) {
    if ((*link)->output != output || !(*link)->tensor.is(tensor)) continue;
    std::unique_ptr<Retained> taken = std::move(*link);
    *link = std::move(taken->next);
    return taken;
  }
  return nullptr;
}

void NodeExtra::put_retained(std::unique_ptr<Retained> retained) noexcept {
  const base::SpinGuard guard(locked_);
  retained->next = std::move(retained_);
  retained_ = std::move(retained);
  has_retained_.store(true, std::memory_order_relaxed);
}

NodeCell* NodeExtra::cell(uint32_t language) noexcept {
  NodeCell* first = cells_.load(std::memory_order_acquire);
  NodeCell* fresh = nullptr;
  while (true) {
    for (NodeCell* each = first; each != nullptr; each = each->next) {
      if (each->language != language) continue;
      delete fresh;  // another thread was faster
      return each;
    }
    if (fresh == nullptr) fresh = new (std::nothrow) NodeCell(language);
    if (fresh == nullptr) return nullptr;
    fresh->next = first;
    if (cells_.compare_exchange_strong(first, fresh, std::memory_order_acq_rel)) return fresh;
  }
}

void* NodeExtra::owned_object(uint32_t language) const noexcept {
  for (NodeCell* each = cells_.load(std::memory_order_acquire); each; each = each->next) {
    if (each->language == language) return each->drop != nullptr ? each->object : nullptr;
  }
  return nullptr;
}

namespace {

bool has_cell(uint32_t language) noexcept {
  return language != TENON_LANGUAGE_NONE && base::is_language(language);
}

}  // namespace

void** node_cell(Node& node, uint32_t language) noexcept {
  if (!has_cell(language)) return nullptr;
  try {
    NodeCell* cell = node.require_extra().cell(language);
    return cell != nullptr ? &cell->object : nullptr;
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

void own_node_cell(Node& node, uint32_t language, void* object, tenon_deleter drop) {
  TENON_CHECK_ARG(has_cell(language),
                  "tenon_node_own_cell: language must be a registered one, got ", language);
  NodeCell* cell = node.require_extra().cell(language);
  if (cell == nullptr) throw std::bad_alloc();
  void* old_object = std::exchange(cell->object, object);
  const tenon_deleter old_drop = std::exchange(cell->drop, drop);
  // The same object again only changes who owns it; another one ends the ownership of the first.
  if (old_drop != nullptr && old_object != object) old_drop(old_object);
}

void move_retained(const Tensor& tensor, Node& from, uint32_t from_output, Node& to,
                   uint32_t to_output) {
  NodeExtra* before = from.extra();
  if (before == nullptr || !before->retains_grad(from_output, tensor)) return;
  NodeExtra& after = to.require_extra();
  std::unique_ptr<Retained> retained = before->take_retained(from_output, tensor);
  if (retained == nullptr) return;
  retained->output = to_output;
  after.put_retained(std::move(retained));
}

}  // namespace tenon::autograd
