// SPDX-License-Identifier: Apache-2.0
// What aten::value_selecting_reduction_backward calls.
#include "kernels/ops/value_selecting_reduction_backward.h"

#include "kernels/common/call.h"
#include "kernels/common/registrar.h"
#include "kernels/common/shape.h"

namespace tenon::kernels::ops {
namespace {

// 0, 1, ... along one dim of as many as there are.
Tensor positions(int64_t count, int64_t dim, int64_t ndim, const Device& device) {
  static constinit const LazyOp<Tensor(const Scalar&, std::optional<Dtype>, std::optional<Layout>,
                                       std::optional<Device>, std::optional<bool>)>
      arange("aten::arange");
  static constinit const LazyOp<Tensor(const Tensor&, Sizes)> view("aten::view");
  Dims sizes = Dims::filled(ndim, 1);
  if (ndim > 0) sizes[dim] = count;
  return view(arange(Scalar(count), Dtype::I64, std::nullopt, device, std::nullopt), sizes);
}

}  // namespace

void value_selecting_reduction_backward(const Call& call) {
  static constinit const LazyOp<Tensor(const Tensor&, int64_t)> unsqueeze("aten::unsqueeze");
  static constinit const LazyOp<Tensor(const Tensor&, const Tensor&)> eq("aten::eq.Tensor");
  static constinit const LazyOp<Tensor(const Tensor&, const Tensor&, const Tensor&)> where(
      "aten::where.self");
  Tensor grad = Tensor::retain(call.tensor(0));
  Tensor indices = Tensor::retain(call.tensor(2));
  const Dims sizes(call.get<Sizes>(3));
  const int64_t dim = wrap_dim(call.op(), call.get<int64_t>(1), sizes.size());
  if (!sizes.empty() && !call.get<bool>(4)) {
    grad = unsqueeze(grad, dim);
    indices = unsqueeze(indices, dim);
  }
  const int64_t count = sizes.empty() ? 1 : sizes[dim];
  const Tensor chosen = eq(indices, positions(count, dim, sizes.size(), indices.device()));
  if (!(Dims(chosen.sizes()) == sizes)) {
    fail(TENON_ERROR_INVALID_ARGUMENT,
         {call.op(), ": sizes must be those of indices but for dim ", dim, ", got ", Sizes(sizes),
          " for indices of sizes ", indices.sizes()});
  }
  call.give(0, where(chosen, grad, number_tensor(Scalar(int64_t{0}))));
}

}  // namespace tenon::kernels::ops
