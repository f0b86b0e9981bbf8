// SPDX-License-Identifier: Apache-2.0
// All operators that ship: the one list from which they are registered.
#pragma once

#include <vector>

#include "tenon/tenon.hpp"

// X(stem) for each file kernels/ops/<stem>.cpp with a function register_<stem>.
// clang-format off
#define TENON_ATEN_OPS(X) \
  X(add) X(alias) X(amax) X(arange) X(argmax) X(as_strided) X(bmm) X(cat) \
  X(clone) X(contiguous) X(copy) X(detach) X(div) X(empty) X(empty_like) \
  X(empty_strided) X(eq) X(expand) X(fill) X(full) X(full_like) X(ge) X(gt) \
  X(item) X(le) X(local_scalar_dense) X(lt) X(matmul) X(maximum) X(mean) \
  X(minimum) X(mm) X(movedim) X(mul) X(ne) X(nonzero) X(normal) X(ones) \
  X(ones_like) X(permute) X(rand) X(randn) X(reshape) X(select) \
  X(slice) X(squeeze) X(stack) X(sub) X(sum) X(t) X(to) \
  X(to_copy) X(transpose) X(uniform) X(unsafe_view) X(unsqueeze) X(view) X(where) \
  X(zero) X(zeros) X(zeros_like)
// clang-format on
#define TENON_TENON_OPS(X) X(skeleton_op)

namespace tenon::kernels {

// Opens the libraries that own `aten` and a part of `tenon`, and registers everything that needs no
// device: schemas, composites, views and Meta kernels.
std::vector<Library> register_ops();

}  // namespace tenon::kernels
