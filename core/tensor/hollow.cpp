// SPDX-License-Identifier: Apache-2.0
// Hollow tensors: shape, dtype and keys without memory, around other content.
#include <utility>

#include "base/check.h"
#include "tensor/block.h"

using namespace tenon::tensor;

tenon_tensor* tenon_tensor::make_hollow(const HollowMetadata& metadata, HollowKind kind,
                                        void* content, void (*drop)(void* content)) {
  struct Owner {
    void* content;
    void (*drop)(void* content);
    ~Owner() {
      if (drop != nullptr) drop(content);
    }
  } owner{content, drop};
  const Geometry& geometry = metadata.geometry;
  const int64_t numel = check_geometry(metadata.function, geometry);
  const bool contiguous = geometry.is_row_major();
  TENON_DCHECK(!geometry.symbolic || geometry.strides != nullptr);
  HeapDims heap = allocate_dims(geometry.sizes.size());
  // A carrier has no dtype. Allocation looks up the dtype's size, so it is made as uint8 first.
  const bool has_dtype = is_dtype(metadata.dtype);
  const bool is_view = metadata.view_of != nullptr;
  TENON_DCHECK(!is_view || (has_dtype && metadata.view_of->is_hollow()));
  tenon_tensor* tensor =
      is_view ? new_alias_header(*metadata.view_of, metadata.dtype, 0)
              : make_in_block(kStorageBlock, has_dtype ? metadata.dtype : TENON_DTYPE_U8,
                              metadata.device, MemoryKind::kNone, 0);
  if (!has_dtype) {
    tensor->dtype_ = metadata.dtype;
    tensor->itemsize_ = 0;
  }
  // A view carries Autograd for the reason explained at place_alias().
  tensor->set_keys(metadata.keys | (is_view ? tensor->keys() & tenon::base::kAutogradBit : 0));
  tensor->flags_ = TENON_TENSOR_HOLLOW | (geometry.symbolic ? TENON_TENSOR_SYMBOLIC : 0u);
  // Only wrappers follow the grad mode: a carrier is not a tensor, and a transform layer chooses
  // the keys of its level tensors.
  if (kind == HollowKind::kWrapped) tensor->follow_grad_mode();
  tensor->offset_ = geometry.offset;
  tensor->set_dims(geometry.sizes, geometry.strides, numel, heap.release(), contiguous);
  if (metadata.version_of != nullptr && !is_view) {
    tensor->storage_->share_version(*metadata.version_of->storage_);
  }
  try {
    TensorExtra* extra = tensor->require_extra();
    extra->content = content;
    extra->drop_content = std::exchange(owner.drop, nullptr);
    extra->hollow_kind = kind;
  } catch (...) {
    tensor->release();
    throw;
  }
  return tensor;
}

void tenon_tensor::claim_geometry(const Geometry& geometry) {
  TENON_DCHECK(is_hollow() && !geometry.symbolic && geometry.strides != nullptr);
  const int64_t numel = check_geometry("transform", geometry);
  HeapDims heap = more_dims(geometry.sizes.size());
  change_dims(geometry.sizes, geometry.strides, numel, heap.release(), geometry.is_row_major());
  offset_ = geometry.offset;
}
