// SPDX-License-Identifier: Apache-2.0
#include "autograd/forward/forward_call.h"

#include <algorithm>

#include "autograd/forward/derived_tangent.h"
#include "autograd/forward/jvp_call.h"
#include "autograd/forward/tangent.h"
#include "autograd/node/saved_value.h"
#include "autograd/operators.h"
#include "autograd/tensor_state.h"
#include "base/check.h"
#include "dispatch/transform.h"
#include "dispatch/value_conversion.h"

namespace tenon::autograd {

using tensor::Tensor;
using tensor::TensorPtr;
using value::OwnedValue;

namespace {

std::span<const int64_t> shape_of(const Tensor& tensor) noexcept {
  return {tensor.sizes(), 2 * static_cast<size_t>(tensor.ndim())};  // sizes, then strides
}

bool is_view_of(const Tensor& tensor, const Tensor& other) noexcept {
  return tensor.storage() == other.storage() && tensor.dtype() == other.dtype();
}

tenon_value zeros() noexcept { return tenon_value_of_tensor(Tensor::undefined()); }

// Takes a tangent out of an expression's value; NULL for zeros.
TensorPtr take_tangent(OwnedValue value) {
  if (defined_tensor(value.get()) == nullptr) return {};
  if ((value.get().flags & TENON_VALUE_OWNED) == 0) return TensorPtr::share(value.get().as.tensor);
  return TensorPtr::adopt(value.release().as.tensor);
}

}  // namespace

std::unique_ptr<ForwardCall> ForwardCall::start(DualLevel& level, const Plan& plan,
                                                const tenon_op& op, tenon_stack* stack) {
  std::unique_ptr<ForwardCall> call(new ForwardCall(level, plan, op, stack));
  const PauseTangents pause;
  call->tangents_.reserve(plan.inputs.size());
  for (size_t i = 0; i < plan.inputs.size(); ++i) {
    const tenon_value& value = stack->args[plan.inputs[i].position];
    if (!plan.inputs[i].is_list) {
      call->add_input(defined_tensor(value), i);
    } else if (value.tag == TENON_TAG_TENSOR_LIST) {
      for (uint32_t k = 0; k < value.count; ++k) call->add_input(value::tensors(value)[k], i);
    }
  }
  return call->inputs_with_ != 0 ? std::move(call) : nullptr;
}

void ForwardCall::add_input(Tensor* tensor, size_t input) {
  inputs_.push_back(tensor);
  tangents_.push_back(tensor != nullptr ? tangent_of(*tensor, level_) : nullptr);
  if (tangents_.back() != nullptr) inputs_with_ |= uint64_t{1} << input;
}

// Returns the index of an argument's first tensor among the inputs.
size_t ForwardCall::first_input(int64_t position) const noexcept {
  size_t number = 0;
  for (const Input& input : plan_.inputs) {
    if (input.position == position) break;
    const tenon_value& value = stack_.args[input.position];
    number += !input.is_list ? 1 : value.tag == TENON_TAG_TENSOR_LIST ? value.count : 0;
  }
  return number;
}

// Returns the index of a return's first tensor among the results.
size_t ForwardCall::first_result(uint16_t number) const noexcept {
  size_t first = 0;
  for (uint16_t i = 0; i < number; ++i) {
    const tenon_value& value = stack_.rets[i];
    first += value.tag == TENON_TAG_TENSOR_LIST ? value.count : value.tag == TENON_TAG_TENSOR;
  }
  return first;
}

void ForwardCall::keep_written(Tensor* tensor) {
  TensorPtr tangent = tangent_of(*tensor, level_);
  WrittenArgument kept{tensor, tangent, tangent, {}, tensor->offset()};
  const auto shape = shape_of(*tensor);
  kept.shape.assign(shape.begin(), shape.end());
  written_.push_back(std::move(kept));
}

namespace {

// Returns true if the tensor requires grad at its own level or at one below.
bool is_followed(const Tensor* tensor) {
  while (tensor != nullptr && !requires_grad(*tensor)) {
    const dispatch::LevelTensor* level = dispatch::level_tensor(*tensor);
    tensor = level != nullptr ? level->below.get() : nullptr;
  }
  return tensor != nullptr;
}

}  // namespace

// If the call is recorded, clones the tangents that the call overwrites, because nodes may save the
// old ones.
void ForwardCall::keep_tangents() {
  if (!is_recorded()) return;
  for (WrittenArgument& written : written_) {
    if (written.tangent != nullptr) written.old_tangent = operators::clone(*written.tangent);
    for (size_t i = 0; i < inputs_.size(); ++i) {
      if (tangents_[i] == nullptr) continue;
      if (inputs_[i] == written.tensor) {
        tangents_[i] = written.old_tangent;
      } else if (is_view_of(*inputs_[i], *written.tensor)) {
        tangents_[i] = operators::clone(*tangents_[i]);
      }
    }
  }
}

bool ForwardCall::is_recorded() const {
  const auto asks = [](const TensorPtr& tangent) { return is_followed(tangent.get()); };
  return base::grad_mode() == TENON_GRAD_MODE_ON &&
         (std::ranges::any_of(tangents_, asks) || std::ranges::any_of(inputs_, &is_followed));
}

// Copies the arguments that the tangent text reads and the kernel overwrites, directly or through a
// view.
void ForwardCall::keep_read() {
  if (plan_.tangents == nullptr) return;
  for (uint16_t i = 0; i < plan_.tangents->reads.size(); ++i) {
    const Tensor* tensor = plan_.tangents->reads[i] ? defined_tensor(stack_.args[i]) : nullptr;
    if (tensor == nullptr) continue;
    const bool is_written = std::ranges::any_of(written_, [&](const WrittenArgument& written) {
      return tensor == written.tensor || is_view_of(*tensor, *written.tensor);
    });
    if (is_written) copies_.push_back({i, operators::clone(*tensor)});
  }
}

uint64_t ForwardCall::prepare() {
  TENON_CHECK(plan_.tangents != nullptr || plan_.formula->is_derivable(), TENON_ERROR_NOT_SUPPORTED,
              op_.name(),
              ": operator must have a tangent or a gradient formula to be used with forward AD, "
              "got neither");
  const PauseTangents pause;
  const auto& arguments = plan_.schema->arguments();
  for (uint16_t i = 0; i < arguments.size(); ++i) {
    if (!arguments[i].is_written()) continue;
    TENON_CHECK(!arguments[i].is_out(), TENON_ERROR_STATE, op_.name(), ": ",
                arguments[i].name.view(),
                " must not be given, as an argument has a tangent: functions with out=... "
                "arguments don't support forward AD");
    if (Tensor* tensor = defined_tensor(stack_.args[i])) keep_written(tensor);
  }
  keep_read();
  keep_tangents();
  const bool needs_node = plan_.tangents == nullptr || plan_.formula->with_jvp() != nullptr;
  return needs_node ? inputs_with_ : 0;
}

void ForwardCall::finish(Node* node, std::span<const CallResult> results) {
  const PauseTangents pause;
  done_.assign(results.size(), 0);
  for (size_t i = 0; i < results.size(); ++i) {
    const Tensor* tensor = results[i].tensor;
    if (tensor == nullptr || !is_differentiable(tensor->dtype())) done_[i] = 1;
  }
  take_views(results);
  if (!std::ranges::all_of(done_, [](uint8_t done) { return done != 0; })) {
    if (const CallbackFormula* formula = plan_.formula->with_jvp()) {
      from_jvp(*formula, node, results);
    } else if (plan_.tangents != nullptr) {
      from_text(results);
    } else if (node != nullptr) {
      from_node(*node, results);
    }
  }
  if (node != nullptr) pass_to_saved(*node, results);
}

// Gives views of an argument a view of its tangent. This needs no formula.
void ForwardCall::take_views(std::span<const CallResult> results) {
  for (uint16_t i = 0; i < stack_.nrets; ++i) {
    const auto& returned = plan_.schema->returns()[i];
    const int64_t argument = plan_.schema->aliased_argument(i);
    if (returned.is_written() || argument < 0) continue;
    const size_t input = first_input(argument);
    const tenon_value& value = stack_.rets[i];
    const size_t first = first_result(i);
    const size_t count = value.tag == TENON_TAG_TENSOR_LIST ? value.count : 1;
    for (size_t k = first; k < first + count && input < inputs_.size(); ++k) {
      if (done_[k] == 0) set_view_tangent(results[k], input, &done_[k]);
    }
  }
  for (size_t i = 0; i < results.size(); ++i) {
    if (results[i].written && done_[i] == 0) take_reshaped(results[i], &done_[i]);
  }
}

void ForwardCall::set_view_tangent(const CallResult& result, size_t input, uint8_t* out_done) {
  const Tensor* of = inputs_[input];
  if (of == nullptr || !is_view_of(*result.tensor, *of)) return;
  const Tensor* tangent = tangents_[input].get();
  if (tangent != nullptr) {
    if (!is_laid_out_as(*tangent, *of)) return;
    share_tangent(level_, *result.tensor, tangent_of_view(*tangent, *of, *result.tensor));
  }
  *out_done = 1;
}

// Handles operators such as t_, which restride a tensor in place without writing any element.
void ForwardCall::take_reshaped(const CallResult& result, uint8_t* out_done) {
  const auto found = std::ranges::find(written_, result.tensor, &WrittenArgument::tensor);
  if (found == written_.end()) return;
  const bool same = std::ranges::equal(found->shape, shape_of(*result.tensor)) &&
                    found->offset == result.tensor->offset();
  if (same) return;
  if (found->tangent != nullptr) {
    const int64_t offset = found->tangent->offset() + result.tensor->offset() - found->offset;
    share_tangent(level_, *result.tensor,
                  operators::as_strided(*found->tangent, result.tensor->size_span(),
                                        result.tensor->stride_span(), offset));
  }
  *out_done = 1;
}

// Returns an argument's tangent for a text: zeros if the argument, or an element of a list, has
// none.
OwnedValue ForwardCall::tangent_value(size_t argument) const {
  for (size_t i = 0; i < plan_.inputs.size(); ++i) {
    if (plan_.inputs[i].position != argument) continue;
    if ((inputs_with_ >> i & 1) == 0) break;
    const size_t first = first_input(static_cast<int64_t>(argument));
    if (!plan_.inputs[i].is_list) {
      return OwnedValue(tenon_value_of_tensor(tangents_[first].get()));
    }
    const size_t count = stack_.args[argument].count;
    std::vector<TensorPtr> kept;
    std::vector<Tensor*> list;
    for (size_t k = first; k < first + count; ++k) {
      TensorPtr one = tangents_[k];
      if (one == nullptr && inputs_[k] != nullptr) one = operators::zeros_as(*inputs_[k]);
      list.push_back(one.get());
      kept.push_back(std::move(one));
    }
    return OwnedValue(
        value::new_list(TENON_TAG_TENSOR_LIST, list.data(), static_cast<int64_t>(count)));
  }
  return OwnedValue(zeros());
}

void ForwardCall::from_text(std::span<const CallResult> results) {
  const size_t arguments = plan_.schema->arguments().size();
  std::vector<OwnedValue> tangents;
  tangents.reserve(arguments);
  base::SmallVector<tenon_value, 12> values;
  for (size_t i = 0; i < arguments; ++i) values.push_back(dispatch::borrowed(stack_.args[i]));
  for (const Copy& copy : copies_) {
    values[copy.position] = tenon_value_of_tensor(copy.elements.get());
  }
  for (uint32_t i = 0; i < stack_.nrets; ++i) values.push_back(dispatch::borrowed(stack_.rets[i]));
  for (size_t i = 0; i < arguments; ++i) {
    tangents.push_back(tangent_value(i));
    values.push_back(dispatch::borrowed(tangents.back().get()));
  }
  values.push_back(zeros());
  const char* what = plan_.formula->name();
  for (const TangentPlan::ResultTangent& line : plan_.tangents->lines) {
    const size_t first = first_result(line.result);
    if (stack_.rets[line.result].tag != TENON_TAG_TENSOR || done_[first] != 0) continue;
    set(results[first],
        take_tangent(evaluate_tangent(*line.expression, what, {values.data(), values.size()})));
  }
}

void ForwardCall::from_jvp(const CallbackFormula& formula, Node* node,
                           std::span<const CallResult> results) {
  const tenon_function_context* context = node != nullptr ? node->formula()->context() : nullptr;
  auto found = call_jvp(formula, const_cast<tenon_function_context*>(context), inputs_, tangents_,
                        results.size());
  for (size_t i = 0; i < results.size(); ++i) {
    if (done_[i] == 0) set(results[i], take_tangent(std::move(found[i])));
  }
}

void ForwardCall::from_node(Node& node, std::span<const CallResult> results) {
  std::vector<TensorPtr> found = derive_tangents(node, inputs_, tangents_);
  for (size_t i = 0; i < results.size(); ++i) {
    if (done_[i] == 0) set(results[i], std::move(found[i]));
  }
}

// Sets a result's tangent; NULL means zeros.
void ForwardCall::set(const CallResult& result, TensorPtr tangent) {
  if (tangent != nullptr) tangent = fit_tangent(std::move(tangent), *result.tensor);
  if (result.written) return write_tangent(level_, *result.tensor, tangent.get());
  if (tangent == nullptr) tangent = operators::zeros_as(*result.tensor);
  give_tangent(level_, *result.tensor, std::move(tangent));
}

// Gives tensors that the node saved in place of a result, or of an overwritten argument, the
// tangent of that result or argument. Backward then computes tangents of gradients from them.
void ForwardCall::pass_to_saved(Node& node, std::span<const CallResult> results) {
  for (const SavedTensor& saved : node.saved_tensors()) {
    if (saved.tensor == nullptr || saved.is_packed()) continue;
    TensorPtr tangent;
    if (saved.result != SavedTensor::kNone) {
      tangent = tangent_of(*results[saved.result].tensor, level_);
    } else if (saved.edge != SavedTensor::kNone && saved.tensor != inputs_[saved.edge]) {
      const auto of = std::ranges::find(written_, inputs_[saved.edge], &WrittenArgument::tensor);
      tangent = of != written_.end() ? of->old_tangent : tangents_[saved.edge];
    }
    if (tangent != nullptr) share_tangent(level_, *saved.tensor, std::move(tangent));
  }
}

}  // namespace tenon::autograd
