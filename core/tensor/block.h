// SPDX-License-Identifier: Apache-2.0
// For this folder's own sources: laying out tensors and storages in blocks.
#pragma once

#include <cstdlib>
#include <memory>
#include <new>

#include "base/live_count.h"
#include "tensor/tensor.h"

namespace tenon::tensor {

struct FreeMemory {
  void operator()(int64_t* memory) const noexcept { std::free(memory); }
};
using HeapDims = std::unique_ptr<int64_t, FreeMemory>;

/// Memory for sizes and strides where they do not fit the header, else NULL.
inline HeapDims allocate_dims(size_t ndim) {
  if (ndim <= kInlineDims) return nullptr;
  HeapDims dims(static_cast<int64_t*>(std::malloc(2 * ndim * sizeof(int64_t))));
  if (dims == nullptr) throw std::bad_alloc();
  return dims;
}

/// Counts a tensor that comes or goes, `storages` of them with its storage.
inline void count_tensor(int64_t delta, int64_t storages) noexcept {
  base::ThreadRecord* thread = base::current_thread();
  if (__builtin_expect(thread == &base::no_thread_record, 0)) {
    base::count_live(TENON_HANDLE_TENSOR, delta);
    base::count_live(TENON_HANDLE_STORAGE, storages);
    return;
  }
  // The calling thread alone writes its counts; one look at its record serves both.
  const auto add = [thread](uint32_t kind, int64_t number) {
    std::atomic<int64_t>& count = thread->live[kind];
    count.store(count.load(std::memory_order_relaxed) + number, std::memory_order_relaxed);
  };
  add(TENON_HANDLE_TENSOR, delta);
  if (storages != 0) add(TENON_HANDLE_STORAGE, storages);
}

}  // namespace tenon::tensor

inline tenon_tensor* tenon_tensor::make_in_block(tenon::tensor::BlockClass block, tenon_dtype dtype,
                                                 tenon_device device,
                                                 tenon::tensor::MemoryKind kind, int64_t nbytes) {
  using namespace tenon::tensor;
  auto* memory = static_cast<char*>(allocate_block(block));
  void* data = kind == MemoryKind::kInline ? memory + kDataOffset : nullptr;
  // One weak reference of the storage's own, one of the header beside it.
  auto* storage = new (memory + kHeaderBytes)
      tenon_storage(kOneStrong + 2 * kOneWeak, data, nbytes, device, kind, block);
  auto* tensor = new (memory) tenon_tensor(dtype, device, storage, block);
  count_tensor(1, 1);
  return tensor;
}
