// SPDX-License-Identifier: Apache-2.0
// Implements aten::masked_scatter and its gradient by calling other operators.
#include "kernels/ops/indexing/masked_scatter.h"

#include <algorithm>

#include "kernels/common/checked_size.h"
#include "kernels/common/families/routine.h"
#include "kernels/ops/calls.h"
#include "kernels/ops/factories/factory.h"

namespace tenon::kernels::ops {
namespace {

constexpr int64_t kFlatSource[] = {-1};

int64_t count_of(const Tensor& mask) {
  static constinit const LazyOp<Tensor(const Tensor&)> nonzero("aten::nonzero");
  return nonzero(mask).sizes()[0];
}

}  // namespace

void masked_scatter(const Call& call) {
  const auto self = call.get<Tensor>(0);
  const auto mask = call.get<Tensor>(1);
  const auto source = call.get<Tensor>(2);
  if (mask->dtype() != Dtype::Bool) {
    fail_argument(call.op(), "mask", "a bool tensor", mask->dtype());
  }
  check_dtype_of(call.op(), "source", source->dtype(), "self", self->dtype());
  Dims sizes = broadcast(call.op(), self->sizes(), mask->sizes());
  Tensor result = *self;
  if (call.form.written == 0) {
    check_out(call, self->info(), self->device());
    if (!(sizes == Dims(self->sizes()))) {
      fail(TENON_ERROR_INVALID_ARGUMENT, {call.op(), ": mask must have sizes that broadcast to ",
                                          self->sizes(), ", got ", mask->sizes()});
    }
  } else {
    result = call_clone(call_expand(self, sizes), MemoryFormat::Contiguous);
  }
  if (!has_data(kind_of(*mask))) {  // no more is known about the result
    if (call.form.written != 0) call.give(0, result);
    return;
  }
  const Tensor all = call_expand(mask, sizes);
  const int64_t count = count_of(all);
  if (count > numel_of(*source)) {
    fail(TENON_ERROR_INVALID_ARGUMENT,
         {call.op(), ": source must have an element for each of ", count,
          " elements that mask selects, got ", numel_of(*source)});
  }
  // A 0-dim tensor is written as a vector of size 1.
  if (sizes.empty()) sizes.push_back(1);
  const Tensor places = call_reshape(all, sizes);
  tenon_tensor* const indices[] = {places.get()};
  call_index_put_(call.form.written == 0 && self->ndim() != 0 ? result : call_expand(result, sizes),
                  TensorList(indices, 1),
                  call_slice(call_reshape(source, kFlatSource), 0, 0, count), false);
  if (call.form.written != 0) call.give(0, result);
}

void masked_scatter_backward(const Call& call) {
  static constinit const LazyOp<Tensor(const Tensor&, int64_t, std::optional<Dtype>)> count(
      "aten::cumsum");
  static constinit const LazyOp<Tensor(const Tensor&, const Scalar&, const Scalar&)> subtract(
      "aten::sub.Scalar");
  static constinit const LazyOp<Tensor(const Tensor&, const Tensor&, const Scalar&)> where(
      "aten::where.ScalarOther");
  const auto grad = call.get<Tensor>(0);
  const Dims sizes(call.get<Sizes>(2));
  // Element k of the source was written at the true element number k of the mask, counted from 0.
  // False elements get a position past the end. Uses positions instead of a selection, so that
  // sizes do not depend on the mask.
  const Tensor flat = call_reshape(grad, kFlatSource);
  const Tensor mask = call_reshape(call_expand(call.get<Tensor>(1), grad->sizes()), kFlatSource);
  const int64_t wanted = numel_of(sizes);
  const int64_t last = std::max(wanted, numel_of(flat));
  const Tensor order = subtract(count(mask, 0, std::nullopt), Scalar(1), Scalar(1));
  const int64_t all[] = {(CheckedSize(call.op(), last) + 1).value()};
  const Tensor zeros = call_zeros(all, options_like(kind_of(*grad), {}));
  const Tensor made = call_scatter(zeros, 0, where(mask, order, Scalar(last)), flat);
  call.give(0, call_reshape(call_slice(made, 0, 0, wanted), sizes));
}

}  // namespace tenon::kernels::ops
