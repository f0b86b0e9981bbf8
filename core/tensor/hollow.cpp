// SPDX-License-Identifier: Apache-2.0
// Hollow tensors: shape, dtype and keys without memory, standing for something else.
#include <utility>

#include "base/check.h"
#include "tensor/block.h"

using namespace tenon::tensor;

tenon_tensor* tenon_tensor::make_hollow(tenon_keyset keys, tenon_dtype dtype, tenon_device device,
                                        Dims sizes, Content kind, void* content,
                                        void (*drop)(void* content)) {
  struct Owner {
    void* content;
    void (*drop)(void* content);
    ~Owner() {
      if (drop != nullptr) drop(content);
    }
  } owner{content, drop};
  const int64_t numel = checked_numel("tensor", sizes);
  HeapDims heap = allocate_dims(sizes.size());
  // A carrier has no dtype; the sizes of dtypes are looked up for real ones only.
  const bool has_dtype = is_dtype(dtype);
  tenon_tensor* tensor = make_in_block(kStorageBlock, has_dtype ? dtype : TENON_DTYPE_U8, device,
                                       MemoryKind::kNone, 0);
  if (!has_dtype) {
    tensor->dtype_ = dtype;
    tensor->itemsize_ = 0;
  }
  tensor->keys_ = keys;
  tensor->flags_ = TENON_TENSOR_HOLLOW;
  tensor->set_dims(sizes, nullptr, numel, heap.release(), true);
  try {
    TensorExtra* extra = tensor->require_extra();
    extra->content = content;
    extra->drop_content = std::exchange(owner.drop, nullptr);
    extra->content_kind = kind;
  } catch (...) {
    tensor->release();
    throw;
  }
  return tensor;
}
