// SPDX-License-Identifier: Apache-2.0
// Argument checks and results of operators on batches of matrices.
#pragma once

#include "kernels/common/shape.h"

namespace tenon::kernels {

// Refuses tensors of fewer than 2 dims, and dtypes that LAPACK does not support.
void check_matrices(const char* op, const char* argument, const Tensor& tensor);
// Like check_matrices(), but also refuses matrices that are not square.
void check_square_matrices(const char* op, const char* argument, const Tensor& tensor);

// Returns strides of contiguous matrices, each of which is column-major.
Dims column_major_strides(Sizes sizes);
// Returns the sizes before the last two, followed by `last`.
Dims batch_sizes(Sizes sizes, std::initializer_list<int64_t> last = {});

// Views that kernels make without calling an operator: the transpose, a vector as one column, and
// an expanded tensor.
Tensor turned_alias(const Tensor& tensor);
Tensor column_alias(const Tensor& tensor);
Tensor expanded_alias(const Tensor& tensor, Sizes sizes);

// Returns true if a call with this tensor reaches a kernel without autograd or transforms.
bool is_plain(const Tensor& tensor);

// Return upper and lower triangles, up to a diagonal.
Tensor call_triu(const Tensor& self, int64_t diagonal);
Tensor call_tril(const Tensor& self, int64_t diagonal);
Tensor call_diag_embed(const Tensor& self);
Tensor call_solve_triangular(const Tensor& a, const Tensor& b, bool upper, bool left,
                             bool unitriangular = false);

}  // namespace tenon::kernels
