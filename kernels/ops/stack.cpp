// SPDX-License-Identifier: Apache-2.0
// aten::stack: tensors of one size behind each other along a new dim.
#include "kernels/common/registrar.h"
#include "kernels/common/shape.h"

namespace tenon::kernels {
namespace {

Tensor stack(TensorList tensors, int64_t dim) {
  constexpr const char* kOp = "aten::stack";
  static constinit const LazyOp<Tensor(const Tensor&, int64_t)> unsqueeze("aten::unsqueeze");
  static constinit const LazyOp<Tensor(const TensorList&, int64_t)> cat("aten::cat");
  if (tensors.empty())
    fail_argument(kOp, "tensors", "a list of one tensor at least", "an empty list");
  const Sizes sizes = tensors[0]->sizes();
  dim = wrap_dim(kOp, dim, static_cast<int64_t>(sizes.size()) + 1);
  std::vector<Tensor> slices;
  slices.reserve(static_cast<size_t>(tensors.size()));
  for (int64_t i = 0; i < tensors.size(); ++i) {
    const TensorRef tensor = tensors[i];
    if (!std::ranges::equal(tensor->sizes(), sizes)) {
      fail(TENON_ERROR_INVALID_ARGUMENT, {kOp, ": tensors must have the same sizes, got ", sizes,
                                          " and ", tensor->sizes(), " at position ", i});
    }
    slices.push_back(unsqueeze(tensor, dim));
  }
  return cat(TensorList(slices), dim);
}

}  // namespace

void register_stack(Library& aten) {
  aten.def("stack(Tensor[] tensors, int dim=0) -> Tensor");
  aten.impl("stack", TENON_KEY_COMPOSITE_EXPLICIT_AUTOGRAD, &stack, composite("stack"));
}

}  // namespace tenon::kernels
