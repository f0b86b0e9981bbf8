// SPDX-License-Identifier: Apache-2.0
// What operators on batches of matrices ask of their arguments and give their results.
#pragma once

#include "kernels/common/shape.h"

namespace tenon::kernels {

// Refuses tensors of fewer than 2 dims, and dtypes that LAPACK has not.
void check_matrices(const char* op, const char* argument, const Tensor& tensor);
// The same, and matrices that are not square.
void check_square_matrices(const char* op, const char* argument, const Tensor& tensor);

// Strides of matrices, one behind the other, in each of which columns are contiguous.
Dims column_major_strides(Sizes sizes);
// The sizes before the last two, with others behind them.
Dims batch_sizes(Sizes sizes, std::initializer_list<int64_t> last = {});

// Views that kernels make without a call of an operator: rows and columns exchanged, a vector as
// one column, and dims of one and missing ones stretched.
Tensor turned_alias(const Tensor& tensor);
Tensor column_alias(const Tensor& tensor);
Tensor expanded_alias(const Tensor& tensor, Sizes sizes);

// Whether nothing but a kernel looks at a call with this tensor: no gradient, no transform.
bool is_plain(const Tensor& tensor);

// Upper and lower triangles, up to a diagonal.
Tensor call_triu(const Tensor& self, int64_t diagonal);
Tensor call_tril(const Tensor& self, int64_t diagonal);
Tensor call_diag_embed(const Tensor& self);
Tensor call_solve_triangular(const Tensor& a, const Tensor& b, bool upper, bool left,
                             bool unitriangular = false);

}  // namespace tenon::kernels
