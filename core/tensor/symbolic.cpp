// SPDX-License-Identifier: Apache-2.0
// Tensors with symbolic sizes. core/symbol, which interprets the words, makes them.
#include "base/check.h"
#include "tensor/block.h"

using namespace tenon::tensor;

namespace {

constexpr tenon_keyset kSymbolic = uint64_t{1}
                                   << (TENON_BACKEND_BITS + TENON_FUNCTIONALITY_SYMBOLIC);

}  // namespace

tenon_tensor* tenon_tensor::make_symbolic(const SymbolicMetadata& metadata) {
  const bool is_plain = metadata.owner == nullptr;
  HeapDims heap = allocate_dims(metadata.sizes.size());
  tenon_tensor* tensor =
      metadata.view_of != nullptr
          ? new_alias_header(*metadata.view_of, metadata.dtype, metadata.offset)
          : make_in_block(kStorageBlock, metadata.dtype, metadata.device, MemoryKind::kNone, 0);
  tensor->offset_ = metadata.offset;
  tensor->set_dims(metadata.sizes, metadata.strides, is_plain ? metadata.numel : -1, heap.release(),
                   metadata.is_contiguous);
  try {
    if (is_plain) {
      tensor->remove_keys(kSymbolic);
      const Geometry geometry(tensor->size_span(), tensor->strides(), metadata.offset);
      tensor->cover(geometry);
    } else {
      TensorExtra* extra = tensor->require_extra();
      extra->numel = metadata.numel;
      extra->symbols = metadata.owner;
      metadata.owner->retain();
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
