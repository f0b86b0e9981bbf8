// SPDX-License-Identifier: Apache-2.0
// Memory without what hangs on it: tensors that share that alone, and tensors that get another's.
#include <utility>

#include "base/check.h"
#include "tensor/block.h"

using namespace tenon::tensor;

namespace {

constexpr const char* kCopyData = "tenon_tensor_copy_data";
constexpr tenon_keyset kAutogradKey = uint64_t{1}
                                      << (TENON_BACKEND_BITS + TENON_FUNCTIONALITY_AUTOGRAD);

// What a tensor has of its own, whatever its data: inference tensors lack the second.
constexpr tenon_keyset kOwnKeys =
    kAutogradKey | uint64_t{1} << (TENON_BACKEND_BITS + TENON_FUNCTIONALITY_AD_INPLACE_OR_VIEW);

void release_storage(void* context) { static_cast<Storage*>(context)->release(); }

}  // namespace

tenon_tensor* tenon_tensor::make_untied(const tenon_tensor& base) {
  TENON_CHECK_ARG(
      base.has_storage(), kCopyData, ": tensor must have memory of its own, got ",
      base.is_undefined() ? "the undefined tensor" : "one that stands for something else");
  Storage* storage = base.storage_;
  // One that lies on another's memory itself keeps only that one, however often this is done.
  if (storage->kind_ == MemoryKind::kForeign && storage->deleter_ == &release_storage) {
    storage = static_cast<Storage*>(storage->context_);
  }
  storage->lend();
  storage->retain();
  const ForeignMemory memory{kCopyData, storage->data(), storage->nbytes(), storage->is_read_only(),
                             storage,   &release_storage};
  tenon_tensor* tensor =
      wrap(memory, base.dtype_, &base.device_, {base.size_span(), base.strides(), base.offset_});
  tensor->set_keys(base.keys() & ~kAutogradKey);
  tensor->flags_ |= base.flags_ & (TENON_TENSOR_READ_ONLY | TENON_TENSOR_INFERENCE);
  return tensor;
}

void tenon_tensor::set_data(const tenon_tensor& data) {
  TENON_DCHECK(has_storage() && base() == nullptr);
  if (&data == this) return;
  const TensorPtr fresh = TensorPtr::adopt(make_untied(data));
  HeapDims heap = more_dims(fresh->size_span().size());
  TensorExtra* more = require_extra();
  // Views lie on the storage of what they are a view of, which they keep, and who else holds the
  // tensor may know its memory: so that stays until nobody else does.
  std::unique_ptr<FormerStorage> kept;
  const bool others = use_count() > 1;
  if (others) kept = std::make_unique<FormerStorage>();
  Storage* own = fresh->storage_;
  own->version_.store(version(), std::memory_order_relaxed);
  // As a new tensor has it, one reference of either kind: so it is known for the only one that uses
  // its storage, whose writes are counted without atomics.
  own->retain();
  own->counts_.fetch_add(kOneWeak, std::memory_order_relaxed);
  StoragePtr old = StoragePtr::adopt(std::exchange(storage_, own));
  if (more->data_replaced) old->release_weak();
  more->data_replaced = true;
  if (kept != nullptr) {
    kept->storage = std::move(old);
    kept->older = std::move(more->former);
    more->former = std::move(kept);
  } else if (!others) {
    more->former.reset();
  }
  dtype_ = fresh->dtype_;
  itemsize_ = fresh->itemsize_;
  device_ = fresh->device_;
  offset_ = fresh->offset_;
  flags_ = static_cast<decltype(flags_)>((fresh->flags_ & ~TENON_TENSOR_INFERENCE) |
                                         (flags_ & TENON_TENSOR_INFERENCE));
  set_keys((fresh->keys() & ~kOwnKeys) | (keys() & kOwnKeys));
  change_dims(fresh->size_span(), fresh->strides(), fresh->numel_, heap.release(),
              fresh->is_contiguous());
}
