// SPDX-License-Identifier: Apache-2.0
// Implements aten::baddbmm and aten::addbmm by calling other operators.
#include "kernels/ops/matmul/baddbmm.h"

#include "kernels/common/shape.h"
#include "kernels/ops/arithmetic.h"
#include "kernels/ops/symbolic/calls.h"

namespace tenon::kernels::ops {
namespace {

void check_batches(const Call& call, const Tensor& a, const Tensor& b) {
  if (a.ndim() != 3) fail_argument(call.op(), "batch1", "matrices (3 dims)", text_of(words_of(a)));
  if (b.ndim() != 3 || !(word_along(b, 0) == word_along(a, 0)) ||
      !(word_along(b, 1) == word_along(a, 2))) {
    fail(TENON_ERROR_INVALID_ARGUMENT, {call.op(),
                                        ": batch2 must be as many matrices as batch1, with as many "
                                        "rows as those have columns, got sizes ",
                                        text_of(words_of(a)), " and ", text_of(words_of(b))});
  }
}

}  // namespace

void baddbmm(const Call& call) {
  const Tensor a = *call.get<Tensor>(1), b = *call.get<Tensor>(2);
  check_batches(call, a, b);
  give_or_write(call, scaled_sum(call, *call.get<Tensor>(0), call_bmm(a, b), call.get<Scalar>(3),
                                 call.get<Scalar>(4)));
}

// The sum of products is a single product of all rows side by side.
void addbmm(const Call& call) {
  const Tensor a = *call.get<Tensor>(1), b = *call.get<Tensor>(2);
  check_batches(call, a, b);
  const int64_t rows_first[] = {1, 0, 2};
  const SymbolicSize length = word_along(a, 0) * word_along(a, 2);
  const Tensor sum =
      call_matmul(call_reshape(call_permute(a, rows_first), SymbolicDims{word_along(a, 1), length}),
                  call_reshape(b, SymbolicDims{length, word_along(b, 2)}));
  give_or_write(
      call, scaled_sum(call, *call.get<Tensor>(0), sum, call.get<Scalar>(3), call.get<Scalar>(4)));
}

}  // namespace tenon::kernels::ops
