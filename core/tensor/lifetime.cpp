// SPDX-License-Identifier: Apache-2.0
// The end of tensors, and weak references.
#include <cstddef>
#include <cstdlib>

#include "base/check.h"
#include "tensor/block.h"

using namespace tenon::tensor;

namespace {

// Returns the storage in a tensor's block, which the tensor may no longer use.
Storage* beside(tenon_tensor* tensor) noexcept {
  return std::launder(reinterpret_cast<Storage*>(reinterpret_cast<char*>(tensor) + kHeaderBytes));
}

}  // namespace

// Fast path: most tensors only need their block returned to the thread's bin.
void tenon_tensor::die_alone() noexcept {
  TENON_DCHECK(this != &undefined_);
  const bool plain = !ends_slowly_.load(std::memory_order_relaxed);
  Storage* storage = storage_;
  if (plain && block_ == kHeaderBlock) {
    tenon_tensor* viewed = base();
    if (try_return_block(this, kHeaderBlock, 0)) {
      return viewed != nullptr ? viewed->release() : storage->release();
    }
  } else if (plain && storage->counts_.load(std::memory_order_acquire) == kStorageAlone) {
    if (storage->kind_ == MemoryKind::kInline) {
      if (try_return_block(this, block_, 1)) return;
    } else if (storage->kind_ == MemoryKind::kForeign) {
      const tenon_deleter deleter = storage->deleter_;
      void* context = storage->context_;
      if (try_return_block(this, block_, 1)) return deleter != nullptr ? deleter(context) : void();
    }
  }
  die_alone_slow();
}

__attribute__((noinline)) void tenon_tensor::die_alone_slow() noexcept {
  if (owns_more()) {
    counts_.store(kOneWeak, std::memory_order_relaxed);
    return release_in_order(&ending_, &end_of);
  }
  if (dims_ != inline_dims_) free_dims(dims_);
  Storage* storage = storage_;
  const BlockClass block = block_;
  if (block == kHeaderBlock) {
    tenon_tensor* viewed = base();
    return_block(this, kHeaderBlock, 0);
    if (viewed != nullptr) return viewed->release();
    storage->release();
  } else if (has_own_storage() && storage->is_alone()) {
    if (storage->kind_ != MemoryKind::kInline) storage->free_data();
    return_block(this, block, 1);
  } else {
    count_tensor(-1, 0);
    storage->release();
    beside(this)->release_weak();
  }
}

void tenon_tensor::die() noexcept {
  TENON_DCHECK(use_count() == 0);
  if (owns_more()) return release_in_order(&ending_, &end_of);
  end();
}

// Returns true if foreign code may run at the tensor's end, apart from its storage's deleter.
bool tenon_tensor::owns_more() const noexcept {
  return extra_.load(std::memory_order_relaxed) != nullptr ||
         autograd_.load(std::memory_order_relaxed) != nullptr;
}

// Members that are destroyed here may own other tensors, which are queued and end after this one.
void tenon_tensor::end_of(tenon::base::ReleaseLink* ending) noexcept {
  auto* tensor = reinterpret_cast<tenon_tensor*>(reinterpret_cast<char*>(ending) -
                                                 offsetof(tenon_tensor, ending_));
  // Foreign code may try to lock a weak reference in the meantime, which fails: the tensor is dead.
  TENON_DCHECK(tensor->use_count() == 0);
  if (AutogradState* state = tensor->autograd_.load(std::memory_order_acquire)) {
    tensor->autograd_.store(nullptr, std::memory_order_relaxed);
    state->drop(state);
  }
  // Before drop_extra(): the content may release the tensor that owns the version counter, whose
  // storage should be alone by then.
  if (tensor->has_own_storage()) tensor->storage_->stop_sharing_version();
  tensor->drop_extra();
  if (tensor->counts_.load(std::memory_order_acquire) == kOneWeak) {
    tensor->die_alone_slow();
  } else {
    tensor->end();
  }
}

void tenon_tensor::end() noexcept {
  TENON_DCHECK(!owns_more() && use_count() == 0);
  count_tensor(-1, 0);
  if (tenon_tensor* viewed = base()) {
    base_ = 0;
    viewed->release();
  } else {
    storage_->release();
  }
  release_weak();
}

void tenon_tensor::release_weak() noexcept {
  const uint64_t before = counts_.fetch_sub(kOneWeak, std::memory_order_acq_rel);
  TENON_DCHECK(before >> 32 != 0);
  if (before >> 32 != 1) return;
  TENON_DCHECK(!owns_more());  // destroyed when the last strong reference was released
  if (dims_ != inline_dims_) free_dims(dims_);
  if (block_ == kHeaderBlock) {
    free_block(this, kHeaderBlock);
  } else {
    // The storage in the same block frees the block now, unless it has other references.
    beside(this)->release_weak();
  }
}

bool tenon_tensor::try_retain() noexcept {
  uint64_t counts = counts_.load(std::memory_order_relaxed);
  while ((counts & kStrongMask) != 0) {
    if (counts_.compare_exchange_weak(counts, counts + kOneStrong, std::memory_order_acquire,
                                      std::memory_order_relaxed)) {
      return true;
    }
  }
  return false;
}
