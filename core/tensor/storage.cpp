// SPDX-License-Identifier: Apache-2.0
#include "tensor/storage.h"

#include <cstring>

#include "base/check.h"
#include "base/live_count.h"
#include "tensor/device_provider.h"

using namespace tenon::tensor;

constinit tenon_storage tenon_storage::undefined_{kImmortal, nullptr,           0,
                                                  {-1, -1},  MemoryKind::kNone, kStorageBlock};

void tenon_storage::free_data() noexcept {
  switch (kind_) {
    case MemoryKind::kNone:
    case MemoryKind::kInline:
      break;
    case MemoryKind::kHeap:
      free_cpu(data_);
      break;
    case MemoryKind::kProvider:
      release_memory(*static_cast<const tenon_device_provider*>(context_), device_.index, data_);
      break;
    case MemoryKind::kForeign:
      if (deleter_ != nullptr) deleter_(context_);
      break;
  }
  data_ = nullptr;
}

void tenon_storage::die() noexcept {
  free_data();
  tenon::base::count_live(TENON_HANDLE_STORAGE, -1);
  release_weak();
}

void tenon_storage::release_weak() noexcept {
  if (counts_.fetch_sub(kOneWeak, std::memory_order_acq_rel) >> 32 != 1) return;
  const BlockClass block = block_;
  free_block(reinterpret_cast<char*>(this) - kHeaderBytes, block);
}

void tenon_storage::grow(int64_t nbytes) {
  if (nbytes <= nbytes_) return;
  switch (kind_) {
    case MemoryKind::kNone:
      nbytes_ = nbytes;
      return;
    case MemoryKind::kInline:
      if (nbytes > kInlineBytes[block_]) break;
      nbytes_ = nbytes;
      return;
    case MemoryKind::kHeap:
    case MemoryKind::kProvider:
      break;
    case MemoryKind::kForeign:
      tenon::fail(
          TENON_ERROR_STATE,
          "tenon_tensor_resize: storage must be Tenon's own to grow, got wrapped memory of ",
          nbytes_, " bytes for ", nbytes);
  }
  if (kind_ == MemoryKind::kProvider) {
    const auto& provider = *static_cast<const tenon_device_provider*>(context_);
    void* data = allocate_memory(provider, device_.index, nbytes);
    try {
      copy_bytes(data, device_, data_, device_, nbytes_, true);
    } catch (...) {
      release_memory(provider, device_.index, data);
      throw;
    }
    release_memory(provider, device_.index, data_);
    data_ = data;
  } else {
    void* data = allocate_cpu(nbytes);
    std::memcpy(data, data_, static_cast<size_t>(nbytes_));
    free_data();
    data_ = data;
    kind_ = MemoryKind::kHeap;
  }
  nbytes_ = nbytes;
}
