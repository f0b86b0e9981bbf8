// SPDX-License-Identifier: Apache-2.0
// How tensors end, and weak references.
#include <cstdlib>

#include "tensor/block.h"

using namespace tenon::tensor;

// Of the usual tensors nothing is left to do but to keep their block.
void tenon_tensor::die_alone() noexcept {
  const bool plain = extra_.load(std::memory_order_relaxed) == nullptr && dims_ == inline_dims_;
  Storage* storage = storage_;
  if (plain && block_ == kHeaderBlock) {
    if (try_give_block(this, kHeaderBlock, 0)) return storage->release();
  } else if (plain && storage->counts_.load(std::memory_order_acquire) == kStorageAlone) {
    if (storage->kind_ == MemoryKind::kInline) {
      if (try_give_block(this, block_, 1)) return;
    } else if (storage->kind_ == MemoryKind::kForeign) {
      const tenon_deleter deleter = storage->deleter_;
      void* context = storage->context_;
      if (try_give_block(this, block_, 1)) return deleter != nullptr ? deleter(context) : void();
    }
  }
  die_alone_slow();
}

__attribute__((noinline)) void tenon_tensor::die_alone_slow() noexcept {
  if (extra_.load(std::memory_order_relaxed) != nullptr) drop_extra();
  if (dims_ != inline_dims_) std::free(dims_);
  Storage* storage = storage_;
  const BlockClass block = block_;
  if (block == kHeaderBlock) {
    give_block(this, kHeaderBlock, 0);
    storage->release();
  } else if (storage->counts_.load(std::memory_order_acquire) == kStorageAlone) {
    if (storage->kind_ != MemoryKind::kInline) storage->free_data();
    give_block(this, block, 1);
  } else {
    count_tensor(-1, 0);
    storage->release();
    storage->release_weak();
  }
}

void tenon_tensor::die() noexcept {
  drop_extra();
  count_tensor(-1, 0);
  storage_->release();
  release_weak();
}

void tenon_tensor::release_weak() noexcept {
  if (counts_.fetch_sub(kOneWeak, std::memory_order_acq_rel) >> 32 != 1) return;
  if (dims_ != inline_dims_) std::free(dims_);
  if (block_ == kHeaderBlock) {
    free_block(this, kHeaderBlock);
  } else {
    // The storage beside this header outlives it here, or frees the block now.
    auto* storage =
        std::launder(reinterpret_cast<Storage*>(reinterpret_cast<char*>(this) + kHeaderBytes));
    storage->release_weak();
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
