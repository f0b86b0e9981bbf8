// SPDX-License-Identifier: Apache-2.0
#include "autograd/forward/jvp_call.h"

#include <algorithm>
#include <optional>

#include "autograd/formula/function_context.h"
#include "autograd/forward/derived_tangent.h"
#include "autograd/forward/tangent.h"
#include "autograd/operators.h"
#include "autograd/tensor_state.h"
#include "base/check.h"
#include "base/error.h"
#include "tensor/layout.h"

namespace tenon::autograd {

using tensor::Tensor;
using tensor::TensorPtr;
using value::OwnedValue;

namespace {

bool share_memory(const Tensor& a, const Tensor& b) noexcept { return a.storage() == b.storage(); }

}  // namespace

std::vector<OwnedValue> call_jvp(const CallbackFormula& formula, tenon_function_context* context,
                                 std::span<Tensor* const> inputs,
                                 std::span<const TensorPtr> tangents, size_t outputs) {
  const bool materializes = context != nullptr && context->absent() == MissingGradients::kZeros;
  if (context != nullptr) context->set_output_count(outputs);
  std::vector<TensorPtr> kept;
  std::vector<tenon_value> given(inputs.size());
  for (size_t i = 0; i < inputs.size(); ++i) {
    TensorPtr tangent = tangents[i];
    const bool absent = tangent == nullptr && inputs[i] != nullptr;
    if (absent && materializes && is_differentiable(inputs[i]->dtype())) {
      tangent = operators::zeros_as(*inputs[i]);
    }
    if (tangent == nullptr) continue;
    given[i] = tenon_value_of_tensor(tangent.get());
    kept.push_back(std::move(tangent));
  }
  std::vector<tenon_value> found(outputs);
  const Callbacks& callbacks = formula.callbacks();
  const tenon_status status = callbacks.jvp(callbacks.ctx, context, given.data(), found.data());
  std::vector<OwnedValue> owned;
  for (const tenon_value& each : found) owned.emplace_back(each);
  if (status != TENON_OK) {
    throw Error(base::adopt_current_error(formula.name(), "jvp", status, true));
  }
  for (const OwnedValue& each : owned) {
    TENON_CHECK_TYPE(each.get().tag == TENON_TAG_NONE ||
                         (each.get().tag == TENON_TAG_TENSOR && each.get().as.tensor != nullptr),
                     formula.name(), ": jvp must return tensors or None, got ",
                     value::tag_name(each.get().tag));
  }
  return owned;
}

std::unique_ptr<FunctionJvp> FunctionJvp::begin(const CallbackFormula& formula,
                                                std::span<Tensor* const> inputs,
                                                WithoutJvp without_jvp) {
  DualLevel* level = DualLevel::current();
  if (level == nullptr) return nullptr;
  std::unique_ptr<FunctionJvp> call(new FunctionJvp(*level, formula));
  const PauseTangents pause;
  bool any = false;
  for (Tensor* input : inputs) {
    const bool defined = input != nullptr && !input->is_undefined();
    call->inputs_.push_back(TensorPtr::share(defined ? input : nullptr));
    call->tangents_.push_back(defined ? tangent_of(*input, *level) : nullptr);
    any = any || call->tangents_.back() != nullptr;
  }
  if (!any) return nullptr;
  TENON_CHECK(formula.callbacks().jvp != nullptr || without_jvp == WithoutJvp::kDerived,
              TENON_ERROR_NOT_SUPPORTED, formula.name(),
              ": function must have a jvp to be used with forward AD, got none");
  return call;
}

namespace {

// Returns true if a level below the innermost layer follows tangents: tensors that are computed
// here may then have tangents there.
bool is_followed_below() {
  if (dispatch::peek_top_layer() == nullptr) return false;
  const dispatch::BelowLayer hidden;
  return base::current_thread()->follows_tangents;
}

}  // namespace

std::vector<OwnedValue> FunctionJvp::compute(tenon_function_context& context, Node* node,
                                             size_t outputs) const {
  std::vector<Tensor*> inputs;
  for (const TensorPtr& input : inputs_) inputs.push_back(input.get());
  if (!needs_node()) return call_jvp(formula_, &context, inputs, tangents_, outputs);
  std::vector<OwnedValue> found(outputs);
  if (node == nullptr) return found;  // no output is differentiable
  std::vector<TensorPtr> derived = derive_tangents(*node, inputs, tangents_);
  for (size_t i = 0; i < outputs; ++i) {
    if (derived[i] == nullptr) continue;
    found[i] = OwnedValue(tenon_value_give(tenon_value_of_tensor(derived[i].detach())));
  }
  return found;
}

void FunctionJvp::finish(tenon_function_context& context, Node* node,
                         std::span<Tensor* const> outputs) const {
  std::optional<PauseTangents> pause;
  if (!is_followed_below()) pause.emplace();
  const auto found = compute(context, node, outputs.size());
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (outputs[i] == nullptr || !is_differentiable(outputs[i]->dtype())) {
      TENON_CHECK(found[i].get().tag == TENON_TAG_NONE, TENON_ERROR_STATE, formula_.name(),
                  ": jvp must return None for output ", i,
                  ", which is not a floating point or complex tensor, got a tensor");
    } else if (found[i].get().tag == TENON_TAG_TENSOR) {
      give(*outputs[i], TensorPtr::share(found[i].get().as.tensor));
    }
  }
  if (node == nullptr) return;
  // Give tensors that the node saved in place of an output the output's tangent.
  for (const SavedTensor& saved : node->saved_tensors()) {
    const bool is_result = saved.tensor != nullptr && saved.result != SavedTensor::kNone;
    if (!is_result || saved.is_packed()) continue;
    if (TensorPtr tangent = tangent_of(*outputs[saved.result], level_)) {
      share_tangent(level_, *saved.tensor, std::move(tangent));
    }
  }
}

void FunctionJvp::give(Tensor& output, const TensorPtr& tangent) const {
  TENON_CHECK(std::ranges::equal(tangent->size_span(), output.size_span()), TENON_ERROR_STATE,
              formula_.name(), ": jvp must return a tangent of the output's sizes ",
              tensor::print_dims(output.size_span()), ", got ",
              tensor::print_dims(tangent->size_span()));
  for (size_t i = 0; i < inputs_.size(); ++i) {
    const Tensor* input = inputs_[i].get();
    if (input == nullptr || !share_memory(output, *input)) continue;
    const bool written = input == &output;
    const Tensor* before = tangents_[i].get();
    if (before == nullptr) {
      if (written) return write_tangent(level_, output, tangent.get());
      continue;
    }
    TENON_CHECK(
        written ? tangent.get() == before : share_memory(*tangent, *before), TENON_ERROR_STATE,
        formula_.name(), ": jvp must return ",
        written ? "the input's tangent, modified inplace, for an input that was modified inplace"
                : "a view of the input's tangent for an output that is a view of the input",
        ", got another tensor");
    return written ? void() : share_tangent(level_, output, tangent);
  }
  give_tangent(level_, output, fit_tangent(tangent, output));
}

}  // namespace tenon::autograd
