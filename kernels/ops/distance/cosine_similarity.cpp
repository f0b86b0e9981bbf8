// SPDX-License-Identifier: Apache-2.0
// Implements aten::cosine_similarity, aten::pairwise_distance and aten::bilinear by calling other
// operators.
#include "kernels/ops/distance/cosine_similarity.h"

#include <cmath>
#include <limits>

#include "kernels/common/promotion.h"
#include "kernels/common/shape.h"
#include "kernels/ops/arithmetic.h"
#include "kernels/ops/calls.h"
#include "kernels/ops/symbolic/calls.h"

namespace tenon::kernels::ops {

void cosine_similarity(const Call& call) {
  static constinit const LazyOp<Tensor(const Tensor&)> one_by_root("aten::rsqrt");
  Tensor first = *call.get<Tensor>(0), second = *call.get<Tensor>(1);
  const auto dim = call.get<int64_t>(2);
  const auto eps = call.get<double>(3);
  if (!is_floating(first.dtype()) || !is_floating(second.dtype())) {
    fail_dtype(call.op(), is_floating(first.dtype()) ? "x2" : "x1",
               is_floating(first.dtype()) ? second.dtype() : first.dtype(), "floating");
  }
  // Expanding along the dim changes the length of a vector.
  const SymbolicDims a = words_of(first), b = words_of(second);
  if (!are_equal(a, b)) {
    const SymbolicDims sizes = broadcast_words(call.op(), a, b);
    first = call_expand(first, sizes);
    second = call_expand(second, sizes);
  }
  // Divides each vector by its length, which is at least eps.
  const auto unit = [&](const Tensor& vectors) {
    const Tensor squares = call_sum_of_dim(call_mul(vectors, vectors), dim, true);
    return call_mul(vectors, one_by_root(call_clamp_min(squares, eps * eps)));
  };
  call.give(0, call_sum_of_dim(call_mul(unit(first), unit(second)), dim));
}

void pairwise_distance(const Call& call) {
  using Power = LazyOp<Tensor(const Tensor&, const Scalar&)>;
  static constinit const LazyOp<Tensor(const Tensor&)> abs("aten::abs");
  static constinit const LazyOp<Tensor(const Tensor&)> root("aten::sqrt");
  static constinit const LazyOp<Tensor(const Tensor&, Sizes, bool)> largest("aten::amax");
  static constinit const LazyOp<Tensor(const Tensor&, Sizes, bool)> smallest("aten::amin");
  static constinit const Power power("aten::pow.Tensor_Scalar");
  static constinit const Power other_than("aten::ne.Scalar");
  const Tensor first = *call.get<Tensor>(0), second = *call.get<Tensor>(1);
  const auto p = call.get<double>(2), eps = call.get<double>(3);
  const bool keepdim = call.get<bool>(4);
  Tensor apart = call_add(call_sub(first, second), eps);
  if (is_complex(apart.dtype())) apart = abs(apart);
  const int64_t last[] = {-1};
  if (p == 2) {
    call.give(0, root(call_sum_of_dim(call_mul(apart, apart), -1, keepdim)));
  } else if (std::isinf(p)) {
    call.give(0, (p > 0 ? largest : smallest)(abs(apart), Sizes(last), keepdim));
  } else if (p == 1) {
    call.give(0, call_sum_of_dim(abs(apart), -1, keepdim));
  } else if (p == 0) {
    call.give(0, call_sum_of_dim(cast(other_than(apart, Scalar(0.0)), apart.dtype()), -1, keepdim));
  } else {
    call.give(0, power(call_sum_of_dim(power(abs(apart), Scalar(p)), -1, keepdim), Scalar(1 / p)));
  }
}

void bilinear(const Call& call) {
  static constinit const LazyOp<Tensor(const Tensor&, const Tensor&)> matmul("aten::matmul");
  static constinit const LazyOp<Tensor(const Tensor&, Sizes)> permute("aten::permute");
  const Tensor first = *call.get<Tensor>(0), second = *call.get<Tensor>(1),
               weight = *call.get<Tensor>(2);
  const auto bias = call.get<std::optional<Tensor>>(3);
  const bool fits = weight.ndim() == 3 && first.ndim() >= 1 && first.ndim() == second.ndim() &&
                    std::ranges::equal(first.sizes().first(first.sizes().size() - 1),
                                       second.sizes().first(second.sizes().size() - 1)) &&
                    first.sizes().back() == weight.sizes()[1] &&
                    second.sizes().back() == weight.sizes()[2];
  if (!fits) {
    fail(TENON_ERROR_INVALID_ARGUMENT,
         {call.op(),
          ": input1 and input2 must have the same dims except the last, of the sizes of "
          "weight's last two dims, got ",
          first.sizes(), ", ", second.sizes(), " and ", weight.sizes()});
  }
  const int64_t outputs = weight.sizes()[0], n = weight.sizes()[1], m = weight.sizes()[2];
  // Multiplies rows of input1 by all weights, and the products by their rows of input2.
  const Tensor rows = call_reshape(first, Dims{numel_of(first) / std::max<int64_t>(n, 1), n});
  const Tensor flat = call_reshape(permute(weight, Dims{1, 0, 2}), Dims{n, outputs * m});
  const Tensor products = call_reshape(matmul(rows, flat), Dims{rows.sizes()[0], outputs, m});
  const Tensor others = call_reshape(second, Dims{rows.sizes()[0], m, 1});
  Dims sizes(first.sizes());
  sizes[sizes.size() - 1] = outputs;
  Tensor result = call_reshape(matmul(products, others), sizes);
  call.give(0, bias ? call_add(result, *bias) : std::move(result));
}

}  // namespace tenon::kernels::ops
