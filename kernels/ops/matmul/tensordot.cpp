// SPDX-License-Identifier: Apache-2.0
// Implements aten::tensordot by calling other operators.
#include "kernels/ops/matmul/tensordot.h"

#include "kernels/common/shape.h"
#include "kernels/ops/arithmetic.h"
#include "kernels/ops/symbolic/calls.h"

namespace tenon::kernels::ops {
namespace {

struct Side {
  Tensor tensor;
  Dims summed;  // wrapped
  Dims kept;
};

Side side_of(const Call& call, int k) {
  Side side{*call.get<Tensor>(k), {}, {}};
  bool is_summed[kMaxDims] = {};
  for (const int64_t given : call.get<Sizes>(k + 2)) {
    const int64_t dim = wrap_dim(call.op(), given, side.tensor.ndim());
    if (is_summed[dim]) {
      fail_argument(call.op(), call.form.names[k + 2], "have no repeated dim",
                    call.get<Sizes>(k + 2));
    }
    is_summed[dim] = true;
    side.summed.push_back(dim);
  }
  for (int64_t dim = 0; dim < side.tensor.ndim(); ++dim) {
    if (!is_summed[dim]) side.kept.push_back(dim);
  }
  return side;
}

// Returns the tensor as a matrix of its kept and summed dims.
Tensor matrix_of(const Side& side, bool kept_first) {
  Dims order = kept_first ? side.kept : side.summed;
  for (const int64_t dim : kept_first ? side.summed : side.kept) order.push_back(dim);
  const auto count = [&](const Dims& dims) {
    SymbolicSize product = 1;
    for (const int64_t dim : dims) product *= word_along(side.tensor, dim);
    return product;
  };
  const SymbolicSize kept = count(side.kept), summed = count(side.summed);
  return call_reshape(call_permute(side.tensor, order),
                      kept_first ? SymbolicDims{kept, summed} : SymbolicDims{summed, kept});
}

}  // namespace

void tensordot(const Call& call) {
  Side a = side_of(call, 0), b = side_of(call, 1);
  if (a.summed.size() != b.summed.size()) {
    fail(TENON_ERROR_INVALID_ARGUMENT,
         {call.op(), ": dims_self and dims_other must have the same length, got ", a.summed,
          " and ", b.summed});
  }
  check_dtype_of(call.op(), "other", b.tensor.dtype(), "self", a.tensor.dtype());
  for (int64_t k = 0; k < a.summed.size(); ++k) {
    const SymbolicSize sizes[] = {word_along(a.tensor, a.summed[k]),
                                  word_along(b.tensor, b.summed[k])};
    if (sizes[0] == sizes[1]) continue;
    if (!(sizes[0] == 1) && !(sizes[1] == 1)) {
      fail(TENON_ERROR_INVALID_ARGUMENT,
           {call.op(), ": dims that are summed must have equal sizes, got ", text_of(sizes[0]),
            " and ", text_of(sizes[1]), " at position ", k});
    }
    // A size of 1 is broadcast: the other operand is summed first.
    Side& longer = sizes[0] == 1 ? b : a;
    const int64_t dim[] = {longer.summed[k]};
    longer.tensor = call_sum(longer.tensor, dim, true, longer.tensor.dtype());
  }
  SymbolicDims sizes;
  for (const int64_t dim : a.kept) sizes.push_back(word_along(a.tensor, dim));
  for (const int64_t dim : b.kept) sizes.push_back(word_along(b.tensor, dim));
  call.give(0, call_reshape(call_mm(matrix_of(a, true), matrix_of(b, false)), sizes));
}

}  // namespace tenon::kernels::ops
