// SPDX-License-Identifier: Apache-2.0
// aten::cat: tensors behind each other along a dim they have.
#include "kernels/ops/cat.h"

#include "kernels/common/allocation.h"
#include "kernels/common/registrar.h"

namespace tenon::kernels {
namespace {

constexpr const char* kOp = "aten::cat";

Tensor cat_meta(TensorList tensors, int64_t dim) { return cat_result(tensors, dim); }

// The format that all tensors share; row-major when they differ.
MemoryFormat common_format(TensorList tensors, const tenon_tensor_info& lead) {
  if (is_contiguous(lead)) return MemoryFormat::Contiguous;
  MemoryFormat common = MemoryFormat::Preserve;
  for (int64_t i = 0; i < tensors.size(); ++i) {
    const tenon_tensor_info info = tensors[i]->info();
    if (is_contiguous(info) || (info.ndim != 4 && info.ndim != 5)) return MemoryFormat::Contiguous;
    const MemoryFormat format =
        info.ndim == 4 ? MemoryFormat::ChannelsLast : MemoryFormat::ChannelsLast3d;
    const Dims strides = channels_last_strides(kOp, sizes_of(info), format);
    if (!(strides == Dims(strides_of(info)))) return MemoryFormat::Contiguous;
    if (common != MemoryFormat::Preserve && common != format) return MemoryFormat::Contiguous;
    common = format;
  }
  return common;
}

}  // namespace

bool cat_skips(const tenon_tensor_info& info) { return info.ndim == 1 && info.sizes[0] == 0; }

Tensor cat_result(TensorList tensors, int64_t& dim) {
  if (tensors.empty())
    fail_argument(kOp, "tensors", "a list of one tensor at least", "an empty list");
  const tenon_tensor_info lead = tensors[0]->info();
  Dtype dtype = dtype_of_info(lead);
  std::optional<tenon_tensor_info> first;
  Dims sizes{0};
  for (int64_t i = 0; i < tensors.size(); ++i) {
    const tenon_tensor_info info = i == 0 ? lead : tensors[i]->info();
    if ((info.flags & TENON_TENSOR_UNDEFINED) != 0) {
      fail_argument(kOp, "tensors", "defined", "the undefined tensor");
    }
    if (info.ndim == 0) {
      fail(TENON_ERROR_INVALID_ARGUMENT,
           {kOp, ": tensors must have 1 dim at least, got a 0-dim tensor at position ", i});
    }
    if (dtype_of_info(info) != dtype) dtype = promote(dtype, dtype_of_info(info));
    if (!(Device(info.device) == Device(lead.device))) {
      fail(TENON_ERROR_INVALID_ARGUMENT, {kOp, ": tensors must be on one device, got ",
                                          Device(lead.device), " and ", Device(info.device)});
    }
    if (cat_skips(info)) continue;
    if (!first) {
      first = info;
      dim = wrap_dim(kOp, dim, info.ndim);
      sizes = Dims(sizes_of(info));
      continue;
    }
    bool fits = info.ndim == first->ndim;
    for (int32_t d = 0; fits && d < info.ndim; ++d) {
      fits = d == dim || info.sizes[d] == first->sizes[d];
    }
    if (!fits) {
      fail(TENON_ERROR_INVALID_ARGUMENT,
           {kOp, ": tensors must have the same sizes but for dim ", dim, ", got ", sizes_of(*first),
            " and ", sizes_of(info), " at position ", i});
    }
    sizes[dim] += info.sizes[dim];
  }
  if (!first) dim = wrap_dim(kOp, dim, 1);
  const Device device(lead.device);
  const MemoryFormat format = common_format(tensors, lead);
  if (format == MemoryFormat::Contiguous) return allocate(sizes, dtype, device);
  return allocate(sizes, dtype, device, channels_last_strides(kOp, sizes, format).begin());
}

void register_cat(Library& aten) {
  aten.def("cat(Tensor[] tensors, int dim=0) -> Tensor", {"core"});
  aten.impl("cat", TENON_KEY_META, &cat_meta, quick("cat_meta"));
}

}  // namespace tenon::kernels
