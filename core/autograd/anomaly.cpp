// SPDX-License-Identifier: Apache-2.0
#include "autograd/anomaly.h"

#include <string>

#include "autograd/node_extra.h"
#include "autograd/operators.h"
#include "autograd/tensor_state.h"
#include "base/check.h"
#include "base/language.h"

namespace tenon::autograd {

void note_origin(const Node& node, base::ErrorObject& error) {
  const NodeExtra* extra = node.extra();
  if (extra == nullptr || extra->frames == nullptr) return;
  std::string note = base::concat(node.name(), " was made by the call at, innermost first:");
  tenon_error_frame frame{};
  for (int64_t i = 0; extra->frames->get_frame(i, &frame); ++i) {
    note += base::concat("\n  ", base::language_name(frame.language), " ",
                         frame.file != nullptr ? frame.file : "?", ":", frame.line, " in ",
                         frame.function != nullptr ? frame.function : "?");
  }
  error.add_note(note);
}

void check_nan(const Node& node, std::span<tensor::Tensor* const> grads) {
  for (size_t i = 0; i < grads.size(); ++i) {
    const tensor::Tensor* grad = grads[i];
    if (grad == nullptr || !grad->has_storage() || !is_differentiable(grad->dtype())) continue;
    TENON_CHECK(!operators::has_nan(*grad), TENON_ERROR_STATE, node.name(), ": gradient of input ",
                i, " must be free of nan values in anomaly mode, got some");
  }
}

}  // namespace tenon::autograd
