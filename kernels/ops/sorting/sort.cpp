// SPDX-License-Identifier: Apache-2.0
// Argument checks and results of aten::sort, and aten::argsort.
#include "kernels/ops/sorting/sort.h"

#include "kernels/common/maths/element.h"
#include "kernels/common/overlap.h"

namespace tenon::kernels {
namespace {

tenon_tensor_info orderable(const Call& call) {
  const tenon_tensor_info self = call.get<Tensor>(0)->info();
  check_defined(call.op(), "self", self);
  check_dtype(call.op(), "self", dtype_of_info(self),
              Joined<BoolType, RealTypes, WideUnsignedTypes>());
  return self;
}

void make_results(const Call& call, Ordered& ordered, Sizes sizes, const int64_t* strides) {
  const Device device(ordered.self.device);
  const Dtype dtype = dtype_of_info(ordered.self);
  ordered.values = result_for(call, sizes, dtype, device, strides, 0);
  ordered.indices = result_for(call, sizes, Dtype::I64, device, strides, 1);
  if (call.form.is_functional()) return;
  check_no_overlap(call.op(), ordered.values.info(), ordered.self);
  check_no_overlap(call.op(), ordered.indices.info(), ordered.self);
  check_outputs_apart(call.op(), ordered.values.info(), ordered.indices.info());
}

}  // namespace

Ordered sort_results(const Call& call) {
  Ordered ordered{};
  ordered.self = orderable(call);
  const int first = call.form.dim;
  ordered.dim = wrap_dim(call.op(), call.get<int64_t>(first), ordered.self.ndim);
  ordered.kept = size_along(ordered.self, ordered.dim);
  ordered.descending = call.get<bool>(first + 1);
  const Sizes sizes = sizes_of(ordered.self);
  const Dims strides = preserving_strides(sizes, strides_of(ordered.self));
  make_results(call, ordered, sizes, strides.begin());
  return ordered;
}

Ordered topk_results(const Call& call) {
  Ordered ordered{};
  ordered.self = orderable(call);
  ordered.kept = call.get<int64_t>(1);
  ordered.dim = wrap_dim(call.op(), call.get<int64_t>(2), ordered.self.ndim);
  ordered.descending = call.get<bool>(3);
  ordered.is_stable = false;
  const int64_t size = size_along(ordered.self, ordered.dim);
  if (ordered.kept < 0 || ordered.kept > size) {
    fail(TENON_ERROR_INVALID_ARGUMENT, {call.op(), ": k must be in [0, ", size, "] for dim ",
                                        ordered.dim, ", got ", ordered.kept});
  }
  Dims sizes(sizes_of(ordered.self));
  if (!sizes.empty()) sizes[ordered.dim] = ordered.kept;
  make_results(call, ordered, sizes, nullptr);
  return ordered;
}

namespace ops {

void sort_meta(const Call& call) { sort_results(call).give(call); }

void argsort(const Call& call) {
  static constinit const LazyOp<std::tuple<Tensor, Tensor>(const Tensor&, std::optional<bool>,
                                                           int64_t, bool)>
      sort("aten::sort.stable");
  const int first = call.form.dim;
  auto [values, indices] =
      sort(call.get<Tensor>(0), true, call.get<int64_t>(first), call.get<bool>(first + 1));
  call.give(0, std::move(indices));
}

}  // namespace ops

}  // namespace tenon::kernels
