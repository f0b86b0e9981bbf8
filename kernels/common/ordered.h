// SPDX-License-Identifier: Apache-2.0
// What aten::sort and aten::topk share: values in order along a dim, and where each was.
#pragma once

#include "kernels/common/families/routine.h"

namespace tenon::kernels {

// Both results of a call, and what it is about.
struct Ordered {
  Tensor values;
  Tensor indices;
  tenon_tensor_info self;
  int64_t dim;
  int64_t kept;  // so many values of each line
  bool descending;

  // Hands the results over.
  void give(const Call& call) {
    if (!call.form.is_functional()) return;
    call.give(0, std::move(values));
    call.give(1, std::move(indices));
  }
};

// Checks the arguments of aten::sort, whose last two are dim and descending, and makes the results.
Ordered sort_results(const Call& call);

// The same for aten::topk.
Ordered topk_results(const Call& call);

}  // namespace tenon::kernels
