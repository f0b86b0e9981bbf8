// SPDX-License-Identifier: Apache-2.0
// Invariants of every tensor and storage between two calls, for tests of debug builds.
#include "base/check.h"
#include "tensor/block.h"

using namespace tenon::tensor;

void tenon_storage::check_invariants() const noexcept {
  [[maybe_unused]] const uint64_t counts = counts_.load(std::memory_order_acquire);
  TENON_DCHECK((counts & kStrongMask) != 0);
  TENON_DCHECK(counts >> 32 != 0);
  TENON_DCHECK(nbytes_ >= 0);
  TENON_DCHECK(block_ != kHeaderBlock);
  switch (kind_) {
    case MemoryKind::kNone:
      TENON_DCHECK(data_ == nullptr);
      break;
    case MemoryKind::kSharedVersion:
      TENON_DCHECK(data_ == nullptr && deleter_ == nullptr);
      TENON_DCHECK(counting_storage()->kind_ != MemoryKind::kSharedVersion);
      // Otherwise count_write() would treat this storage as alone.
      TENON_DCHECK(counts != kStorageAlone);
      break;
    case MemoryKind::kInline:
      TENON_DCHECK(data_ == reinterpret_cast<const char*>(this) + kStorageBytes);
      TENON_DCHECK(nbytes_ <= kInlineBytes[block_]);
      break;
    case MemoryKind::kHeap:
    case MemoryKind::kProvider:
      TENON_DCHECK(block_ == kStorageBlock || kind_ == MemoryKind::kHeap);
      TENON_DCHECK(data_ != nullptr || nbytes_ == 0);
      break;
    case MemoryKind::kForeign:
      TENON_DCHECK(block_ == kStorageBlock);
      break;
  }
}

void tenon_tensor::check_invariants() const noexcept {
  TENON_DCHECK(use_count() > 0);
  TENON_DCHECK(ndim_ >= 0 && ndim_ <= TENON_TENSOR_MAX_DIMS);
  TENON_DCHECK(storage_ != nullptr);
  if (is_undefined()) {
    TENON_DCHECK(this == &undefined_ && ndim_ == 0 && keys() == 0 && numel_ == 0);
    return;
  }
  storage_->check_invariants();
  TENON_DCHECK(dims_ != inline_dims_ || ndim_ <= kInlineDims);
  TENON_DCHECK(dims_ == inline_dims_ || ends_slowly_.load());
  TENON_DCHECK(!owns_more() || ends_slowly_.load());
  TENON_DCHECK(offset_ >= 0 || is_symbolic());
  // Only hollow tensors may lack a dtype, and they have no memory.
  TENON_DCHECK(is_hollow() || is_dtype(dtype_));
  TENON_DCHECK(itemsize_ == (is_dtype(dtype_) ? kDtypeSizes[dtype_] : 0));
  TENON_DCHECK(!is_hollow() || !has_memory());
  TENON_DCHECK(!is_hollow() || (extra() != nullptr && extra()->hollow_kind != HollowKind::kNone));
  // A hollow tensor is never Dense, and inference tensors do not carry ADInplaceOrView.
  [[maybe_unused]] const auto has = [this](uint32_t functionality) {
    return (keys() >> (TENON_BACKEND_BITS + functionality) & 1) != 0;
  };
  TENON_DCHECK(!is_hollow() || !has(TENON_FUNCTIONALITY_DENSE));
  TENON_DCHECK(!is_inference() || (!has(TENON_FUNCTIONALITY_AUTOGRAD) &&
                                   !has(TENON_FUNCTIONALITY_AD_INPLACE_OR_VIEW)));
  if (is_symbolic()) {
    TENON_DCHECK(!has_memory() && numel_ == -1 && extra() != nullptr);
    return;
  }
#if !defined(NDEBUG)
  TENON_DCHECK(numel_ == checked_numel("tensor", size_span()));
  TENON_DCHECK(is_contiguous() == is_row_major(size_span(), stride_span()));
  if (has_storage() && numel_ != 0) {
    const int64_t reach = checked_extent("tensor", size_span(), stride_span());
    TENON_DCHECK((offset_ + reach) * itemsize_ <= storage_->nbytes());
  }
  TENON_DCHECK(!is_wrapped_number() || ndim_ == 0);
#endif
}
