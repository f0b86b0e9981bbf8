// SPDX-License-Identifier: Apache-2.0
// Implements tenon::cat_backward by calling other operators.
#include "kernels/ops/shape/cat_backward.h"

#include "kernels/common/call.h"
#include "kernels/common/checked_size.h"
#include "kernels/common/shape.h"

namespace tenon::kernels::ops {

void cat_backward(const Call& call) {
  static constinit const LazyOp<Tensor(const Tensor&, int64_t, std::optional<int64_t>,
                                       std::optional<int64_t>, int64_t)>
      slice("aten::slice.Tensor");
  static constinit const LazyOp<Tensor(const Tensor&, Sizes)> reshape("aten::reshape");
  const auto grad = call.get<Tensor>(0);
  const int64_t dim = wrap_dim(call.op(), call.get<int64_t>(2), grad->ndim());
  const tenon_value& all = call.args[1];
  std::vector<Tensor> parts;
  parts.reserve(all.count);
  int64_t start = 0;
  for (uint32_t i = 0; i < all.count; ++i) {
    const tenon_value& list = static_cast<const tenon_value*>(all.as.list.data)[i];
    const Sizes sizes = tenon::detail::Lowering<Sizes>::from_value(list, i);
    // Tensors that cat ignored, whatever the other dims.
    const bool skipped = sizes.size() == 1 && sizes[0] == 0;
    if (!skipped && static_cast<int64_t>(sizes.size()) != grad->ndim()) {
      fail_argument(call.op(), call.form.names[1], "have as many sizes as the gradient has dims",
                    sizes);
    }
    const int64_t length = skipped ? 0 : sizes[static_cast<size_t>(dim)];
    const Tensor part =
        slice(grad, dim, start, (CheckedSize(call.op(), start) + length).value(), 1);
    parts.push_back(skipped ? reshape(part, sizes) : part);
    start += length;
  }
  call.give(0, parts);
}

}  // namespace tenon::kernels::ops
