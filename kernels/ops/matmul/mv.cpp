// SPDX-License-Identifier: Apache-2.0
// Implements aten::mv and aten::addmv by calling other operators.
#include "kernels/ops/matmul/mv.h"

#include "kernels/common/shape.h"
#include "kernels/ops/arithmetic.h"
#include "kernels/ops/symbolic/calls.h"

namespace tenon::kernels::ops {
namespace {

Tensor matrix_by_vector(const Call& call, const Tensor& matrix, const Tensor& vector, int first) {
  if (matrix.ndim() != 2) {
    fail_argument(call.op(), call.form.names[first], "a matrix (2 dims)",
                  text_of(words_of(matrix)));
  }
  if (vector.ndim() != 1 || !(word_along(vector, 0) == word_along(matrix, 1))) {
    fail(TENON_ERROR_INVALID_ARGUMENT,
         {call.op(), ": vec must be a vector of as many elements as the matrix has columns, ",
          text_of(words_of(matrix)), ", got ", text_of(words_of(vector))});
  }
  return call_squeeze(call_mm(matrix, call_unsqueeze(vector, 1)), 1);
}

}  // namespace

void mv(const Call& call) {
  call.give(0, matrix_by_vector(call, *call.get<Tensor>(0), *call.get<Tensor>(1), 0));
}

void addmv(const Call& call) {
  const Tensor product = matrix_by_vector(call, *call.get<Tensor>(1), *call.get<Tensor>(2), 1);
  give_or_write(call, scaled_sum(call, *call.get<Tensor>(0), product, call.get<Scalar>(3),
                                 call.get<Scalar>(4)));
}

}  // namespace tenon::kernels::ops
