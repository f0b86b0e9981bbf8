// SPDX-License-Identifier: Apache-2.0
// Tensors with symbolic sizes. core/symbol, which interprets the words, makes them.
#include "base/check.h"
#include "tensor/block.h"

using namespace tenon::tensor;

namespace {

constexpr tenon_keyset kSymbolic = uint64_t{1}
                                   << (TENON_BACKEND_BITS + TENON_FUNCTIONALITY_SYMBOLIC);

}  // namespace

tenon_tensor* tenon_tensor::make_symbolic(const SymbolicClaim& claim) {
  const bool is_plain = claim.owner == nullptr;
  HeapDims heap = allocate_dims(claim.sizes.size());
  tenon_tensor* tensor =
      claim.view_of != nullptr
          ? new_alias_header(*claim.view_of, claim.dtype, claim.offset)
          : make_in_block(kStorageBlock, claim.dtype, claim.device, MemoryKind::kNone, 0);
  tensor->offset_ = claim.offset;
  tensor->set_dims(claim.sizes, claim.strides, is_plain ? claim.numel : -1, heap.release(),
                   claim.is_contiguous);
  try {
    if (is_plain) {
      tensor->remove_keys(kSymbolic);
      const Geometry geometry(tensor->size_span(), tensor->strides(), claim.offset);
      tensor->cover(geometry);
    } else {
      TensorExtra* extra = tensor->require_extra();
      extra->numel = claim.numel;
      extra->symbols = claim.owner;
      claim.owner->retain();
      tensor->flags_ |= TENON_TENSOR_SYMBOLIC;
      tensor->add_keys(kSymbolic);
    }
  } catch (...) {
    tensor->release();
    throw;
  }
  return tensor;
}

void tenon_tensor::share_symbols(const tenon_tensor& other) {
  TENON_DCHECK(is_hollow() && is_symbolic() && other.is_symbolic());
  TensorExtra* extra = require_extra();
  TENON_DCHECK(extra->symbols == nullptr);
  extra->numel = other.numel_word();
  extra->symbols = other.extra()->symbols;
  if (extra->symbols != nullptr) extra->symbols->retain();
  if (other.is_contiguous()) flags_ |= TENON_TENSOR_CONTIGUOUS;
}

// Grows the storage, which has no memory, so that it covers a geometry.
void tenon_tensor::cover(const Geometry& geometry) {
  constexpr const char* kNew = "tenon_tensor_new_symbolic";
  TENON_DCHECK(!has_memory());
  const int64_t reach = checked_reach(kNew, checked_numel(kNew, geometry.sizes), geometry);
  storage_->grow(checked_bytes(kNew, reach, itemsize_));
}

void tenon_tensor::settle(Dims sizes, Dims strides, int64_t offset) {
  TENON_DCHECK(is_symbolic() && sizes.size() == size_span().size());
  if (has_storage()) cover(Geometry(sizes, strides.data(), offset));
  HeapDims heap = more_dims(sizes.size());
  change_dims(sizes, strides.data(), checked_numel("tenon_tensor_specialize", sizes),
              heap.release(), is_row_major(sizes, strides));
  offset_ = offset;
  flags_ &= ~TENON_TENSOR_SYMBOLIC;
  remove_keys(kSymbolic);
}
