// SPDX-License-Identifier: Apache-2.0
// aten::slice: a view of every step-th element of one dim from start up to end, as Python slices.
#include "kernels/common/registrar.h"
#include "kernels/common/view.h"

namespace tenon::kernels {
namespace {

Tensor slice(const Tensor& self, int64_t dim, std::optional<int64_t> start,
             std::optional<int64_t> end, int64_t step) {
  constexpr const char* kOp = "aten::slice.Tensor";
  View result(kOp, self.info());
  if (result.ndim() == 0) fail_argument(kOp, "self", "of 1 dim at least", "a 0-dim tensor");
  dim = wrap_dim(kOp, dim, result.ndim());
  if (step <= 0) fail_argument(kOp, "step", "greater than 0", step);
  const int64_t size = result.sizes[dim];
  const auto clamped = [size](int64_t index, int64_t lowest) {
    if (index < 0) index += size;
    return std::clamp(index, lowest, size);
  };
  const int64_t first = clamped(start.value_or(0), 0);
  const int64_t last = clamped(end.value_or(INT64_MAX), first);
  result.offset += first * result.strides[dim];
  const int64_t length = last - first;
  result.sizes[dim] = length;
  if (step == 1) return result.of(self);
  result.sizes[dim] = length / step + (length % step != 0 ? 1 : 0);
  if (__builtin_mul_overflow(result.strides[dim], step, &result.strides[dim])) {
    fail_argument(kOp, "step", "small enough for its stride to fit into an int64", step);
  }
  return result.of(self);
}

}  // namespace

void register_slice(Library& aten) {
  aten.def(
      "slice.Tensor(Tensor(a) self, int dim=0, SymInt? start=None, SymInt? end=None, "
      "SymInt step=1) -> Tensor(a)",
      {"core"});
  aten.impl("slice.Tensor", TENON_KEY_COMPOSITE_EXPLICIT_AUTOGRAD, &slice, quick("slice"));
}

}  // namespace tenon::kernels
