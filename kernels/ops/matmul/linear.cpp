// SPDX-License-Identifier: Apache-2.0
// Implements aten::linear by calling other operators.
#include "kernels/ops/matmul/linear.h"

#include "kernels/common/call.h"
#include "kernels/common/shape.h"

namespace tenon::kernels::ops {
namespace {

using ProductOp = LazyOp<Tensor(const Tensor&, const Tensor&)>;

constinit const ProductOp matrix_product("aten::mm");
constinit const LazyOp<Tensor(const Tensor&, const Tensor&, const Tensor&, const Scalar&,
                              const Scalar&)>
    matrix_product_and_sum("aten::addmm");
constinit const ProductOp any_product("aten::matmul");
constinit const LazyOp<Tensor(const Tensor&)> transposed("aten::t");
constinit const LazyOp<Tensor(const Tensor&, const Tensor&, const Scalar&)> add_bias(
    "aten::add.Tensor");

void check_factors(const Call& call, const Tensor& input, const Tensor& weight) {
  const tenon_tensor_info a = input.info();
  const tenon_tensor_info b = weight.info();
  if (b.ndim != 1 && b.ndim != 2) {
    fail_argument(call.op(), "weight", "have 1 or 2 dims", sizes_of(b));
  }
  if (a.ndim == 0 || a.sizes[a.ndim - 1] != b.sizes[b.ndim - 1]) {
    fail(TENON_ERROR_INVALID_ARGUMENT,
         {call.op(), ": weight must have as many columns as input, got sizes ", sizes_of(a),
          " and ", sizes_of(b)});
  }
}

}  // namespace

void linear(const Call& call) {
  const Tensor input = *call.get<Tensor>(0);
  const Tensor weight = *call.get<Tensor>(1);
  const auto bias = call.get<std::optional<Tensor>>(2);
  check_factors(call, input, weight);
  if (bias && bias->dtype() != input.dtype()) {
    fail(TENON_ERROR_INVALID_ARGUMENT,
         {call.op(), ": bias must be ", input.dtype(), " like input, got ", bias->dtype()});
  }
  const bool matrices = input.ndim() == 2 && weight.ndim() == 2;
  if (matrices && bias) {
    const Scalar one(1);
    return call.give(0, matrix_product_and_sum(*bias, input, transposed(weight), one, one));
  }
  const ProductOp& product = matrices ? matrix_product : any_product;
  Tensor result = product(input, transposed(weight));
  call.give(0, bias ? add_bias(result, *bias, Scalar(1)) : std::move(result));
}

}  // namespace tenon::kernels::ops
