// SPDX-License-Identifier: Apache-2.0
// Making and resizing tensors. Views are in view.cpp, the end of a tensor in lifetime.cpp.
#include "tensor/tensor.h"

#include <sched.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <utility>

#include "base/check.h"
#include "base/fork.h"
#include "tensor/block.h"
#include "tensor/device_provider.h"
#include "tensor/large_block.h"

using namespace tenon::tensor;

namespace {

constexpr const char* kNew = "tenon_tensor_new";
constexpr const char* kNewLike = "tenon_tensor_new_like";
constexpr const char* kResize = "tenon_tensor_resize";

bool is_plain_cpu(const tenon_device* device) noexcept {
  return device == nullptr ||
         (device->type == TENON_DEVICE_CPU && (device->index == 0 || device->index == -1));
}

// Tests type and index in one comparison; the index of a fake device is never 0.
bool is_real_cpu(const tenon_device& device) noexcept {
  uint64_t word;
  static_assert(sizeof word == sizeof device && TENON_DEVICE_CPU == 0);
  __builtin_memcpy(&word, &device, sizeof word);
  return word == 0;
}

void require_dtype(const char* function, tenon_dtype dtype) {
  TENON_CHECK_ARG(is_dtype(dtype), function, ": dtype must be a known dtype, got number ", dtype);
}

// Returns true if a tensor has these sizes and strides; `strides` NULL means row-major.
bool has_shape(const tenon_tensor& tensor, Dims sizes, const int64_t* strides) noexcept {
  const Dims own = tensor.size_span();
  if (!std::equal(own.begin(), own.end(), sizes.begin(), sizes.end())) return false;
  if (strides == nullptr) return tensor.is_contiguous();
  return std::equal(strides, strides + sizes.size(), tensor.strides());
}

}  // namespace

constexpr tenon_tensor::tenon_tensor(Undefined) noexcept
    : counts_(kImmortal),
      keys_(0),
      dims_(inline_dims_),
      storage_(&tenon_storage::undefined_),
      dtype_(TENON_DTYPE_NONE),
      flags_(TENON_TENSOR_UNDEFINED),
      itemsize_(0),
      block_(kHeaderBlock),
      device_{-1, -1},
      base_(0),
      inline_dims_{} {}

constinit tenon_tensor tenon_tensor::undefined_{Undefined{}};

namespace {

// 0 if free, otherwise 1 + the fork generation of the holder's process: in a forked child, locks
// that a thread of the parent held count as free.
constinit std::atomic<uint32_t> shape_locks[64] = {};

}  // namespace

ShapeLock::ShapeLock(const Tensor& tensor) noexcept
    : lock_(shape_locks[reinterpret_cast<uintptr_t>(&tensor) / 64 % std::size(shape_locks)]) {
  const uint32_t held = tenon::base::fork_generation() + 1;
  while (true) {
    uint32_t now = lock_.load(std::memory_order_relaxed);
    if (now == held) {
      sched_yield();
    } else if (lock_.compare_exchange_weak(now, held, std::memory_order_acquire,
                                           std::memory_order_relaxed)) {
      return;
    }
  }
}

HeapDims tenon_tensor::more_dims(size_t ndim) const {
  return allocate_dims(ndim, dims_ == inline_dims_ ? kInlineDims : head_of(dims_).room_ndim);
}

// Note: readers without a lock. Kernels, and callers that borrow sizes and strides, read them
// without the lock. Old arrays therefore live as long as the tensor, each array has room for every
// number of dims that a reader may have seen, and a larger array is published before that number.
void tenon_tensor::change_dims(Dims sizes, const int64_t* strides, int64_t numel, int64_t* heap,
                               bool contiguous) noexcept {
  const ShapeLock lock(*this);
  if (heap != nullptr) {
    if (dims_ != inline_dims_) head_of(heap).older = dims_;
    for (int32_t dim = 0; dim < 2 * ndim_; ++dim) heap[dim] = dims_[dim];
    ends_slowly_.store(true, std::memory_order_relaxed);
    __atomic_store_n(&dims_, heap, __ATOMIC_RELEASE);
  }
  int64_t* const dims = dims_;
  const size_t ndim = sizes.size();
  int64_t fresh[2 * TENON_TENSOR_MAX_DIMS];
  std::copy(sizes.begin(), sizes.end(), fresh);
  if (strides == nullptr) {
    row_major_strides(sizes, fresh + ndim);
  } else {
    std::copy(strides, strides + ndim, fresh + ndim);
  }
  for (size_t i = 0; i < 2 * ndim; ++i) __atomic_store_n(&dims[i], fresh[i], __ATOMIC_RELAXED);
  __atomic_store_n(&ndim_, static_cast<int32_t>(ndim), __ATOMIC_RELEASE);
  numel_ = numel;
  flags_ = (flags_ & ~TENON_TENSOR_CONTIGUOUS) | (contiguous ? TENON_TENSOR_CONTIGUOUS : 0u);
}

int32_t tenon_tensor::copy_dims(int64_t* out_sizes, int64_t* out_strides) const noexcept {
  const ShapeLock lock(*this);
  if (is_symbolic()) return -1;
  if (out_sizes != nullptr) std::copy(dims_, dims_ + ndim_, out_sizes);
  if (out_strides != nullptr) std::copy(dims_ + ndim_, dims_ + 2 * ndim_, out_strides);
  return ndim_;
}

// Sets the shape of a new tensor. `heap` is memory for it, NULL if it fits the header.
void tenon_tensor::set_dims(Dims sizes, const int64_t* strides, int64_t numel, int64_t* heap,
                            bool contiguous) noexcept {
  TENON_DCHECK(heap != nullptr || sizes.size() <= kInlineDims);
  int64_t* dims = heap != nullptr ? heap : inline_dims_;
  const size_t ndim = sizes.size();
  for (size_t dim = 0; dim < ndim; ++dim) dims[dim] = sizes[dim];
  if (strides == nullptr) {
    row_major_strides(sizes, dims + ndim);
  } else {
    for (size_t dim = 0; dim < ndim; ++dim) dims[ndim + dim] = strides[dim];
  }
  TENON_DCHECK(dims_ == inline_dims_);
  if (heap != nullptr) ends_slowly_.store(true, std::memory_order_relaxed);
  dims_ = dims;
  ndim_ = static_cast<int32_t>(ndim);
  numel_ = numel;
  flags_ = (flags_ & ~TENON_TENSOR_CONTIGUOUS) | (contiguous ? TENON_TENSOR_CONTIGUOUS : 0u);
}

// Sets a row-major shape of at most kInlineDims dims on a new tensor.
__attribute__((always_inline)) inline void tenon_tensor::set_row_major(Dims sizes,
                                                                       int64_t numel) noexcept {
  TENON_DCHECK(sizes.size() <= kInlineDims && dims_ == inline_dims_);
  ndim_ = static_cast<int32_t>(sizes.size());
  numel_ = numel;
  flags_ = TENON_TENSOR_CONTIGUOUS;
  int64_t stride = 1;
  for (size_t dim = sizes.size(); dim-- > 0;) {
    const int64_t size = sizes[dim];
    inline_dims_[dim] = size;
    inline_dims_[sizes.size() + dim] = stride;
    if (size > 1) stride *= size;
  }
}

// Takes a block from the thread's bins. The sizes are checked and few; `nbytes` fit a block.
__attribute__((always_inline)) inline tenon_tensor* tenon_tensor::try_place_small(
    tenon_dtype dtype, Dims sizes, int64_t numel, int64_t nbytes) noexcept {
  TENON_DCHECK(nbytes >= 0 && nbytes <= kMaxInlineBytes);
  const BlockClass block = inline_class(nbytes);
  void* memory = try_take_block(block, 1);
  if (memory == nullptr) return nullptr;
  tenon_tensor* tensor =
      place(memory, block, dtype, {TENON_DEVICE_CPU, 0}, MemoryKind::kInline, nbytes);
  tensor->set_row_major(sizes, numel);
  tensor->follow_grad_mode();
  return tensor;
}

tenon_tensor* tenon_tensor::try_make_small(tenon_dtype dtype, Dims sizes) noexcept {
  const int64_t itemsize = dtype_size(dtype);
  if (itemsize == 0 || sizes.size() > kInlineDims) return nullptr;
  int64_t numel = 1;
  for (int64_t size : sizes) {
    if (static_cast<uint64_t>(size) > kMaxInlineBytes) return nullptr;
    numel *= size;  // at most five factors of at most 13 bits each
  }
  if (numel > kMaxInlineBytes || numel * itemsize > kMaxInlineBytes) return nullptr;
  return try_place_small(dtype, sizes, numel, numel * itemsize);
}

tenon_tensor* tenon_tensor::try_make_like(const tenon_tensor& like, tenon_dtype dtype) noexcept {
  const int64_t itemsize = dtype_size(dtype);
  // The sizes were checked when `like` was made.
  if (!is_real_cpu(like.device_) || like.dims_ != like.inline_dims_ || itemsize == 0 ||
      like.numel_ > kMaxInlineBytes || like.numel_ * itemsize > kMaxInlineBytes) {
    return nullptr;
  }
  return try_place_small(dtype, like.size_span(), like.numel_, like.numel_ * itemsize);
}

tenon_tensor* tenon_tensor::make_like(const tenon_tensor& like, tenon_dtype dtype) {
  TENON_CHECK(!like.is_undefined(), TENON_ERROR_STATE, kNewLike,
              ": like must be defined, got the undefined tensor");
  TENON_CHECK((like.flags_ & TENON_TENSOR_SYMBOLIC) == 0, TENON_ERROR_NOT_SUPPORTED, kNewLike,
              ": like must have concrete sizes, got a symbolic shape");
  return make(dtype, &like.device_, like.size_span(), nullptr);
}

tenon_tensor* tenon_tensor::make(tenon_dtype dtype, const tenon_device* device, Dims sizes,
                                 const int64_t* strides) {
  if (strides == nullptr && is_plain_cpu(device)) {
    if (tenon_tensor* tensor = try_make_small(dtype, sizes)) return tensor;
  }
  require_dtype(kNew, dtype);
  const tenon_device where = resolve_device(kNew, device);
  const int64_t numel = checked_numel(kNew, sizes);
  int64_t extent = numel;
  bool contiguous = true;
  if (strides != nullptr) {
    extent = checked_extent(kNew, sizes, {strides, sizes.size()});
    contiguous = is_row_major(sizes, {strides, sizes.size()});
  }
  const int64_t nbytes = checked_bytes(kNew, extent, kDtypeSizes[dtype]);
  HeapDims heap = allocate_dims(sizes.size());
  tenon_tensor* tensor = allocate(dtype, where, nbytes);
  tensor->set_dims(sizes, strides, numel, heap.release(), contiguous);
  return tensor;
}

// Chooses the memory of a new tensor, if it gets any. try_place_small() handles the most frequent
// case. The caller sets the shape.
tenon_tensor* tenon_tensor::allocate(tenon_dtype dtype, tenon_device device, int64_t nbytes) {
  TENON_DCHECK(is_dtype(dtype) && nbytes >= 0);
  TENON_DCHECK(device.index >= 0);  // settled by resolve_device()
  if (is_fake_device(device) || device.type == TENON_DEVICE_META) {
    return make_in_block(kStorageBlock, dtype, device, MemoryKind::kNone, nbytes);
  }
  if (device.type == TENON_DEVICE_CPU && nbytes <= kMaxInlineBytes) {
    return make_in_block(inline_class(nbytes), dtype, device, MemoryKind::kInline, nbytes);
  }
  if (device.type == TENON_DEVICE_CPU) {
    auto give_back = [nbytes](void* data) { free_elements(data, nbytes); };
    std::unique_ptr<void, decltype(give_back)> data(allocate_elements(nbytes), give_back);
    tenon_tensor* tensor = make_in_block(kStorageBlock, dtype, device, MemoryKind::kHeap, nbytes);
    tensor->storage_->data_ = data.release();
    return tensor;
  }
  const tenon_device_provider& provider = require_provider(device.type);
  tenon_tensor* tensor = make_in_block(kStorageBlock, dtype, device, MemoryKind::kProvider, nbytes);
  tensor->storage_->context_ = const_cast<tenon_device_provider*>(&provider);
  try {
    tensor->storage_->data_ = allocate_memory(provider, device.index, nbytes);
  } catch (...) {
    tensor->release();
    throw;
  }
  return tensor;
}

tenon_tensor* tenon_tensor::try_wrap(void* data, tenon_dtype dtype, Dims sizes, void* context,
                                     tenon_deleter deleter) noexcept {
  if (sizes.size() > kInlineDims || data == nullptr || !is_dtype(dtype)) return nullptr;
  if (!is_aligned(data, dtype)) return nullptr;
  int64_t nbytes = kDtypeSizes[dtype];
  for (const int64_t size : sizes) {
    if (size < 1 || __builtin_mul_overflow(nbytes, size, &nbytes)) return nullptr;
  }
  void* memory = try_take_block(kStorageBlock, 1);
  if (memory == nullptr) return nullptr;
  tenon_tensor* tensor =
      place(memory, kStorageBlock, dtype, {TENON_DEVICE_CPU, 0}, MemoryKind::kForeign, nbytes);
  Storage* storage = tensor->storage_;
  storage->data_ = data;
  storage->context_ = context;
  storage->deleter_ = deleter;
  int64_t numel = 1;
  for (const int64_t size : sizes) numel *= size;
  tensor->set_row_major(sizes, numel);
  tensor->follow_grad_mode();
  return tensor;
}

tenon_tensor* tenon_tensor::wrap(const ForeignMemory& memory, tenon_dtype dtype,
                                 const tenon_device* device, const Geometry& geometry) {
  struct Owner {
    void* context;
    tenon_deleter deleter;
    ~Owner() {
      if (deleter != nullptr) deleter(context);
    }
  } owner{memory.context, memory.deleter};
  TENON_DCHECK(!geometry.symbolic);
  const char* function = memory.function;
  const Dims sizes = geometry.sizes;
  require_dtype(function, dtype);
  const tenon_device where = resolve_device(function, device);
  const int64_t numel = checked_numel(function, sizes);
  const bool contiguous = geometry.is_row_major();
  const int64_t reach = checked_reach(function, numel, geometry);
  const int64_t reached = numel == 0 ? 0 : checked_bytes(function, reach, kDtypeSizes[dtype]);
  TENON_CHECK_ARG(memory.nbytes < 0 || numel == 0 || reached <= memory.nbytes, function,
                  ": tensor must stay inside the memory of ", memory.nbytes,
                  " bytes, got one that needs ", reached);
  const bool is_meta = where.type == TENON_DEVICE_META || is_fake_device(where);
  TENON_CHECK_ARG(memory.data != nullptr || numel == 0 || is_meta, function,
                  ": data must not be NULL, got NULL for ", numel, " elements");
  TENON_CHECK_ARG(memory.data == nullptr || !is_meta, function,
                  ": data must be NULL on meta, got an address");
  TENON_CHECK_ARG(numel == 0 || is_meta || is_aligned(memory.data, dtype), function,
                  ": data must be aligned to ", alignment_of(dtype), " bytes for ",
                  dtype_name(dtype), ", got address ", reinterpret_cast<uintptr_t>(memory.data));
  HeapDims heap = allocate_dims(sizes.size());
  const MemoryKind kind = is_meta ? MemoryKind::kNone : MemoryKind::kForeign;
  tenon_tensor* tensor =
      make_in_block(kStorageBlock, dtype, where, kind, memory.nbytes < 0 ? reached : memory.nbytes);
  Storage* storage = tensor->storage_;
  storage->data_ = memory.data;
  storage->context_ = memory.context;
  storage->deleter_ = std::exchange(owner.deleter, nullptr);
  storage->read_only_ = memory.read_only;
  if (memory.read_only) tensor->flags_ |= TENON_TENSOR_READ_ONLY;
  tensor->offset_ = geometry.offset;
  tensor->set_dims(sizes, geometry.strides, numel, heap.release(), contiguous);
  return tensor;
}

void tenon_tensor::set_wrapped_number(bool wrapped) {
  TENON_CHECK_ARG(ndim_ == 0 && !is_undefined(),
                  "tenon_tensor_set_wrapped_number: tensor must be 0-dim, got ",
                  is_undefined() ? std::string("the undefined tensor") : print_dims(size_span()));
  flags_ = wrapped ? flags_ | TENON_TENSOR_WRAPPED_NUMBER : flags_ & ~TENON_TENSOR_WRAPPED_NUMBER;
}

void tenon_tensor::claim_device(const tenon_device& device) noexcept {
  TENON_DCHECK(is_fake_device(device) && has_storage() && !has_memory() && base() == nullptr);
  // An inference tensor gets no recording keys.
  set_keys((fake_keys(device.type) & ~kRecordingKeys) | (keys() & kRecordingKeys));
  device_ = device;
  storage_->device_ = device;
}

void tenon_tensor::resize(Dims sizes, const int64_t* strides) {
  TENON_CHECK(!is_undefined(), TENON_ERROR_STATE,
              "tenon_tensor_resize: tensor must be defined, got the undefined tensor");
  TENON_CHECK(!is_symbolic(), TENON_ERROR_NOT_SUPPORTED, kResize,
              ": tensor must have concrete sizes, got a symbolic shape");
  const int64_t numel = checked_numel(kResize, sizes);
  int64_t extent = numel;
  bool contiguous = true;
  if (strides != nullptr) {
    extent = checked_extent(kResize, sizes, {strides, sizes.size()});
    contiguous = is_row_major(sizes, {strides, sizes.size()});
  }
  // The owner of the memory relies on the old shape.
  TENON_CHECK(storage_->kind() != MemoryKind::kForeign || has_shape(*this, sizes, strides),
              TENON_ERROR_STATE, kResize,
              ": storage must be allocated by Tenon to be resized, got wrapped memory of ",
              storage_->nbytes(), " bytes with sizes ", print_dims(size_span()), " for sizes ",
              print_dims(sizes));
  HeapDims heap = more_dims(sizes.size());
  if (extent != 0) {
    int64_t last = 0;
    TENON_CHECK_ARG(!__builtin_add_overflow(offset_, extent, &last), kResize,
                    ": offset of the last element must fit in 63 bits, got sizes ",
                    print_dims(sizes));
    storage_->grow(checked_bytes(kResize, last, itemsize_));
  }
  change_dims(sizes, strides, numel, heap.release(), contiguous);
}
