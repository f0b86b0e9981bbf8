// SPDX-License-Identifier: Apache-2.0
// Implements aten::stack by calling other operators.
#include "kernels/ops/shape/stack.h"

#include "kernels/common/call.h"
#include "kernels/common/shape.h"

namespace tenon::kernels::ops {

void stack(const Call& call) {
  static constinit const LazyOp<Tensor(const Tensor&, int64_t)> unsqueeze("aten::unsqueeze");
  static constinit const LazyOp<Tensor(const TensorList&, int64_t)> cat("aten::cat");
  static constinit const LazyOp<void(const TensorList&, int64_t, const Tensor&)> cat_out(
      "aten::cat.out");
  const auto tensors = call.get<TensorList>(0);
  if (tensors.empty()) {
    fail_argument(call.op(), "tensors", "a list of at least one tensor", "an empty list");
  }
  const Sizes sizes = tensors[0]->sizes();
  const int64_t dim =
      wrap_dim(call.op(), call.get<int64_t>(1), static_cast<int64_t>(sizes.size()) + 1);
  std::vector<Tensor> slices;
  slices.reserve(static_cast<size_t>(tensors.size()));
  for (int64_t i = 0; i < tensors.size(); ++i) {
    const TensorRef tensor = tensors[i];
    if (!std::ranges::equal(tensor->sizes(), sizes)) {
      fail(TENON_ERROR_INVALID_ARGUMENT, {call.op(), ": tensors must have the same sizes, got ",
                                          sizes, " and ", tensor->sizes(), " at position ", i});
    }
    slices.push_back(unsqueeze(tensor, dim));
  }
  if (call.form.is_out()) {
    cat_out(TensorList(slices), dim, call.get<Tensor>(2));
  } else {
    call.give(0, cat(TensorList(slices), dim));
  }
}

}  // namespace tenon::kernels::ops
