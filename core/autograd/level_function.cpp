// SPDX-License-Identifier: Apache-2.0
// vjp and jvp of whole functions.
#include <string>

#include "autograd/level.h"
#include "autograd/operators.h"
#include "base/check.h"
#include "base/error.h"
#include "value/value.h"

namespace tenon::autograd {

using dispatch::Layer;
using dispatch::LayerPtr;
using tensor::Tensor;
using tensor::TensorPtr;
using value::OwnedValue;

namespace {

// RAII: leaves the layer, even if the function throws.
class LayerScope {
 public:
  explicit LayerScope(LayerPtr layer) noexcept : layer_(std::move(layer)) {}
  ~LayerScope() {
    if (left_) return;
    try {
      leave_layer(*layer_);
    } catch (const Error&) {
      // The function left its own layers on the stack; its error takes precedence.
    }
  }
  LayerScope(const LayerScope&) = delete;
  LayerScope& operator=(const LayerScope&) = delete;
  void leave() {
    left_ = true;
    leave_layer(*layer_);
  }
  Layer& layer() const noexcept { return *layer_; }

 private:
  LayerPtr layer_;
  bool left_ = false;
};

Tensor& tensor_at(const char* who, const tenon_stack& stack, uint32_t index) {
  const tenon_value& value = stack.args[index];
  const bool defined = value.tag == TENON_TAG_TENSOR && !value.as.tensor->is_undefined();
  TENON_CHECK_ARG(defined, who, ": argument ", index, " must be a tensor, got ",
                  value::tag_name(value.tag));
  return *value.as.tensor;
}

// Calls the function with tensors of a layer.
OwnedValue call(const char* who, tenon_callable function, void* ctx,
                std::span<const TensorPtr> tensors) {
  std::vector<tenon_value> args;
  for (const TensorPtr& each : tensors) args.push_back(tenon_value_of_tensor(each.get()));
  tenon_value ret{};
  tenon_stack stack{};
  stack.args = args.data();
  stack.nargs = static_cast<uint32_t>(args.size());
  stack.rets = &ret;
  stack.nrets = 1;
  const tenon_status status = function(ctx, &stack);
  OwnedValue given(ret);
  if (status == TENON_OK) return given;
  if (stack.error != nullptr) throw Error(base::ErrorPtr::adopt(stack.error));
  throw Error(base::adopt_current_error(who, "function", status, true));
}

// The tensors that a function returned, and whether they form a list.
struct ReturnedTensors {
  std::vector<TensorPtr> tensors;
  bool is_list = false;
};

ReturnedTensors read_result(const char* who, const tenon_value& given) {
  ReturnedTensors result;
  const auto add = [&](const tenon_value& one) {
    const bool defined =
        one.tag == TENON_TAG_TENSOR && one.as.tensor != nullptr && !one.as.tensor->is_undefined();
    TENON_CHECK_ARG(defined, who,
                    ": function must return a tensor, or a list or tuple of tensors, got ",
                    value::tag_name(one.tag));
    result.tensors.push_back(TensorPtr::share(one.as.tensor));
  };
  if (given.tag == TENON_TAG_TENSOR_LIST) {
    for (uint32_t i = 0; i < given.count; ++i) {
      add(tenon_value_of_tensor(value::tensors(given)[i]));
    }
  } else if (given.tag == TENON_TAG_LIST || given.tag == TENON_TAG_TUPLE) {
    for (uint32_t i = 0; i < given.count; ++i) add(value::elements(given)[i]);
  } else {
    add(given);
    return result;
  }
  result.is_list = true;
  return result;
}

tenon_value give(std::span<const TensorPtr> tensors, bool is_list) {
  if (!is_list) return tenon_value_give(tenon_value_of_tensor(TensorPtr(tensors[0]).detach()));
  std::vector<Tensor*> list;
  for (const TensorPtr& each : tensors) list.push_back(each.get());
  return value::new_list(TENON_TAG_TENSOR_LIST, list.data(), static_cast<int64_t>(list.size()));
}

}  // namespace

PullbackPtr vjp(tenon_callable function, void* ctx, tenon_stack* stack) {
  constexpr const char* kVjp = "tenon_vjp";
  LayerScope entered(enter_grad_layer());
  std::vector<TensorPtr> inputs;
  for (uint32_t i = 0; i < stack->nargs; ++i) {
    inputs.push_back(new_tracked(entered.layer(), tensor_at(kVjp, *stack, i)));
  }
  const OwnedValue given = call(kVjp, function, ctx, inputs);
  entered.leave();
  ReturnedTensors result = read_result(kVjp, given.get());
  std::vector<TensorPtr> below;
  for (const TensorPtr& each : result.tensors) below.push_back(unwrap(entered.layer(), *each));
  auto pullback = base::make_intrusive<Pullback>(std::move(result.tensors), std::move(inputs));
  stack->rets[0] = give(below, result.is_list);
  return pullback;
}

void jvp(tenon_callable function, void* ctx, tenon_stack* stack, std::span<Tensor* const> tangents,
         tenon_value* out_tangents) {
  constexpr const char* kJvp = "tenon_jvp";
  LayerScope entered(enter_jvp_layer());
  std::vector<TensorPtr> inputs;
  for (uint32_t i = 0; i < stack->nargs; ++i) {
    TENON_CHECK_ARG(tangents[i] != nullptr && !tangents[i]->is_undefined(), kJvp, ": tangent ", i,
                    " must be a tensor, got ",
                    tangents[i] == nullptr ? "NULL" : "the undefined tensor");
    inputs.push_back(new_dual(entered.layer(), tensor_at(kJvp, *stack, i), *tangents[i]));
  }
  const OwnedValue given = call(kJvp, function, ctx, inputs);
  const ReturnedTensors result = read_result(kJvp, given.get());
  std::vector<TensorPtr> below;
  std::vector<TensorPtr> found;
  for (const TensorPtr& each : result.tensors) {
    found.push_back(tangent_below(entered.layer(), *each));
    below.push_back(unwrap(entered.layer(), *each));
  }
  entered.leave();
  for (size_t i = 0; i < found.size(); ++i) {
    if (found[i] == nullptr) found[i] = operators::zeros_like(*below[i]);
  }
  OwnedValue primals(give(below, result.is_list));
  *out_tangents = give(found, result.is_list);
  stack->rets[0] = primals.release();
}

}  // namespace tenon::autograd
