// SPDX-License-Identifier: Apache-2.0
// Sharing memory without autograd state: tensors that share only memory, and set_data().
#include <utility>

#include "base/check.h"
#include "tensor/block.h"

using namespace tenon::tensor;

namespace {

constexpr const char* kCopyData = "tenon_tensor_copy_data";
constexpr tenon_keyset kAutogradKey = uint64_t{1}
                                      << (TENON_BACKEND_BITS + TENON_FUNCTIONALITY_AUTOGRAD);

// Keys that describe the tensor and not its data, so that set_data() keeps them. Inference tensors
// have no ADInplaceOrView, and do not get it from the new data.
constexpr tenon_keyset kOwnKeys =
    kAutogradKey | uint64_t{1} << (TENON_BACKEND_BITS + TENON_FUNCTIONALITY_AD_INPLACE_OR_VIEW);

void release_storage(void* context) { static_cast<Storage*>(context)->release(); }

}  // namespace

tenon_tensor* tenon_tensor::make_independent(const tenon_tensor& base) {
  TENON_CHECK_ARG(base.has_storage(), kCopyData, ": tensor must have storage, got ",
                  base.is_undefined() ? "the undefined tensor" : "a hollow tensor");
  Storage* storage = base.storage_;
  // If the storage borrows its memory from another storage, refer to that one directly, so that
  // repeated calls do not build a chain of owners.
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
  const TensorPtr fresh = TensorPtr::adopt(make_independent(data));
  HeapDims heap = more_dims(fresh->size_span().size());
  TensorExtra* more = require_extra();
  // Keep the old storage while others hold this tensor: a view keeps its base alive and uses the
  // storage that the base had, and other holders may have the address of the memory. A later call
  // without other holders, or the end of the tensor, releases it.
  std::unique_ptr<FormerStorage> kept;
  const bool others = use_count() > 1;
  if (others) kept = std::make_unique<FormerStorage>();
  Storage* own = fresh->storage_;
  own->version_.store(version(), std::memory_order_relaxed);
  // Take one strong and one weak reference, as a new tensor does, so that the storage compares as
  // alone and its writes are counted without atomics.
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
