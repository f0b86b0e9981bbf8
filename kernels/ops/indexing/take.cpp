// SPDX-License-Identifier: Apache-2.0
// Implements aten::take and its gradient by calling other operators.
#include "kernels/ops/indexing/take.h"

#include "kernels/common/call.h"
#include "kernels/common/shape.h"
#include "kernels/ops/calls.h"

namespace tenon::kernels::ops {
namespace {

constexpr int64_t kFlatTake[] = {-1};

}  // namespace

void take(const Call& call) {
  const auto index = call.get<Tensor>(1);
  if (index->dtype() != Dtype::I64) {
    fail_argument(call.op(), "index", "have dtype int64", index->dtype());
  }
  tenon_tensor* const indices[] = {index->get()};
  call.give(0, call_index(call_reshape(call.get<Tensor>(0), kFlatTake), TensorList(indices, 1)));
}

void take_backward(const Call& call) {
  static constinit const LazyOp<Tensor(const Tensor&, Sizes, TensorList)> scattered(
      "tenon::index_backward");
  const Dims sizes(call.get<Sizes>(1));
  const int64_t flat[] = {numel_of(sizes)};
  tenon_tensor* const indices[] = {call.get<Tensor>(2)->get()};
  call.give(0, call_reshape(scattered(call.get<Tensor>(0), flat, TensorList(indices, 1)), sizes));
}

}  // namespace tenon::kernels::ops
