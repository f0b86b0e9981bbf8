// SPDX-License-Identifier: Apache-2.0
// Plan of aten::sort and aten::topk: values in order along a dim, and the index of each.
#pragma once

#include "kernels/common/families/routine.h"

namespace tenon::kernels {

// Both results of a call, and its arguments.
struct Ordered {
  Tensor values;
  Tensor indices;
  tenon_tensor_info self;
  int64_t dim;
  int64_t kept;  // number of values kept of each line
  bool descending;
  bool is_stable = true;  // otherwise equal elements may be ordered as PyTorch orders them

  // Returns the results.
  void give(const Call& call) {
    if (!call.form.is_functional()) return;
    call.give(0, std::move(values));
    call.give(1, std::move(indices));
  }
};

// Checks the arguments of aten::sort, whose last two are dim and descending, and makes the results.
Ordered sort_results(const Call& call);

// Like sort_results(), but for aten::topk.
Ordered topk_results(const Call& call);

}  // namespace tenon::kernels
