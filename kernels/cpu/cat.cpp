// SPDX-License-Identifier: Apache-2.0
// aten::cat on the CPU.
#include "kernels/ops/cat.h"

#include <cstring>

#include "kernels/cpu/cast.h"
#include "kernels/cpu/routine_of.h"
#include "kernels/cpu/shared_loop.h"

namespace tenon::kernels::cpu {
namespace {

// Copies a row-major tensor of the same dtype into its part of a row-major result: one block for
// each index of the dims outside `dim`.
void copy_blocks(const tenon_tensor_info& whole, char* at, const tenon_tensor_info& source,
                 int64_t dim, int64_t element_size) {
  int64_t blocks = 1;
  for (int64_t d = 0; d < dim; ++d) blocks *= source.sizes[d];
  const auto block = static_cast<size_t>(source.numel / blocks * element_size);
  const int64_t step = whole.numel / blocks * element_size;
  const char* const from = static_cast<const char*>(source.data);
  if (blocks == 1) {
    // In parts that a thread copies: of bytes, an element being some.
    return parallel_for(static_cast<int64_t>(block), 4 * kGrain, [&](int64_t begin, int64_t end) {
      std::memcpy(at + begin, from + begin, static_cast<size_t>(end - begin));
    });
  }
  const int64_t grain = std::max<int64_t>(4 * kGrain / static_cast<int64_t>(block), 1);
  parallel_for(blocks, grain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      std::memcpy(at + i * step, from + i * static_cast<int64_t>(block), block);
    }
  });
}

void cat(const Call& call) {
  const auto tensors = call.get<TensorList>(0);
  auto dim = call.get<int64_t>(1);
  Tensor result = cat_result(call, tensors, dim);
  const tenon_tensor_info whole = result.info();
  const int64_t element_size = size_of(dtype_of_info(whole));
  const int64_t step = whole.strides[dim] * element_size;
  char* at = static_cast<char*>(whole.data);
  for (int64_t i = 0; i < tensors.size(); ++i) {
    const tenon_tensor_info source = tensors[i]->info();
    if (cat_skips(source) || source.numel == 0) continue;
    if (is_contiguous(whole) && is_contiguous(source) && source.dtype == whole.dtype) {
      copy_blocks(whole, at, source, dim, element_size);
      at += source.sizes[dim] * step;
      continue;
    }
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
  if (call.form.is_functional()) call.give(0, std::move(result));
}

}  // namespace

Operator operator_kCat() { return routine_of<ops::kCat, &cat>(); }

}  // namespace tenon::kernels::cpu
