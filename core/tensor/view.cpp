// SPDX-License-Identifier: Apache-2.0
// Views: tensors on the storage of another one.
#include "base/check.h"
#include "tensor/block.h"

using namespace tenon::tensor;

namespace {

// Flags that a tensor on the same storage inherits. Being tracked is a property of each tensor, not
// of the storage.
constexpr uint32_t kInheritedFlags = TENON_TENSOR_READ_ONLY | TENON_TENSOR_INFERENCE;
constexpr uint32_t kAutogradBit = TENON_BACKEND_BITS + TENON_FUNCTIONALITY_AUTOGRAD;
constexpr uint32_t kAdBit = TENON_BACKEND_BITS + TENON_FUNCTIONALITY_AD_INPLACE_OR_VIEW;
constexpr tenon_keyset kRecordingKey = uint64_t{1} << kAutogradBit;

// Dtypes that can have gradients, one bit each.
constexpr uint64_t kDifferentiable = [] {
  uint64_t dtypes = 0;
  for (const tenon_dtype dtype : {TENON_DTYPE_F16, TENON_DTYPE_BF16, TENON_DTYPE_F32,
                                  TENON_DTYPE_F64, TENON_DTYPE_C64, TENON_DTYPE_C128}) {
    dtypes |= uint64_t{1} << dtype;
  }
  return dtypes;
}();

uintptr_t origin_of(uint32_t grad_mode) noexcept {
  const bool inference = tenon::base::makes_inference_tensors(grad_mode);
  return static_cast<uintptr_t>(inference ? ViewOrigin::kInference : ViewOrigin::kNoGrad);
}

}  // namespace

// Places a header on the storage of `base` in `memory`; the caller sets the shape. The view owns
// the tensor that it is a view of, and thereby the storage. Its base may become tracked later, by a
// write through another view. The view carries Autograd so that calls with it check for that.
__attribute__((always_inline)) inline tenon_tensor* tenon_tensor::place_alias(
    void* memory, const tenon_tensor& base, tenon_dtype dtype, int64_t offset) noexcept {
  TENON_DCHECK(base.has_storage() || base.is_hollow());
  tenon_tensor* root = base.base();
  const uintptr_t origin = root != nullptr ? base.base_ & kOriginMask : 0;
  if (root == nullptr) root = const_cast<tenon_tensor*>(&base);
  root->retain();
  Storage* storage = base.storage_;
  storage->count_views();
  const tenon_keyset keys = base.keys() & ~kRecordingKey;
  const tenon_keyset tracked = (kDifferentiable >> dtype & keys >> kAdBit & 1) << kAutogradBit;
  auto* tensor =
      new (memory) tenon_tensor(keys | tracked, dtype, base.device_, storage, kHeaderBlock);
  const uint32_t mode = tenon::base::grad_mode();
  tensor->base_ =
      reinterpret_cast<uintptr_t>(root) | (mode == TENON_GRAD_MODE_ON ? origin : origin_of(mode));
  tensor->autograd_note_ = static_cast<uint8_t>(storage->version());
  tensor->offset_ = offset;
  tensor->flags_ = base.flags_ & kInheritedFlags;
  return tensor;
}

// The most frequent case in a single loop: few dims, no size 0, inside the storage, a cached block.
// Returns NULL in all other cases.
tenon_tensor* tenon_tensor::try_make_alias(const tenon_tensor& base, Dims sizes,
                                           const int64_t* strides, int64_t offset) noexcept {
  if (sizes.size() > kInlineDims || !base.has_storage()) return nullptr;
  void* memory = try_take_block(kHeaderBlock, 0);
  if (memory == nullptr) return nullptr;
  tenon_tensor* tensor = place_alias(memory, base, base.dtype_, offset);
  int64_t* sizes_out = tensor->inline_dims_;
  int64_t* strides_out = sizes_out + sizes.size();
  int64_t numel = 1;
  int64_t last = offset;
  bool contiguous = true;
  // If all factors are below 2^30, neither the five products nor their sum can overflow. A size of
  // 0 and negative numbers set higher bits, too.
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
    tenon_tensor* root = tensor->base();
    return_block(memory, kHeaderBlock, 0);
    root->release();
    return nullptr;
  }
  tensor->ndim_ = static_cast<int32_t>(sizes.size());
  tensor->numel_ = numel;
  tensor->flags_ |= contiguous ? TENON_TENSOR_CONTIGUOUS : 0u;
  return tensor;
}

tenon_tensor* tenon_tensor::new_alias_header(const tenon_tensor& base, tenon_dtype dtype,
                                             int64_t offset) {
  return place_alias(take_block(kHeaderBlock, 0), base, dtype, offset);
}

// Checks that the tensor's storage has room for a view. Returns the view's number of elements.
// `name` is the tensor's name in messages.
int64_t tenon_tensor::checked_view(const char* function, const char* name, tenon_dtype dtype,
                                   Dims sizes, Dims strides, int64_t offset) const {
  TENON_CHECK_ARG(!is_undefined(), function, ": ", name,
                  " must be defined, got the undefined tensor");
  TENON_CHECK_ARG(!is_hollow(), function, ": ", name, " must have storage, got a hollow tensor");
  const int64_t itemsize = dtype_size(dtype);
  const int64_t numel = checked_numel(function, sizes);
  const int64_t extent = checked_extent(function, sizes, strides);
  TENON_CHECK_ARG(offset >= 0, function, ": storage_offset must be >= 0, got ", offset);
  int64_t last = 0;
  const bool overflow = __builtin_add_overflow(offset, extent, &last) ||
                        __builtin_mul_overflow(last, itemsize, &last);
  TENON_CHECK_ARG(!overflow && (numel == 0 || last <= storage_->nbytes()), function,
                  ": view must stay inside the storage of ", storage_->nbytes(),
                  " bytes, got sizes ", print_dims(sizes), ", strides ", print_dims(strides),
                  ", storage_offset ", offset);
  return numel;
}

tenon_tensor* tenon_tensor::make_checked_alias(const char* function, const tenon_tensor& base,
                                               tenon_dtype dtype, Dims sizes, Dims strides,
                                               int64_t offset) {
  const int64_t numel = base.checked_view(function, "base", dtype, sizes, strides, offset);
  const int64_t itemsize = dtype_size(dtype);
  if (dtype != base.dtype_ && numel != 0) {
    const auto first = reinterpret_cast<uintptr_t>(base.storage_->data()) +
                       static_cast<uintptr_t>(offset * itemsize);
    TENON_CHECK_ARG(first % static_cast<uintptr_t>(alignment_of(dtype)) == 0, function,
                    ": first element must be aligned to ", alignment_of(dtype), " bytes for ",
                    dtype_name(dtype), ", got an unaligned one");
  }
  HeapDims heap = allocate_dims(sizes.size());
  tenon_tensor* tensor = place_alias(take_block(kHeaderBlock, 0), base, dtype, offset);
  tensor->set_dims(sizes, strides.data(), numel, heap.release(), is_row_major(sizes, strides));
  return tensor;
}

tenon_tensor* tenon_tensor::make_detached(const tenon_tensor& base, Dims sizes, Dims strides,
                                          int64_t offset) {
  tenon_tensor* tensor = try_make_alias(base, sizes, strides.data(), offset);
  if (tensor == nullptr) {
    tensor =
        make_checked_alias("tenon_tensor_new_detached", base, base.dtype_, sizes, strides, offset);
  }
  tensor->storage_->retain();
  tensor->base()->release();
  tensor->base_ = 0;
  tensor->autograd_note_ = 0;  // only views keep a version in it
  tensor->remove_keys(kRecordingKey);
  return tensor;
}

tenon_tensor* tenon_tensor::make_alias(const tenon_tensor& base, Dims sizes, Dims strides,
                                       int64_t offset) {
  if (tenon_tensor* tensor = try_make_alias(base, sizes, strides.data(), offset)) return tensor;
  return make_checked_alias("tenon_tensor_new_alias", base, base.dtype_, sizes, strides, offset);
}

tenon_tensor* tenon_tensor::make_alias_as(const tenon_tensor& base, tenon_dtype dtype, Dims sizes,
                                          Dims strides, int64_t offset) {
  constexpr const char* kAliasAs = "tenon_tensor_new_alias_as";
  TENON_CHECK_ARG(is_dtype(dtype), kAliasAs, ": dtype must be a known dtype, got number ", dtype);
  return make_checked_alias(kAliasAs, base, dtype, sizes, strides, offset);
}

void tenon_tensor::restride(Dims sizes, Dims strides, int64_t offset) {
  constexpr const char* kRestride = "tenon_tensor_restride";
  TENON_CHECK(!is_symbolic(), TENON_ERROR_NOT_SUPPORTED, kRestride,
              ": tensor must have concrete sizes, got a symbolic shape");
  // A tensor without memory may have any strides: no view can leave its bounds.
  const int64_t numel = is_hollow()
                            ? checked_numel(kRestride, sizes)
                            : checked_view(kRestride, "tensor", dtype_, sizes, strides, offset);
  const bool contiguous = is_row_major(sizes, strides);
  HeapDims heap = more_dims(sizes.size());
  change_dims(sizes, strides.data(), numel, heap.release(), contiguous);
  offset_ = offset;
  if (ndim_ > 0) flags_ &= ~TENON_TENSOR_WRAPPED_NUMBER;
}
