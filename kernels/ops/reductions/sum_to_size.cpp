// SPDX-License-Identifier: Apache-2.0
// Implements aten::sum_to_size by calling other operators.
#include "kernels/ops/reductions/sum_to_size.h"

#include "kernels/common/call.h"
#include "kernels/common/shape.h"
#include "kernels/ops/symbolic/calls.h"

namespace tenon::kernels::ops {
namespace {

bool is_expandable(SymbolicSizes from, SymbolicSizes to) {
  if (from.size() > to.size()) return false;
  const SymbolicSizes last = to.last(from.size());
  for (size_t dim = 0; dim < from.size(); ++dim) {
    if (!(from[dim] == last[dim]) && !(from[dim] == 1)) return false;
  }
  return true;
}

}  // namespace

void sum_to_size(const Call& call) {
  static constinit const LazyOp<Tensor(const Tensor&, std::optional<Dtype>)> sum("aten::sum");
  static constinit const LazyOp<Tensor(const Tensor&, std::optional<Sizes>, bool,
                                       std::optional<Dtype>)>
      sum_dims("aten::sum.dim_IntList");
  Tensor self = Tensor::retain(call.tensor(0));
  const SymbolicDims size = sizes_argument(call, 1), given = words_of(self);
  if (!is_expandable(size, given)) {
    fail(TENON_ERROR_INVALID_ARGUMENT,
         {call.op(), ": size must broadcast to ", text_of(given), ", got ", text_of(size)});
  }
  if (size.empty()) return call.give(0, sum(self, std::nullopt));
  const int64_t leading = given.size() - size.size();
  Dims folded;
  for (int64_t dim = 0; dim < given.size(); ++dim) {
    const bool folds = dim < leading || (size[dim - leading] == 1 && !(given[dim] == 1));
    if (folds) folded.push_back(dim);
  }
  if (!folded.empty()) self = sum_dims(self, folded, true, std::nullopt);
  call.give(0, leading > 0 ? call_view(self, size) : self);
}

}  // namespace tenon::kernels::ops
