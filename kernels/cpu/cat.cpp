// SPDX-License-Identifier: Apache-2.0
// aten::cat on the CPU.
#include "kernels/ops/cat.h"

#include "kernels/common/registrar.h"
#include "kernels/cpu/cast.h"
#include "kernels/cpu/run.h"

namespace tenon::kernels::cpu {
namespace {

Tensor cat(TensorList tensors, int64_t dim) {
  Tensor result = cat_result(tensors, dim);
  const tenon_tensor_info whole = result.info();
  const int64_t step = whole.strides[dim] * size_of(dtype_of_info(whole));
  char* at = static_cast<char*>(whole.data);
  for (int64_t i = 0; i < tensors.size(); ++i) {
    const tenon_tensor_info source = tensors[i]->info();
    if (cat_skips(source) || source.numel == 0) continue;
    // The part of the result that this tensor fills.
    tenon_tensor_info part = whole;
    part.data = at;
    part.sizes = source.sizes;
    part.numel = source.numel;
    const bool all = source.numel == whole.numel || (dim == 0 && is_contiguous(whole));
    if (!all) part.flags &= ~TENON_TENSOR_CONTIGUOUS;
    cast(part, source);
    at += source.sizes[dim] * step;
  }
  return result;
}

}  // namespace

void register_cat(Library& aten) {
  aten.impl("cat", TENON_KEY_CPU, &cat, quick("cpu::cat", kQuickNumel));
}

}  // namespace tenon::kernels::cpu
