// SPDX-License-Identifier: Apache-2.0
// Views: tensors on the storage of another one.
#include "base/check.h"
#include "tensor/block.h"

using namespace tenon::tensor;

namespace {

constexpr const char* kAlias = "tenon_tensor_new_alias";

}  // namespace

// The usual case in one loop: few dims, none of size 0, inside the storage. NULL for all others.
tenon_tensor* tenon_tensor::try_make_alias(const tenon_tensor& base, Dims sizes,
                                           const int64_t* strides, int64_t offset) {
  if (sizes.size() > kInlineDims || offset < 0) return nullptr;
  int64_t numel = 1;
  int64_t last = offset;
  bool contiguous = true;
  bool unusual = false;
  for (size_t dim = sizes.size(); dim-- > 0;) {
    const int64_t size = sizes[dim];
    const int64_t stride = strides[dim];
    if (size < 1 || stride < 0) return nullptr;
    contiguous &= size == 1 || stride == numel;
    int64_t reach = 0;
    unusual |= __builtin_mul_overflow(numel, size, &numel);
    unusual |= __builtin_mul_overflow(size - 1, stride, &reach);
    unusual |= __builtin_add_overflow(last, reach, &last);
  }
  const int64_t nbytes = base.storage_->nbytes();
  int64_t end = 0;
  if (unusual || last >= nbytes || __builtin_mul_overflow(last + 1, base.itemsize(), &end) ||
      end > nbytes) {
    return nullptr;
  }
  return place_alias(base, sizes, strides, offset, numel, nullptr, contiguous);
}

tenon_tensor* tenon_tensor::place_alias(const tenon_tensor& base, Dims sizes,
                                        const int64_t* strides, int64_t offset, int64_t numel,
                                        int64_t* heap, bool contiguous) {
  void* memory = allocate_block(kHeaderBlock);
  base.storage_->retain();
  auto* tensor = new (memory) tenon_tensor(base.dtype_, base.device_, base.storage_, kHeaderBlock);
  tensor->offset_ = offset;
  tensor->flags_ = base.flags_ & TENON_TENSOR_READ_ONLY;
  tensor->set_dims(sizes, strides, numel, heap, contiguous);
  count_tensor(1, 0);
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
  tenon_tensor* tensor = place_alias(base, sizes, strides.data(), offset, numel, heap.get(),
                                     is_row_major(sizes, strides));
  heap.release();
  return tensor;
}
