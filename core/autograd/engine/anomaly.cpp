// SPDX-License-Identifier: Apache-2.0
#include "autograd/engine/anomaly.h"

#include <string>
#include <utility>

#include "autograd/engine/pass.h"
#include "autograd/node/node_extra.h"
#include "autograd/operators.h"
#include "autograd/tensor_state.h"
#include "base/check.h"
#include "base/language.h"

namespace tenon::autograd {

namespace {

std::string print_frames(base::ErrorObject& frames) {
  std::string text;
  tenon_error_frame frame{};
  for (int64_t i = 0; frames.get_frame(i, &frame); ++i) {
    text += base::concat("\n  ", base::language_name(frame.language), " ",
                         frame.file != nullptr ? frame.file : "?", ":", frame.line, " in ",
                         frame.function != nullptr ? frame.function : "?");
  }
  return text;
}

base::IntrusivePtr<Origin> origin_of(Node& node) {
  if (const NodeExtra* extra = node.extra(); extra != nullptr && extra->origin != nullptr) {
    return extra->origin;
  }
  auto origin = base::make_intrusive<Origin>();
  origin->name = node.name();
  return origin;
}

}  // namespace

void note_frames(Node& node) {
  auto origin = base::make_intrusive<Origin>();
  origin->name = node.name();
  origin->frames = base::capture_frames("the call that created the node");
  const Pass* pass = Pass::current();
  if (pass != nullptr && pass->running() != nullptr) origin->made_by = origin_of(*pass->running());
  node.require_extra().origin = std::move(origin);
}

void note_origin(const Node& node, base::ErrorObject& error) {
  const NodeExtra* extra = node.extra();
  if (extra == nullptr || extra->origin == nullptr) return;
  const Origin* origin = extra->origin.get();
  error.add_note(base::concat(origin->name, " was created by this call (innermost frame first):",
                              print_frames(*origin->frames)));
  for (const Origin* by = origin->made_by.get(); by != nullptr; by = by->made_by.get()) {
    error.add_note(by->frames != nullptr
                       ? base::concat("that call was part of the backward of ", by->name,
                                      ", which was created by this call (innermost frame first):",
                                      print_frames(*by->frames))
                       : base::concat("that call was part of the backward of ", by->name,
                                      ", which was created without anomaly mode"));
  }
}

void check_nan(const Node& node, std::span<tensor::Tensor* const> grads) {
  for (size_t i = 0; i < grads.size(); ++i) {
    const tensor::Tensor* grad = grads[i];
    if (grad == nullptr || !grad->has_storage() || !is_differentiable(grad->dtype())) continue;
    TENON_CHECK(!operators::has_nan(*grad), TENON_ERROR_STATE, node.name(),
                ": backward returned nan values in the gradient of input ", i,
                ", which anomaly mode does not allow");
  }
}

}  // namespace tenon::autograd
