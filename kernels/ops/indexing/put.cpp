// SPDX-License-Identifier: Apache-2.0
// Implements aten::put by calling other operators.
#include "kernels/ops/indexing/put.h"

#include "kernels/common/check.h"
#include "kernels/common/shape.h"
#include "kernels/ops/arithmetic.h"

namespace tenon::kernels::ops {
namespace {

// Returns a tensor whose dims have the same order in memory as those of `like`.
Tensor laid_out_like(const Tensor& like, const Tensor& tensor) {
  const tenon_tensor_info info = like.info();
  int64_t innermost_first[kMaxDims];
  order_dims(sizes_of(info), &info.strides, 1, innermost_first);
  Dims order, back(sizes_of(info));
  for (int32_t d = info.ndim - 1; d >= 0; --d) order.push_back(innermost_first[d]);
  for (int64_t d = 0; d < order.size(); ++d) back[order[d]] = d;
  return call_permute(call_contiguous(call_permute(tensor, order)), back);
}

}  // namespace

void put_elements(const Call& call) {
  const Tensor self = *call.get<Tensor>(0), index = *call.get<Tensor>(1);
  const Tensor source = *call.get<Tensor>(2);
  if (index.dtype() != Dtype::I64) {
    fail_argument(call.op(), "index", "have dtype int64", index.dtype());
  }
  check_dtype_of(call.op(), "source", source.dtype(), "self", self.dtype());
  if (numel_of(source) != numel_of(index)) {
    fail(TENON_ERROR_INVALID_ARGUMENT, {call.op(), ": source must have as many elements as index, ",
                                        numel_of(index), ", got ", numel_of(source)});
  }
  const int64_t flat[] = {-1}, all[] = {numel_of(index)};
  const Tensor places = call_reshape(index, all);
  tenon_tensor* const indices[] = {places.get()};
  const Tensor written = call_index_put(call_reshape(self, flat), TensorList(indices, 1),
                                        call_reshape(source, all), call.get<bool>(3));
  Tensor shaped = call_reshape(written, self.sizes());
  if (call.form.is_functional() && !is_contiguous(kind_of(self))) {
    shaped = laid_out_like(self, shaped);
  }
  give_or_write(call, std::move(shaped));
}

}  // namespace tenon::kernels::ops
