// SPDX-License-Identifier: Apache-2.0
// Storage: the memory that a tensor and its views share, with its owner and version counter.
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

#include "base/check.h"
#include "base/intrusive_ptr.h"
#include "tenon/device.h"
#include "tenon/tensor.h"
#include "tensor/allocator.h"

namespace tenon::tensor {

/// Who owns the memory of a storage.
enum class MemoryKind : uint8_t {
  kNone,           // there is none: Meta, hollow tensors and the undefined one
  kSharedVersion,  // there is none, and versions are counted by another storage
  kInline,         // inside the block; the first kind that is memory
  kHeap,           // allocate_cpu()
  kProvider,       // the device's provider
  kForeign         // someone else: the deleter says "no longer needed"
};

/// Memory of someone else, from its first byte on.
struct ForeignMemory {
  const char* function;  // for messages
  void* data;
  int64_t nbytes = -1;  // -1: as far as the tensor on it reaches
  bool read_only = false;
  void* context = nullptr;          // of the deleter
  tenon_deleter deleter = nullptr;  // may be NULL
};

/// Strong references in the low half, weak ones in the high half; all strong ones together hold one
/// weak one. The object dies with the last strong, its memory goes with the last weak reference.
constexpr uint64_t kOneStrong = 1;
constexpr uint64_t kOneWeak = uint64_t{1} << 32;
constexpr uint64_t kStrongMask = kOneWeak - 1;
/// A storage that only the tensor beside it uses: one weak reference of its own, one of the header.
constexpr uint64_t kStorageAlone = kOneStrong + 2 * kOneWeak;
/// The same of one whose versions another one counts: one weak reference more.
constexpr uint64_t kSharesVersion = kStorageAlone + kOneWeak;
/// What the first view adds, so that the storage is never taken for one alone again, whatever goes.
constexpr uint64_t kViewed = kOneWeak << 20;
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
  bool has_memory() const noexcept { return kind_ >= MemoryKind::kInline; }
  bool is_read_only() const noexcept { return read_only_; }
  /// For a storage on foreign memory that nobody else uses yet: who is told when it dies.
  void set_deleter(void* context, tenon_deleter deleter) noexcept {
    context_ = context;
    deleter_ = deleter;
  }

  int64_t version() const noexcept {
    return counting_storage()->version_.load(std::memory_order_relaxed);
  }
  void bump_version() noexcept {
    counting_storage()->version_.fetch_add(1, std::memory_order_relaxed);
  }
  /// From now on `other` counts the versions of this storage, which has no memory and which nobody
  /// else uses yet. Keeps the memory of the other's header and counter, not its data.
  void share_version(tenon_storage& other) noexcept;
  /// Ends that where the tensor beside it, which dies, is all that uses it.
  void stop_sharing_version() noexcept;
  /// The same for a write that is about to happen. Through the only tensor of a storage nobody else
  /// can write at the same time without racing for the data already: that needs no atomic write. A
  /// storage whose versions another one counts is never alone.
  void count_write() noexcept {
    if (counts_.load(std::memory_order_relaxed) == tenon::tensor::kStorageAlone) {
      version_.store(version_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    } else {
      bump_version();
    }
  }

  /// A view is made, which holds its base and not the storage: from now on writes are no longer
  /// taken for those of an only holder.
  void count_views() noexcept {
    uint64_t alone = tenon::tensor::kStorageAlone;
    if (counts_.load(std::memory_order_relaxed) != alone) return;
    if (counts_.compare_exchange_strong(alone, alone + tenon::tensor::kViewed,
                                        std::memory_order_relaxed)) {
      has_views_ = true;
    }
  }

  /// Another storage lies on its memory from now on, which must therefore stay where it is.
  void lend() noexcept { lent_.store(true, std::memory_order_relaxed); }

  /// Whether only the tensor beside it uses it, and no view does. It counts the versions of
  /// `sharers` others.
  bool is_alone(uint64_t sharers = 0) const noexcept {
    using namespace tenon::tensor;
    const uint64_t counts = counts_.load(std::memory_order_acquire) - sharers * kOneWeak;
    return counts == (has_views_ ? kStorageAlone + kViewed : kStorageAlone);
  }

  void retain() noexcept {
    counts_.fetch_add(tenon::tensor::kOneStrong, std::memory_order_relaxed);
  }
  void release() noexcept {
    using namespace tenon::tensor;
    const uint64_t before = counts_.fetch_sub(kOneStrong, std::memory_order_acq_rel);
    TENON_DCHECK((before & kStrongMask) != 0);
    if ((before & kStrongMask) == 1) die();
  }

  /// The same of a storage whose versions another one counts, which is never alone to those who
  /// write.
  bool is_alone_sharing_version() const noexcept {
    return kind_ == MemoryKind::kSharedVersion &&
           counts_.load(std::memory_order_acquire) == tenon::tensor::kSharesVersion;
  }

  /// Our own bugs: stops a debug build where the storage contradicts itself.
  void check_invariants() const noexcept;

  /// Makes room for `nbytes`, keeping the content. Throws TENON_ERROR_STATE if the memory is not
  /// ours. Other threads may read at the same time: old kHeap memory lives as long as the storage.
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

  const tenon_storage* counting_storage() const noexcept {
    return kind_ == MemoryKind::kSharedVersion ? static_cast<const tenon_storage*>(context_) : this;
  }
  tenon_storage* counting_storage() noexcept {
    return const_cast<tenon_storage*>(std::as_const(*this).counting_storage());
  }

  // Gives memory outside the block back.
  void free_data() noexcept;
  void free_heap() noexcept;
  void grow_heap(int64_t nbytes);
  void die() noexcept;
  void release_weak() noexcept;

  static tenon_storage undefined_;

  std::atomic<uint64_t> counts_;
  void* data_;
  int64_t nbytes_;
  std::atomic<int64_t> version_{0};
  tenon_device device_;
  // kHeap: a list of old memory; kProvider: the provider; kSharedVersion: the storage with the
  // version; otherwise the deleter's argument.
  void* context_ = nullptr;
  tenon_deleter deleter_ = nullptr;
  MemoryKind kind_;
  bool read_only_ = false;
  bool has_views_ = false;  // kViewed is in `counts_`
  std::atomic<bool> lent_{false};
  std::atomic<bool> growing_{false};  // a spin lock of grow_heap()
  tenon::tensor::BlockClass block_;
};

namespace tenon::tensor {

using Storage = ::tenon_storage;
using StoragePtr = base::IntrusivePtr<Storage>;
static_assert(sizeof(Storage) == kStorageBytes);

}  // namespace tenon::tensor
