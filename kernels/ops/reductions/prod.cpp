// SPDX-License-Identifier: Apache-2.0
// Implements the gradient of aten::prod by calling other operators.
#include "kernels/ops/reductions/prod.h"

#include "kernels/ops/calls.h"
#include "kernels/ops/factories/factory.h"

namespace tenon::kernels::ops {
namespace {

constinit const LazyOp<Tensor(const Tensor&, const Tensor&)> multiply("aten::mul.Tensor");
constinit const LazyOp<Tensor(TensorList, int64_t)> join("aten::cat");
constinit const LazyOp<Tensor(TensorList, int64_t)> interleave("aten::stack");
constinit const LazyOp<Tensor(const Tensor&, int64_t, std::optional<int64_t>,
                              std::optional<int64_t>, int64_t)>
    take_steps("aten::slice.Tensor");

// Returns every second element of the last dim.
Tensor every_second(const Tensor& self, int64_t first) {
  return take_steps(self, -1, first, std::nullopt, 2);
}

// Returns a one for each row of the last dim.
Tensor ones_for_rows(const Tensor& self) {
  Dims sizes(self.sizes());
  sizes[sizes.size() - 1] = 1;
  Tensor ones = call_empty(sizes, options_like(kind_of(self), {}));
  call_fill(ones, Scalar(1));
  return ones;
}

// Returns the products of all other elements along the last dim. Recursive: the products of all
// other pairs are multiplied by the other element of each pair. It does not divide, so zeros are
// safe.
Tensor others_of_last(const Tensor& self) {
  const int64_t count = self.sizes().back();
  if (count <= 1) return call_expand(ones_for_rows(self), self.sizes());
  const Tensor ones = ones_for_rows(self);
  const std::vector<Tensor> padded{self, ones};
  const Tensor even_count = count % 2 == 0 ? self : join(padded, -1);
  const Tensor first = every_second(even_count, 0);
  const Tensor second = every_second(even_count, 1);
  const Tensor others = others_of_last(multiply(first, second));
  const std::vector<Tensor> pairs{multiply(others, second), multiply(others, first)};
  const Tensor flat = call_reshape(interleave(pairs, -1), even_count.sizes());
  return count % 2 == 0 ? flat : call_slice(flat, -1, 0, count);
}

}  // namespace

void product_of_others(const Call& call) {
  static constinit const LazyOp<Tensor(const Tensor&, int64_t, int64_t)> transpose(
      "aten::transpose.int");
  const Tensor self = *call.get<Tensor>(0);
  const auto dim = call.get<std::optional<int64_t>>(1);
  if (!dim || self.ndim() == 0) {
    const int64_t flat[] = {-1};
    return call.give(0, call_reshape(others_of_last(call_reshape(self, flat)), self.sizes()));
  }
  call.give(0, transpose(others_of_last(transpose(self, *dim, -1)), *dim, -1));
}

}  // namespace tenon::kernels::ops
