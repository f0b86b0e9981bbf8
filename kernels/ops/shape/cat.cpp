// SPDX-License-Identifier: Apache-2.0
// Argument checks and result of aten::cat.
#include "kernels/ops/shape/cat.h"

#include "kernels/common/checked_size.h"
#include "kernels/common/overlap.h"

namespace tenon::kernels {
namespace {

// Returns the memory format that all tensors share, or row-major if they differ.
MemoryFormat common_format(const char* op, TensorList tensors, const tenon_tensor_info& lead) {
  if (is_contiguous(lead)) return MemoryFormat::Contiguous;
  MemoryFormat common = MemoryFormat::Preserve;
  for (int64_t i = 0; i < tensors.size(); ++i) {
    const tenon_tensor_info info = tensors[i]->info();
    if (is_contiguous(info) || (info.ndim != 4 && info.ndim != 5)) return MemoryFormat::Contiguous;
    const MemoryFormat format =
        info.ndim == 4 ? MemoryFormat::ChannelsLast : MemoryFormat::ChannelsLast3d;
    const Dims strides = channels_last_strides(op, sizes_of(info), format);
    if (!(strides == Dims(strides_of(info)))) return MemoryFormat::Contiguous;
    if (common != MemoryFormat::Preserve && common != format) return MemoryFormat::Contiguous;
    common = format;
  }
  return common;
}

// Returns the dtype of the call's `out`, if the result can be cast to it.
Dtype out_dtype(const Call& call, TensorList tensors, Dtype promoted) {
  const tenon_tensor_info out = call.get<Tensor>(2)->info();
  for (int64_t i = 0; i < tensors.size(); ++i) {
    check_no_overlap(call.op(), out, tensors[i]->info());
  }
  const Dtype dtype = dtype_of_info(out);
  if (!can_cast(promoted, dtype)) {
    fail(TENON_ERROR_INVALID_ARGUMENT,
         {call.op(), ": out must have a dtype that ", promoted, " can be cast to, got ", dtype});
  }
  return dtype;
}

}  // namespace

bool cat_skips(const tenon_tensor_info& info) { return info.ndim == 1 && info.sizes[0] == 0; }

Tensor cat_result(const Call& call, TensorList tensors, int64_t& dim) {
  const char* op = call.op();
  if (tensors.empty())
    fail_argument(op, "tensors", "a list of at least one tensor", "an empty list");
  const tenon_tensor_info lead = tensors[0]->info();
  Dtype dtype = dtype_of_info(lead);
  std::optional<tenon_tensor_info> first;
  Dims sizes{0};
  for (int64_t i = 0; i < tensors.size(); ++i) {
    const tenon_tensor_info info = i == 0 ? lead : tensors[i]->info();
    if ((info.flags & TENON_TENSOR_UNDEFINED) != 0) {
      fail_argument(op, "tensors", "defined", "the undefined tensor");
    }
    if (info.ndim == 0) {
      fail(TENON_ERROR_INVALID_ARGUMENT,
           {op, ": tensors must have at least 1 dim, got a 0-dim tensor at position ", i});
    }
    if (dtype_of_info(info) != dtype) dtype = promote(dtype, dtype_of_info(info));
    if (!(Device(info.device) == Device(lead.device))) {
      fail(TENON_ERROR_INVALID_ARGUMENT, {op, ": tensors must be on the same device, got ",
                                          Device(lead.device), " and ", Device(info.device)});
    }
    if (cat_skips(info)) continue;
    if (!first) {
      first = info;
      dim = wrap_dim(op, dim, info.ndim);
      sizes = Dims(sizes_of(info));
      continue;
    }
    bool fits = info.ndim == first->ndim;
    for (int32_t d = 0; fits && d < info.ndim; ++d) {
      fits = d == dim || info.sizes[d] == first->sizes[d];
    }
    if (!fits) {
      fail(TENON_ERROR_INVALID_ARGUMENT,
           {op, ": tensors must have the same sizes except in dim ", dim, ", got ",
            sizes_of(*first), " and ", sizes_of(info), " at position ", i});
    }
    sizes[dim] = (CheckedSize(op, sizes[dim]) + info.sizes[dim]).value();
  }
  if (!first) dim = wrap_dim(op, dim, 1);
  const Device device(lead.device);
  if (!call.form.is_functional()) dtype = out_dtype(call, tensors, dtype);
  const MemoryFormat format = common_format(op, tensors, lead);
  if (format == MemoryFormat::Contiguous) return result_for(call, sizes, dtype, device);
  const Dims strides = channels_last_strides(op, sizes, format);
  return result_for(call, sizes, dtype, device, strides.begin());
}

namespace ops {

void cat_meta(const Call& call) {
  auto dim = call.get<int64_t>(1);
  Tensor result = cat_result(call, call.get<TensorList>(0), dim);
  if (call.form.is_functional()) call.give(0, std::move(result));
}

}  // namespace ops

}  // namespace tenon::kernels
