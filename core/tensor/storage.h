// SPDX-License-Identifier: Apache-2.0
// Storage: the memory that a tensor and its views share, with its owner and version counter.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/intrusive_ptr.h"
#include "tenon/device.h"
#include "tenon/tensor.h"
#include "tensor/allocator.h"

namespace tenon::tensor {

/// Who owns the memory of a storage.
enum class MemoryKind : uint8_t {
  kNone,      // there is none: Meta and the undefined tensor
  kInline,    // inside the block
  kHeap,      // allocate_cpu()
  kProvider,  // the device's provider
  kForeign    // someone else: the deleter says "no longer needed"
};

/// Strong references in the low half, weak ones in the high half; all strong ones together hold one
/// weak one. The object dies with the last strong, its memory goes with the last weak reference.
constexpr uint64_t kOneStrong = 1;
constexpr uint64_t kOneWeak = uint64_t{1} << 32;
constexpr uint64_t kStrongMask = kOneWeak - 1;
/// A storage that only the tensor beside it uses: one weak reference of its own, one of the header.
constexpr uint64_t kStorageAlone = kOneStrong + 2 * kOneWeak;
/// For statics: no number of references that threads can hold at once brings it to 0.
constexpr uint64_t kImmortal = (uint64_t{1} << 62) | (uint64_t{1} << 30);

}  // namespace tenon::tensor

/// A storage. Always made inside the block of the tensor that it was made for, which it may
/// outlive: that tensor's header holds a weak reference.
struct alignas(64) tenon_storage {
 public:
  using MemoryKind = tenon::tensor::MemoryKind;

  void* data() const noexcept { return data_; }
  int64_t nbytes() const noexcept { return nbytes_; }
  const tenon_device& device() const noexcept { return device_; }
  MemoryKind kind() const noexcept { return kind_; }
  bool is_read_only() const noexcept { return read_only_; }
  /// For a storage on foreign memory that nobody else uses yet: who is told when it dies.
  void set_deleter(void* context, tenon_deleter deleter) noexcept {
    context_ = context;
    deleter_ = deleter;
  }

  int64_t version() const noexcept { return version_.load(std::memory_order_relaxed); }
  void bump_version() noexcept { version_.fetch_add(1, std::memory_order_relaxed); }
  /// The same for a write that is about to happen. Through the only tensor of a storage nobody else
  /// can write at the same time without racing for the data already: that needs no atomic write.
  void count_write() noexcept {
    if (counts_.load(std::memory_order_relaxed) == tenon::tensor::kStorageAlone) {
      version_.store(version_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    } else {
      bump_version();
    }
  }

  void retain() noexcept {
    counts_.fetch_add(tenon::tensor::kOneStrong, std::memory_order_relaxed);
  }
  void release() noexcept {
    using namespace tenon::tensor;
    if ((counts_.fetch_sub(kOneStrong, std::memory_order_acq_rel) & kStrongMask) == 1) die();
  }

  /// Makes room for `nbytes`, keeping the content. Throws TENON_ERROR_STATE where the memory is not
  /// ours. Nobody else uses the storage meanwhile.
  void grow(int64_t nbytes);

 private:
  friend struct ::tenon_tensor;
  constexpr tenon_storage(uint64_t counts, void* data, int64_t nbytes, tenon_device device,
                          MemoryKind kind, tenon::tensor::BlockClass block) noexcept
      : counts_(counts),
        data_(data),
        nbytes_(nbytes),
        device_(device),
        kind_(kind),
        block_(block) {}

  // Gives memory outside the block back.
  void free_data() noexcept;
  void die() noexcept;
  void release_weak() noexcept;

  static tenon_storage undefined_;

  std::atomic<uint64_t> counts_;
  void* data_;
  int64_t nbytes_;
  std::atomic<int64_t> version_{0};
  tenon_device device_;
  void* context_ = nullptr;  // of the deleter; kProvider: the provider
  tenon_deleter deleter_ = nullptr;
  MemoryKind kind_;
  bool read_only_ = false;
  tenon::tensor::BlockClass block_;
};

namespace tenon::tensor {

using Storage = ::tenon_storage;
using StoragePtr = base::IntrusivePtr<Storage>;
static_assert(sizeof(Storage) == kStorageBytes);

}  // namespace tenon::tensor
