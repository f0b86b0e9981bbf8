// SPDX-License-Identifier: Apache-2.0
// How tensors end, and weak references.
#include <cstdlib>

#include "tensor/block.h"

using namespace tenon::tensor;

void tenon_tensor::die_alone() noexcept {
  if (extra_.load(std::memory_order_relaxed) != nullptr) drop_extra();
  if (dims_ != inline_dims_) std::free(dims_);
  Storage* storage = storage_;
  const BlockClass block = block_;
  if (block == kHeaderBlock) {
    count_tensor(-1, 0);
    free_block(this, kHeaderBlock);
    storage->release();
  } else if (storage->counts_.load(std::memory_order_acquire) == kOneStrong + 2 * kOneWeak) {
    if (storage->kind_ != MemoryKind::kInline) storage->free_data();
    count_tensor(-1, -1);
    free_block(this, block);
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
