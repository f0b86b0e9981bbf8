// SPDX-License-Identifier: Apache-2.0
// Internal to this folder: the layout of tensors and storages in blocks.
#pragma once

#include <cstdlib>
#include <memory>
#include <new>

#include "base/check.h"
#include "base/live_count.h"
#include "tensor/tensor.h"

namespace tenon::tensor {

/// Returns the alignment of an element in bytes.
inline int64_t alignment_of(tenon_dtype dtype) noexcept {
  return is_complex(dtype) ? dtype_size(dtype) / 2 : dtype_size(dtype);
}
inline bool is_aligned(const void* data, tenon_dtype dtype) noexcept {
  return (reinterpret_cast<uintptr_t>(data) & static_cast<uintptr_t>(alignment_of(dtype) - 1)) == 0;
}

/// Header of sizes and strides on the heap, for tensors with more dims than fit inline.
struct HeapDimsHead {
  int64_t* older;    // earlier array, which readers may still use; NULL if none
  size_t room_ndim;  // capacity in dims
};
inline HeapDimsHead& head_of(int64_t* dims) noexcept {
  return *(reinterpret_cast<HeapDimsHead*>(dims) - 1);
}

/// Frees an array of allocate_dims() and all earlier ones.
inline void free_dims(int64_t* dims) noexcept {
  while (dims != nullptr) {
    HeapDimsHead* head = &head_of(dims);
    dims = head->older;
    std::free(head);
  }
}

struct FreeDims {
  void operator()(int64_t* dims) const noexcept { free_dims(dims); }
};
using HeapDims = std::unique_ptr<int64_t, FreeDims>;

/// Returns memory for the sizes and strides of `ndim` dims, or NULL if room for `room_ndim` dims
/// exists already and suffices. Throws std::bad_alloc.
inline HeapDims allocate_dims(size_t ndim, size_t room_ndim = kInlineDims) {
  if (ndim <= room_ndim) return nullptr;
  auto* head =
      static_cast<HeapDimsHead*>(std::malloc(sizeof(HeapDimsHead) + 2 * ndim * sizeof(int64_t)));
  if (head == nullptr) throw std::bad_alloc();
  *head = {nullptr, ndim};
  return HeapDims(reinterpret_cast<int64_t*>(head + 1));
}

/// Spin lock between threads that change a tensor's sizes and strides and threads that copy them.
/// Held for a few instructions; tensors share a few dozen locks.
class ShapeLock {
 public:
  explicit ShapeLock(const Tensor& tensor) noexcept;
  ~ShapeLock() { lock_.store(0, std::memory_order_release); }
  ShapeLock(const ShapeLock&) = delete;
  ShapeLock& operator=(const ShapeLock&) = delete;

 private:
  std::atomic<uint32_t>& lock_;
};

/// Counts `delta` tensors and `storages` storages on a thread with a record. Only that thread
/// writes its counters.
inline void count_tensor_on(base::ThreadRecord* thread, int64_t delta, int64_t storages) noexcept {
  const auto add = [thread](uint32_t kind, int64_t number) {
    std::atomic<int64_t>& count = thread->live[kind];
    count.store(count.load(std::memory_order_relaxed) + number, std::memory_order_relaxed);
  };
  add(TENON_HANDLE_TENSOR, delta);
  if (storages != 0) add(TENON_HANDLE_STORAGE, storages);
}
/// Like count_tensor_on(), for any thread.
inline void count_tensor(int64_t delta, int64_t storages) noexcept {
  base::ThreadRecord* thread = base::current_thread();
  if (__builtin_expect(thread == &base::no_thread_record, 0)) {
    base::count_live(TENON_HANDLE_TENSOR, delta);
    if (storages != 0) base::count_live(TENON_HANDLE_STORAGE, storages);
    return;
  }
  count_tensor_on(thread, delta, storages);
}

/// Allocates a block for a tensor, and counts the tensor and `storages` storages. Throws
/// TENON_ERROR_OUT_OF_MEMORY.
inline void* take_block(BlockClass block, int64_t storages) {
  void* memory = allocate_block(block);
  count_tensor(1, storages);
  return memory;
}
inline void return_block(void* memory, BlockClass block, int64_t storages) noexcept {
  count_tensor(-1, -storages);
  free_block(memory, block);
}

/// Like take_block(), but only from the thread's bin; NULL if that is empty. Makes no calls, so
/// that its caller needs no stack frame. If blocks are not recycled, this is fresh memory, so that
/// sanitizers also check the fast paths.
__attribute__((always_inline)) inline void* try_take_block(BlockClass block,
                                                           int64_t storages) noexcept {
  if constexpr (!kRecycleBlocks) {
    void* fresh = try_allocate_block(block);
    if (fresh != nullptr) count_tensor(1, storages);
    return fresh;
  }
  // Only threads with a record have a cache.
  base::ThreadRecord* thread = base::current_thread();
  BlockCache* cache = block_cache(thread);
  if (cache == nullptr) return nullptr;
  void* memory = try_take_block(cache, block);
  if (memory != nullptr) count_tensor_on(thread, 1, storages);
  return memory;
}
/// Puts a block into the thread's bin. Returns false if the bin has no room.
__attribute__((always_inline)) inline bool try_return_block(void* memory, BlockClass block,
                                                            int64_t storages) noexcept {
  if constexpr (!kRecycleBlocks) {
    return_block(memory, block, storages);
    return true;
  }
  base::ThreadRecord* thread = base::current_thread();
  BlockCache* cache = block_cache(thread);
  if (cache == nullptr || !try_return_block(cache, memory, block)) return false;
  count_tensor_on(thread, -1, -storages);
  return true;
}

}  // namespace tenon::tensor

/// Places a tensor with its storage in `memory`, which take_block() returned.
__attribute__((always_inline)) inline tenon_tensor* tenon_tensor::place(
    void* memory, tenon::tensor::BlockClass block, tenon_dtype dtype, tenon_device device,
    tenon::tensor::MemoryKind kind, int64_t nbytes) noexcept {
  using namespace tenon::tensor;
  TENON_DCHECK(reinterpret_cast<uintptr_t>(memory) % kAlignment == 0);
  TENON_DCHECK(block != kHeaderBlock);
  TENON_DCHECK(kind == MemoryKind::kInline ? nbytes <= kInlineBytes[block]
                                           : block == kStorageBlock);
  auto* bytes = static_cast<char*>(memory);
  void* data = kind == MemoryKind::kInline ? bytes + kDataOffset : nullptr;
  auto* storage =
      new (bytes + kHeaderBytes) tenon_storage(kStorageAlone, data, nbytes, device, kind, block);
  return new (memory) tenon_tensor(keys_on(device), dtype, device, storage, block);
}
inline tenon_tensor* tenon_tensor::make_in_block(tenon::tensor::BlockClass block, tenon_dtype dtype,
                                                 tenon_device device,
                                                 tenon::tensor::MemoryKind kind, int64_t nbytes) {
  tenon_tensor* tensor =
      place(tenon::tensor::take_block(block, 1), block, dtype, device, kind, nbytes);
  tensor->follow_grad_mode();
  return tensor;
}
