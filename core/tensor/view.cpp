// SPDX-License-Identifier: Apache-2.0
// Views: tensors on the storage of another one.
#include "base/check.h"
#include "tensor/block.h"

using namespace tenon::tensor;

namespace {

constexpr const char* kAlias = "tenon_tensor_new_alias";

}  // namespace

// A header in `memory` on the storage of `base`; its shape is still to be set.
__attribute__((always_inline)) inline tenon_tensor* tenon_tensor::place_alias(
    void* memory, const tenon_tensor& base, int64_t offset) noexcept {
  base.storage_->retain();
  auto* tensor = new (memory) tenon_tensor(base.dtype_, base.device_, base.storage_, kHeaderBlock);
  tensor->offset_ = offset;
  tensor->flags_ = base.flags_ & TENON_TENSOR_READ_ONLY;
  return tensor;
}

// The usual case in one loop: few dims, none of size 0, inside the storage, memory at hand. NULL
// for all others.
tenon_tensor* tenon_tensor::try_make_alias(const tenon_tensor& base, Dims sizes,
                                           const int64_t* strides, int64_t offset) noexcept {
  if (sizes.size() > kInlineDims || !base.has_storage()) return nullptr;
  void* memory = try_take_block(kHeaderBlock, 0);
  if (memory == nullptr) return nullptr;
  tenon_tensor* tensor = place_alias(memory, base, offset);
  int64_t* sizes_out = tensor->inline_dims_;
  int64_t* strides_out = sizes_out + sizes.size();
  int64_t numel = 1;
  int64_t last = offset;
  bool contiguous = true;
  // Below 2^30 each, neither the five products nor their sum can overflow; a size of 0 and what is
  // negative have higher bits too.
  int64_t bits = offset;
  for (size_t dim = sizes.size(); dim-- > 0;) {
    const int64_t size = sizes[dim];
    const int64_t stride = strides[dim];
    sizes_out[dim] = size;
    strides_out[dim] = stride;
    bits |= (size - 1) | stride | numel;
    contiguous &= (size == 1) | (stride == numel);
    last = static_cast<int64_t>(static_cast<uint64_t>(last) +
                                static_cast<uint64_t>(size - 1) * static_cast<uint64_t>(stride));
    numel = static_cast<int64_t>(static_cast<uint64_t>(numel) * static_cast<uint64_t>(size));
  }
  const int64_t nbytes = base.storage_->nbytes();
  if (static_cast<uint64_t>(bits) >> 30 != 0 || last >= nbytes ||
      (last + 1) * base.itemsize() > nbytes) [[unlikely]] {
    give_block(memory, kHeaderBlock, 0);
    base.storage_->release();
    return nullptr;
  }
  tensor->ndim_ = static_cast<int32_t>(sizes.size());
  tensor->numel_ = numel;
  tensor->flags_ |= contiguous ? TENON_TENSOR_CONTIGUOUS : 0u;
  return tensor;
}

tenon_tensor* tenon_tensor::make_alias(const tenon_tensor& base, Dims sizes, Dims strides,
                                       int64_t offset) {
  if (tenon_tensor* tensor = try_make_alias(base, sizes, strides.data(), offset)) return tensor;
  TENON_CHECK_ARG(!base.is_undefined(), kAlias, ": base must be defined, got the undefined tensor");
  TENON_CHECK_ARG(!base.is_hollow(), kAlias,
                  ": base must have memory, got one that stands for something else");
  const int64_t numel = checked_numel(kAlias, sizes);
  const int64_t extent = checked_extent(kAlias, sizes, strides);
  TENON_CHECK_ARG(offset >= 0, kAlias, ": storage_offset must be >= 0, got ", offset);
  int64_t last = 0;
  const bool overflow = __builtin_add_overflow(offset, extent, &last) ||
                        __builtin_mul_overflow(last, base.itemsize(), &last);
  TENON_CHECK_ARG(!overflow && (numel == 0 || last <= base.storage_->nbytes()), kAlias,
                  ": view must stay inside the storage of ", base.storage_->nbytes(),
                  " bytes, got sizes ", print_dims(sizes), ", strides ", print_dims(strides),
                  ", storage_offset ", offset);
  HeapDims heap = allocate_dims(sizes.size());
  tenon_tensor* tensor = place_alias(take_block(kHeaderBlock, 0), base, offset);
  tensor->set_dims(sizes, strides.data(), numel, heap.release(), is_row_major(sizes, strides));
  return tensor;
}
