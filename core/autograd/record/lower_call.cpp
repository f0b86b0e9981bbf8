// SPDX-License-Identifier: Apache-2.0
#include "autograd/record/lower_call.h"

#include <optional>

#include "autograd/formula/function.h"
#include "base/check.h"

namespace tenon::autograd {

using dispatch::LevelTensor;
using tensor::Tensor;
using tensor::TensorPtr;

namespace {

// Owning references to tensors.
class OwnedTensors {
 public:
  explicit OwnedTensors(size_t count) { tensors_.reserve(count); }
  ~OwnedTensors() {
    for (Tensor* tensor : tensors_) {
      if (tensor != nullptr) tensor->release();
    }
  }
  OwnedTensors(const OwnedTensors&) = delete;
  OwnedTensors& operator=(const OwnedTensors&) = delete;
  void add(Tensor* tensor) {
    if (tensor != nullptr) tensor->retain();
    tensors_.push_back(tensor);
  }
  std::span<Tensor*> all() noexcept { return tensors_; }

 private:
  std::vector<Tensor*> tensors_;
};

}  // namespace

Tensor* LowerCall::below(Tensor* tensor) const noexcept {
  if (tensor == nullptr) return nullptr;
  const LevelTensor* level = dispatch::level_tensor(*tensor, *layer_);
  return level != nullptr ? level->below.get() : tensor;
}

std::unique_ptr<LowerCall> LowerCall::begin(const CallbackFormula& formula,
                                            std::span<Tensor* const> inputs, bool records) {
  constexpr tenon_keyset kFront = dispatch::functionality_bit(TENON_FUNCTIONALITY_TRANSFORM_FRONT);
  dispatch::Layer* layer = dispatch::peek_top_layer();
  const bool is_turn = (base::current_thread()->exclude & kFront) != 0;
  if (layer == nullptr || is_turn) return nullptr;
  std::unique_ptr<LowerCall> call(new LowerCall(dispatch::LayerPtr::share(layer)));
  std::vector<Tensor*> mine;
  for (Tensor* const input : inputs) {
    Tensor* const low = call->below(input);
    mine.push_back(low);
    call->inputs_.push_back(TensorPtr::share(low));
    // A tensor of a grad or jvp layer has the same sizes as the one below; a tensor of a vmap layer
    // does not.
    call->is_mapped_ = call->is_mapped_ || (low != input && layer->kind().lift == nullptr);
  }
  const bool follows = base::current_thread()->follows_tangents;
  const dispatch::BelowLayer hidden;
  std::optional<PauseTangents> pause;
  if (!follows) pause.emplace();
  records = records && is_recording();
  call->context_ = begin_at_level(formula, mine, records, FunctionJvp::WithoutJvp::kDerived);
  call->lower_ = begin(formula, mine, records);
  const bool is_followed = call->context_->is_tracked() || call->context_->has_jvp();
  return is_followed || call->lower_ != nullptr ? std::move(call) : nullptr;
}

bool LowerCall::needs_grad(size_t input) const noexcept {
  return context_->needs_grad(input) || (lower_ != nullptr && lower_->needs_grad(input));
}

bool LowerCall::has_tangents() const noexcept {
  return context_->has_jvp() || (lower_ != nullptr && lower_->has_tangents());
}

void LowerCall::check_not_mapped(const char* name, std::span<Tensor* const> outputs) const {
  bool is_mapped = is_mapped_;
  if (layer_->kind().lift == nullptr) {
    for (Tensor* const output : outputs) is_mapped = is_mapped || below(output) != output;
  }
  TENON_CHECK(!is_mapped, TENON_ERROR_NOT_SUPPORTED, name,
              ": function must not be applied inside a vmap to tensors that are differentiated "
              "outside of it; apply it to the whole tensor, or register an operator with a "
              "gradient formula and a batching rule");
}

void LowerCall::finish(FunctionContext& above, std::span<Tensor*> outputs) {
  check_not_mapped(above.name(), outputs);
  OwnedTensors mine(outputs.size());
  for (Tensor* const output : outputs) mine.add(below(output));
  {
    const dispatch::BelowLayer hidden;
    context_->follow(above, [this](Tensor* tensor) { return below(tensor); });
    if (lower_ != nullptr) lower_->finish(*context_, mine.all());
    finish_at_level(*context_, mine.all());
  }
  for (size_t i = 0; i < outputs.size(); ++i) {
    Tensor* const output = outputs[i];
    Tensor* const low = mine.all()[i];
    if (output == nullptr || low == below(output)) continue;
    const bool is_of_layer = below(output) != output;
    TensorPtr fresh =
        is_of_layer ? layer_->kind().lift(*layer_, *low, nullptr) : TensorPtr::share(low);
    above.replace_saved(output, *fresh);
    outputs[i] = fresh.detach();
    output->release();
  }
}

}  // namespace tenon::autograd
