// SPDX-License-Identifier: Apache-2.0
// aten::cat on the CPU.
#include "kernels/ops/shape/cat.h"

#include <cstring>
#include <span>
#include <vector>

#include "kernels/common/checked_size.h"
#include "kernels/cpu/bind.h"
#include "kernels/cpu/loops/cast.h"
#include "kernels/cpu/parallel_loop.h"
#include "kernels/cpu/routine_of.h"

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
    // Distributed over threads by bytes, several of which make up an element.
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

// Writes tensors one after another along a dim.
void join(const tenon_tensor_info& whole, int64_t dim, std::span<const tenon_tensor_info> sources) {
  const int64_t element_size = size_of(dtype_of_info(whole));
  char* at = static_cast<char*>(whole.data);
  for (const tenon_tensor_info& source : sources) {
    if (cat_skips(source) || source.numel == 0) continue;
    const int64_t step = wrapped_product(whole.strides[dim], element_size);
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
}

std::vector<tenon_tensor_info> infos_of(TensorList tensors) {
  std::vector<tenon_tensor_info> infos;
  for (int64_t i = 0; i < tensors.size(); ++i) infos.push_back(tensors[i]->info());
  return infos;
}

void cat(const Call& call) {
  const auto tensors = call.get<TensorList>(0);
  auto dim = call.get<int64_t>(1);
  Tensor result = cat_result(call, tensors, dim);
  join(result.info(), dim, infos_of(tensors));
  if (call.form.is_functional()) call.give(0, std::move(result));
}

struct BoundCat {
  BoundInfo whole;
  int64_t dim;
  std::vector<BoundInfo> sources;

  void run(void* const* data) const {
    std::vector<tenon_tensor_info> infos;
    infos.reserve(sources.size());
    for (size_t i = 0; i < sources.size(); ++i) infos.push_back(sources[i].at(data[i]));
    join(whole.at(data[sources.size()]), dim, infos);
  }
};

tenon_bound plan_cat(const Call& call) {
  const auto tensors = call.get<TensorList>(0);
  auto dim = call.get<int64_t>(1);
  Tensor result = cat_result(call, tensors, dim);
  auto bound = std::make_unique<BoundCat>(BoundCat{BoundInfo(result.info()), dim, {}});
  for (const tenon_tensor_info& info : infos_of(tensors)) bound->sources.emplace_back(info);
  call.give(0, std::move(result));
  return make_bound(std::move(bound));
}

}  // namespace

Operator operator_kCat() { return routine_of<ops::kCat, &cat>(); }

tenon_status bind_cat(void* ctx, const tenon_op* op, tenon_keyset keys, tenon_stack* stack,
                      tenon_bound* out_bound) {
  return bind_functional<&plan_cat>(ctx, op, keys, stack, out_bound);
}

}  // namespace tenon::kernels::cpu
