// SPDX-License-Identifier: Apache-2.0
#include "opcheck/sample.h"

#include <unordered_map>

#include "autograd/operators.h"
#include "autograd/record/grad_mode_guard.h"
#include "autograd/tensor_state.h"
#include "base/check.h"
#include "dispatch/call_path.h"
#include "dispatch/lookup.h"
#include "tensor/layout.h"

namespace tenon::opcheck {

namespace {

tenon_stack stack_of(Arguments args) noexcept {
  tenon_stack stack{};
  stack.args = const_cast<tenon_value*>(args.data());  // which the copy only reads
  stack.nargs = static_cast<uint32_t>(args.size());
  return stack;
}

}  // namespace

Sample::Sample(const tenon_op& op, Arguments args, const Replace& replace)
    : op_(op), schema_(dispatch::schema_of(op)), args_(stack_of(args)) {
  TENON_CHECK_ARG(schema_ != nullptr, "tenon_opcheck: op must be defined, got ", op.name());
  if (dispatch::check_arguments(&op, args.data(), static_cast<int64_t>(args.size())) != TENON_OK) {
    throw Error(base::take_current_error());
  }
  std::unordered_map<const Tensor*, TensorPtr> made;
  args_.replace_tensors([&](Tensor& tensor) {
    if (tensor.is_undefined()) return TensorPtr();
    TensorPtr& one = made[&tensor];
    if (!one) one = replace(tensor);
    return one;
  });
  int64_t position = 0;
  for (const tenon_value& arg : args_.values()) {
    each_tensor(arg, [&](Tensor& tensor) {
      inputs_.push_back({position, TensorPtr::share(&tensor)});
    });
    ++position;
  }
  results_.resize(schema_->returns().size());
}

Sample::~Sample() {
  for (tenon_value& result : results_) value::drop(&result);
}

tenon_stack Sample::stack() noexcept {
  tenon_stack stack = stack_of(args_.values());
  stack.rets = results_.data();
  stack.nrets = static_cast<uint32_t>(results_.size());
  return stack;
}

void Sample::finish(tenon_status status) {
  if (status != TENON_OK) throw Error(base::take_current_error());
  int64_t position = 0;
  for (const tenon_value& result : results_) {
    each_tensor(result, [&](Tensor& tensor) {
      outputs_.push_back({position, TensorPtr::share(&tensor)});
    });
    ++position;
  }
}

void Sample::call() {
  tenon_stack stack = this->stack();
  finish(dispatch::call(&op_, &stack));
}

void Sample::redispatch(tenon_keyset keys) {
  tenon_stack stack = this->stack();
  const tenon_status status = dispatch::redispatch(&op_, keys, &stack);
  if (stack.error != nullptr) {
    throw Error(base::ErrorPtr::adopt(std::exchange(stack.error, nullptr)));
  }
  finish(status);
}

size_t Sample::input_that_is(const Tensor& output) const noexcept {
  size_t i = 0;
  while (i < inputs_.size() && inputs_[i].tensor.get() != &output) ++i;
  return i;
}

TensorPtr copy_untracked(Tensor& tensor) {
  namespace operators = autograd::operators;
  const autograd::GradModeGuard off(false);
  const TensorPtr plain = operators::detached_alias(tensor);
  if (tensor::may_overlap_itself(tensor.size_span(), tensor.stride_span())) {
    return operators::clone(*plain);
  }
  return operators::copy_as(*plain, tensor.size_span(), tensor.stride_span());
}

TensorPtr copy_input(Tensor& tensor) {
  TensorPtr copy = copy_untracked(tensor);
  if (autograd::requires_grad(tensor)) autograd::set_requires_grad(*copy, true);
  return copy;
}

bool has_abstract(Arguments args) {
  bool found = false;
  for (const tenon_value& arg : args) {
    each_tensor(arg, [&](const Tensor& tensor) {
      found = found || !tensor.has_storage() || !tensor.has_memory();
    });
  }
  return found;
}

}  // namespace tenon::opcheck
