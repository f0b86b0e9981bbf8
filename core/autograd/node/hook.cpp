// SPDX-License-Identifier: Apache-2.0
#include "autograd/node/hook.h"

#include <algorithm>

#include "base/check.h"
#include "base/live_count.h"
#include "base/small_vector.h"
#include "tensor/layout.h"

using tenon::base::count_live;

tenon_hook::tenon_hook(uint32_t kind, uint32_t output, TargetPtr target) noexcept
    : kind_(kind), output_(output), target_(std::move(target)) {
  count_live(TENON_HANDLE_HOOK, 1);
}

void tenon_hook::destroy(tenon_hook* hook) noexcept {
  count_live(TENON_HANDLE_HOOK, -1);
  delete hook;
}

void tenon_hook::remove() noexcept {
  TargetPtr gone;  // released after the lock, because its deleter is foreign code
  const tenon::base::SpinGuard guard(locked_);
  gone.swap(target_);
}

namespace tenon::autograd {

namespace {

using tensor::Tensor;

// Gradients written by a hook, owned until they replace the old ones.
class HookGradients {
 public:
  explicit HookGradients(size_t count) : grads_(count, nullptr) {}
  ~HookGradients() {
    for (Tensor* grad : grads_) {
      if (grad != nullptr) grad->release();
    }
  }
  HookGradients(const HookGradients&) = delete;
  HookGradients& operator=(const HookGradients&) = delete;
  Tensor** data() noexcept { return grads_.data(); }

  /// Swaps them with `grads` after checking that they fit.
  void move_to(std::span<Tensor*> grads, const Node& node, uint32_t kind, uint32_t first) {
    for (size_t i = 0; i < grads.size(); ++i) {
      Tensor*& grad = grads_[i];
      if (grad != nullptr && grad->is_undefined()) std::exchange(grad, nullptr)->release();
      if (grad != nullptr) check(*grad, node, kind, first + i);
    }
    for (size_t i = 0; i < grads.size(); ++i) std::swap(grads[i], grads_[i]);
  }

 private:
  static const OutputInfo* info_of(const Node& node, uint32_t kind, size_t index) {
    if (kind != TENON_HOOK_AFTER) return &node.output(static_cast<uint32_t>(index));
    const Edge& edge = node.edges()[index];
    return edge.node != nullptr ? &edge.node->output(edge.output) : nullptr;
  }

  static void check(const Tensor& grad, const Node& node, uint32_t kind, size_t index) {
    const OutputInfo* info = info_of(node, kind, index);
    if (info == nullptr) return;  // no node receives it
    const char* what = kind == TENON_HOOK_AFTER ? ": the gradient that a hook returns for input "
                                                : ": the gradient that a hook returns for output ";
    TENON_CHECK_TYPE(std::ranges::equal(grad.size_span(), info->size_span()), node.name(), what,
                     index, " must have the shape ", tensor::print_dims(info->size_span()),
                     ", got ", tensor::print_dims(grad.size_span()));
    TENON_CHECK_TYPE(info->dtype < 0 || grad.dtype() == info->dtype, node.name(), what, index,
                     " must be of dtype ", tensor::dtype_name(info->dtype), ", got ",
                     tensor::dtype_name(grad.dtype()));
    TENON_CHECK_TYPE(
        grad.device().type == info->device.type && grad.device().index == info->device.index,
        node.name(), what, index,
        " must be on the device of the original gradient, got another device");
  }

  base::SmallVector<Tensor*, 4> grads_;
};

void call_hook(const Hook::Target& target, Node& node, tenon_hook_call* call) {
  call->node = &node;
  call->ctx = target.ctx;
  const tenon_status status = target.fn(call);
  if (status == TENON_OK) return;
  base::ErrorPtr error = base::adopt_current_error(node.name(), "hook", status, true);
  error->add_note(base::concat("raised by a hook of ", node.name()));
  throw Error(std::move(error));
}

// Calls the hooks of one kind that `is_for` accepts; `first` is the index of the first gradient.
template <class IsFor>
void run(const HookList& list, Node& node, uint32_t kind, uint32_t first, std::span<Tensor*> grads,
         tenon_hook_call* call, IsFor is_for) {
  for (const HookPtr& hook : list.hooks) {
    if (hook->kind() != kind || !is_for(*hook)) continue;
    const Hook::TargetPtr target = hook->target();
    if (target == nullptr) continue;
    HookGradients written(grads.size());
    call->grads = grads.data();
    call->out_grads = written.data();
    call->ngrads = static_cast<int64_t>(grads.size());
    call->replaces = 0;
    call_hook(*target, node, call);
    if (call->replaces != 0) written.move_to(grads, node, kind, first);
  }
}

constexpr auto kAll = [](const Hook&) { return true; };

}  // namespace

void run_grad_hooks(const HookList& list, Node& node, uint32_t output, Tensor** grad) {
  tenon_hook_call call{};
  run(list, node, TENON_HOOK_GRAD, output, {grad, 1}, &call,
      [output](const Hook& hook) { return hook.output() == output; });
}

void run_hooks_before(const HookList& list, Node& node, std::span<Tensor*> grads) {
  tenon_hook_call call{};
  run(list, node, TENON_HOOK_BEFORE, 0, grads, &call, kAll);
}

void run_hooks_after(const HookList& list, Node& node, std::span<Tensor*> grads,
                     std::span<Tensor* const> outputs) {
  tenon_hook_call call{};
  call.outputs = outputs.data();
  call.noutputs = static_cast<int64_t>(outputs.size());
  run(list, node, TENON_HOOK_AFTER, 0, grads, &call, kAll);
}

void run_accumulated_hooks(const HookList& list, Node& leaf) {
  const tensor::TensorPtr variable = leaf.copy_variable();
  if (variable == nullptr) return;  // the tensor is gone, so no hook can read its gradient
  tenon_hook_call call{};
  call.tensor = variable.get();
  run(list, leaf, TENON_HOOK_ACCUMULATED, 0, {}, &call, kAll);
}

}  // namespace tenon::autograd
