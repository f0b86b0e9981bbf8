// SPDX-License-Identifier: Apache-2.0
// Tensor: shape, dtype, device and key set of a view of a storage, with strong and weak references.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>

#include "base/check.h"
#include "base/intrusive_ptr.h"
#include "base/language.h"
#include "base/release_queue.h"
#include "base/symbol.h"
#include "base/thread.h"
#include "tenon/device.h"
#include "tenon/key.h"
#include "tenon/tensor.h"
#include "tenon/types.h"
#include "tenon/value.h"
#include "tensor/device.h"
#include "tensor/dtype.h"
#include "tensor/layout.h"
#include "tensor/storage.h"

namespace tenon::tensor {

constexpr int32_t kInlineDims = 5;

/// The keys that a plain tensor of a device type carries.
constexpr tenon_keyset plain_keys(int32_t device_type) noexcept {
  return (uint64_t{1} << (TENON_BACKEND_BITS + TENON_FUNCTIONALITY_DENSE)) |
         (uint64_t{1} << (TENON_BACKEND_BITS + TENON_FUNCTIONALITY_AD_INPLACE_OR_VIEW)) |
         (uint64_t{1} << (TENON_BACKEND_BITS + TENON_FUNCTIONALITY_AUTOCAST)) |
         (uint64_t{1} << device_type);
}

/// The keys of fake tensors that claim a device of a type.
constexpr tenon_keyset fake_keys(int32_t device_type) noexcept {
  return plain_keys(device_type) ^
         (uint64_t{1} << (TENON_BACKEND_BITS + TENON_FUNCTIONALITY_DENSE)) ^
         (uint64_t{1} << (TENON_BACKEND_BITS + TENON_FUNCTIONALITY_FAKE));
}

/// The keys of a new tensor on a device.
constexpr tenon_keyset keys_on(const tenon_device& device) noexcept {
  return is_fake_device(device) ? fake_keys(device.type) : plain_keys(device.type);
}

/// The keys that inference tensors lack, because nothing about them is ever recorded.
constexpr tenon_keyset kRecordingKeys =
    (uint64_t{1} << (TENON_BACKEND_BITS + TENON_FUNCTIONALITY_AUTOGRAD)) |
    (uint64_t{1} << (TENON_BACKEND_BITS + TENON_FUNCTIONALITY_AD_INPLACE_OR_VIEW));

/// The kind of object behind a hollow tensor.
enum class HollowKind : uint8_t {
  kNone,
  kCarried,  // value/carrier.h: a value that travels where a tensor handle is required
  kWrapped,  // value/carrier.h: an object whose type runs operators on it
  kLevel     // dispatch/transform.h: a tensor as a layer of the transform stack sees it
};

/// The metadata of a hollow tensor.
struct HollowMetadata {
  const char* function;  // for messages
  tenon_keyset keys;
  tenon_dtype dtype;
  tenon_device device;
  Geometry geometry;
  const ::tenon_tensor* version_of = nullptr;  // shares its version counter; NULL: has its own
  // The hollow tensor (itself not a view) that this one is a view of, and whose counter it shares.
  const ::tenon_tensor* view_of = nullptr;
};

/// The metadata of a tensor with symbolic sizes, in checked words (base/symbol.h).
struct SymbolicMetadata {
  tenon_dtype dtype;
  tenon_device device;                      // of a new tensor, which has no memory
  const ::tenon_tensor* view_of = nullptr;  // NULL for a new tensor
  Dims sizes;
  const int64_t* strides;
  int64_t offset;
  int64_t numel;
  bool is_contiguous;
  base::SymbolOwner* owner;  // NULL if all words are numbers
};

/// The word that a language keeps on a tensor.
struct Cell {
  void* object = nullptr;
  tenon_deleter drop = nullptr;  // set if the cell owns the object
};

/// The circumstances in which a view was made, which decide whether the view may be written.
enum class ViewOrigin : uint8_t {
  kDefault,
  kNoGrad,       // grad mode was off
  kInference,    // inference mode was on
  kMultiOutput,  // by a call that made several views
  kFunction      // inside a function with a custom gradient
};

struct FreeDims;

/// The first member of the state that the autograd layer keeps for a tensor.
struct AutogradState {
  void (*drop)(AutogradState* state) noexcept;
};

/// A storage that a tensor had before its data was replaced. Views made before then still use it.
struct FormerStorage {
  StoragePtr storage;
  std::unique_ptr<FormerStorage> older;
};

/// Rare fields: cells of further languages, owning cells, hollow content, symbols.
struct TensorExtra final : BlockAllocated<TensorExtra> {
  Cell cells[base::kFixedLanguages];
  std::atomic<Cell*> more_cells{nullptr};  // of registered languages, allocated on demand
  void* content = nullptr;                 // of a hollow tensor
  void (*drop_content)(void* content) = nullptr;
  base::SymbolOwner* symbols = nullptr;  // owner of symbolic sizes, a strong reference
  int64_t numel = -1;                    // number of elements of a symbolic tensor, a word
  HollowKind hollow_kind = HollowKind::kNone;
  std::atomic<bool> owns_cells{false};  // some cell has or had a deleter
  bool data_replaced = false;           // the tensor also holds a weak reference to its storage
  std::unique_ptr<FormerStorage> former;
};

}  // namespace tenon::tensor

/// A tensor. The first cache line holds the fields that calls read most, such as counts, keys, the
/// addresses of dims and storage, and the dtype.
struct alignas(64) tenon_tensor {
 public:
  using Storage = ::tenon_storage;

  tenon_tensor(const tenon_tensor&) = delete;
  tenon_tensor& operator=(const tenon_tensor&) = delete;

  tenon_keyset keys() const noexcept { return keys_.load(std::memory_order_relaxed); }
  /// Like keys(), for the call path: a plain load, which the compiler can fold into the instruction
  /// that uses the word, unlike an atomic load. The word is aligned, so the load does not tear.
  tenon_keyset call_keys() const noexcept {
#if defined(__SANITIZE_THREAD__)
    return keys();
#else
    tenon_keyset keys;
    __builtin_memcpy(&keys, &keys_, sizeof keys);
    return keys;
#endif
  }
  void set_keys(tenon_keyset keys) noexcept { keys_.store(keys, std::memory_order_relaxed); }
  /// Adds keys. Other threads may change other keys at the same time.
  void add_keys(tenon_keyset keys) noexcept { keys_.fetch_or(keys, std::memory_order_relaxed); }
  /// Like add_keys(), for a tensor that the running call made or writes. If the caller holds the
  /// only reference, a plain store suffices: another thread could use the tensor only without a
  /// reference, and would race for its data anyway.
  void add_keys_of_written(tenon_keyset keys) noexcept {
    if (has_one_reference()) {
      set_keys(this->keys() | keys);
    } else {
      add_keys(keys);
    }
  }
  void remove_keys(tenon_keyset keys) noexcept {
    keys_.fetch_and(~keys, std::memory_order_relaxed);
  }
  int32_t ndim() const noexcept { return ndim_; }
  const int64_t* sizes() const noexcept { return dims_; }
  const int64_t* strides() const noexcept { return dims_ + ndim_; }
  tenon::tensor::Dims size_span() const noexcept { return {dims_, static_cast<size_t>(ndim_)}; }
  tenon::tensor::Dims stride_span() const noexcept {
    return {dims_ + ndim_, static_cast<size_t>(ndim_)};
  }
  /// Returns the number of elements; -1 for a symbolic tensor.
  int64_t numel() const noexcept { return numel_; }
  /// Returns the number of elements as a word, also for a symbolic tensor; -1 if it is unknown.
  int64_t numel_word() const noexcept { return is_symbolic() ? extra()->numel : numel_; }
  int64_t offset() const noexcept { return offset_; }
  /// See tenon_tensor_copy_dims.
  int32_t copy_dims(int64_t* out_sizes, int64_t* out_strides) const noexcept;
  tenon_dtype dtype() const noexcept { return dtype_; }
  int64_t itemsize() const noexcept { return itemsize_; }
  /// For a fake tensor, the index includes TENON_DEVICE_FAKE, as constructors and operators expect.
  const tenon_device& device() const noexcept { return device_; }
  /// Returns true if the tensor only claims its device: fake tensors, and hollow tensors that wrap
  /// them.
  bool is_fake() const noexcept { return tenon::tensor::is_fake_device(device_); }
  uint32_t flags() const noexcept { return flags_; }
  bool is_undefined() const noexcept { return (flags_ & TENON_TENSOR_UNDEFINED) != 0; }
  bool is_contiguous() const noexcept { return (flags_ & TENON_TENSOR_CONTIGUOUS) != 0; }
  bool is_wrapped_number() const noexcept { return (flags_ & TENON_TENSOR_WRAPPED_NUMBER) != 0; }
  bool is_hollow() const noexcept { return (flags_ & TENON_TENSOR_HOLLOW) != 0; }
  bool is_symbolic() const noexcept { return (flags_ & TENON_TENSOR_SYMBOLIC) != 0; }
  bool is_inference() const noexcept { return (flags_ & TENON_TENSOR_INFERENCE) != 0; }
  /// Returns false for the undefined tensor and for hollow ones, which may also lack a dtype and a
  /// device.
  bool has_storage() const noexcept {
    return (flags_ & (TENON_TENSOR_UNDEFINED | TENON_TENSOR_HOLLOW)) == 0;
  }
  /// Returns false on Meta, for fake and hollow tensors and for the undefined one. Tensors without
  /// elements may have a NULL address.
  bool has_memory() const noexcept { return storage_->has_memory(); }
  Storage* storage() const noexcept { return storage_; }
  /// Returns the address of the first element, NULL if there is no memory.
  void* data() const noexcept {
    char* data = static_cast<char*>(storage_->data());
    return data == nullptr ? nullptr : data + offset_ * itemsize_;
  }
  int64_t version() const noexcept { return storage_->version(); }
  void bump_version() noexcept { storage_->bump_version(); }
  /// Bumps the version for an imminent write through this tensor.
  void count_write() noexcept { storage_->count_write(); }

  /// Fills all of `out_info`. The tensor must not be symbolic (TENON_TENSOR_SYMBOLIC).
  void describe(tenon_tensor_info* out_info) const noexcept {
    out_info->data = data();
    out_info->sizes = sizes();
    out_info->strides = strides();
    out_info->numel = numel_;
    out_info->storage_offset = offset_;
    out_info->ndim = ndim_;
    out_info->dtype = dtype_;
    out_info->device = device_;
    out_info->flags = flags_;
    out_info->reserved0 = 0;
    out_info->reserved[0] = 0;
    out_info->reserved[1] = 0;
  }

  void retain() noexcept {
    counts_.fetch_add(tenon::tensor::kOneStrong, std::memory_order_relaxed);
  }
  void release() noexcept {
    using namespace tenon::tensor;
    // The only holder needs no atomic write: no other thread can add a reference.
    if (counts_.load(std::memory_order_acquire) == (kOneStrong | kOneWeak)) {
      die_alone();
    } else {
      const uint64_t before = counts_.fetch_sub(kOneStrong, std::memory_order_acq_rel);
      TENON_DCHECK((before & kStrongMask) != 0);
      if ((before & kStrongMask) == 1) die();
    }
  }
  /// Returns true if the caller's reference is the only one, so that no other thread uses the
  /// tensor.
  bool has_one_reference() const noexcept {
    using tenon::tensor::kOneStrong;
    using tenon::tensor::kOneWeak;
    return counts_.load(std::memory_order_acquire) == (kOneStrong | kOneWeak);
  }
  int64_t use_count() const noexcept {
    return static_cast<int64_t>(counts_.load(std::memory_order_acquire) &
                                tenon::tensor::kStrongMask);
  }

  /// Weak references keep the header's memory, not the tensor.
  void retain_weak() noexcept {
    counts_.fetch_add(tenon::tensor::kOneWeak, std::memory_order_relaxed);
  }
  void release_weak() noexcept;
  /// Turns a weak reference (which stays) into a strong one. Returns false if the tensor has died.
  bool try_retain() noexcept;

  /// See tenon_tensor_set_wrapped_number, tenon_tensor_resize, tenon_tensor_restride,
  /// tenon_tensor_cell and tenon_tensor_own_cell.
  void set_wrapped_number(bool wrapped);
  void resize(tenon::tensor::Dims sizes, const int64_t* strides);
  void restride(tenon::tensor::Dims sizes, tenon::tensor::Dims strides, int64_t offset);
  /// Turns a uniquely owned tensor on Meta into a fake tensor that claims `device`.
  void claim_device(const tenon_device& device) noexcept;
  /// Replaces the geometry of a hollow tensor after the tensor behind it has changed its shape.
  void claim_geometry(const tenon::tensor::Geometry& geometry);
  /// Implements set_data(): adopts the shape, dtype, device and memory of `data`, and keeps this
  /// tensor's autograd state and version count. Both tensors must have a storage, and this one must
  /// not be a view. No other thread may use this tensor at the same time. Throws std::bad_alloc and
  /// the errors of make_independent().
  void set_data(const tenon_tensor& data);
  void** cell(uint32_t language) noexcept;
  void own_cell(uint32_t language, void* object, tenon_deleter drop);
  /// Returns the object that a language's cell owns, NULL if it owns none.
  void* owned_object(uint32_t language) const noexcept;
  /// Returns the rare fields, allocated on demand. Throws TENON_ERROR_OUT_OF_MEMORY.
  tenon::tensor::TensorExtra* require_extra();
  tenon::tensor::TensorExtra* extra() const noexcept {
    return extra_.load(std::memory_order_acquire);
  }
  /// Returns the state that the autograd layer keeps for this tensor, NULL for most. It is dropped
  /// with the tensor.
  tenon::tensor::AutogradState* autograd() const noexcept {
    return autograd_.load(std::memory_order_acquire);
  }
  /// Sets the autograd state unless there is one already. Returns the state that is set now.
  tenon::tensor::AutogradState* init_autograd(tenon::tensor::AutogradState* fresh) noexcept;
  /// Replaces the autograd state. Returns the previous state, which the caller drops. No other
  /// thread may access the state at the same time.
  tenon::tensor::AutogradState* replace_autograd(tenon::tensor::AutogradState* state,
                                                 uint8_t note) noexcept;
  /// Returns a small number that the autograd layer keeps beside its state. For a view without
  /// state, it is the low byte of the storage version at which the view was made.
  uint8_t autograd_note() const noexcept { return autograd_note_; }
  /// For a view, the tensor that it is a view of, which is itself not a view; NULL otherwise.
  tenon_tensor* base() const noexcept {
    return block_ == tenon::tensor::kHeaderBlock
               ? reinterpret_cast<tenon_tensor*>(base_ & ~kOriginMask)
               : nullptr;
  }
  tenon::tensor::ViewOrigin view_origin() const noexcept {
    return static_cast<tenon::tensor::ViewOrigin>(base_ & kOriginMask);
  }
  void set_view_origin(tenon::tensor::ViewOrigin origin) noexcept {
    base_ = (base_ & ~kOriginMask) | static_cast<uintptr_t>(origin);
  }
  /// Returns true if a call must check whether gradients flow to this tensor. A tensor that is not
  /// a view carries Autograd only if they do; views carry it in case their base becomes tracked.
  bool may_be_tracked() const noexcept {
    constexpr tenon_keyset kAutograd = tenon::base::kAutogradBit;
    if ((keys() & kAutograd) == 0) return false;
    const tenon_tensor* viewed = base();
    return viewed == nullptr || autograd() != nullptr || viewed->autograd() != nullptr;
  }

  /// Debug builds: aborts if the tensor is inconsistent, which is a bug of the library.
  void check_invariants() const noexcept;

  /// Constructors, see below.
  static tenon_tensor* make(tenon_dtype dtype, const tenon_device* device,
                            tenon::tensor::Dims sizes, const int64_t* strides);
  static tenon_tensor* wrap(const tenon::tensor::ForeignMemory& memory, tenon_dtype dtype,
                            const tenon_device* device, const tenon::tensor::Geometry& geometry);
  static tenon_tensor* make_alias(const tenon_tensor& base, tenon::tensor::Dims sizes,
                                  tenon::tensor::Dims strides, int64_t offset);
  /// Like make_alias(), but not a view: it shares only the memory and the version counter.
  static tenon_tensor* make_detached(const tenon_tensor& base, tenon::tensor::Dims sizes,
                                     tenon::tensor::Dims strides, int64_t offset);
  /// Makes a tensor that shares only the memory: it has another storage and version counter. Throws
  /// as tenon_tensor_copy_data.
  static tenon_tensor* make_independent(const tenon_tensor& base);
  /// Makes a view with elements of another dtype. Throws like tenon_tensor_new_alias_as.
  static tenon_tensor* make_alias_as(const tenon_tensor& base, tenon_dtype dtype,
                                     tenon::tensor::Dims sizes, tenon::tensor::Dims strides,
                                     int64_t offset);
  /// Makes a tensor without memory whose sizes are words; a view shares the storage of its base.
  static tenon_tensor* make_symbolic(const tenon::tensor::SymbolicMetadata& claim);
  /// Makes a hollow tensor share the symbols of a tensor with the same symbolic shape.
  void share_symbols(const tenon_tensor& other);
  /// Turns a symbolic tensor into a plain one with the values of its symbols.
  void settle(tenon::tensor::Dims sizes, tenon::tensor::Dims strides, int64_t offset);
  /// Makes a tensor without memory around `content`. Takes over `content`: `drop` runs even if this
  /// throws. Throws TENON_ERROR_INVALID_ARGUMENT for a bad geometry.
  static tenon_tensor* make_hollow(const tenon::tensor::HollowMetadata& claim,
                                   tenon::tensor::HollowKind kind, void* content,
                                   void (*drop)(void* content));
  /// Returns the content of a hollow tensor of that kind, NULL for all others.
  void* content(tenon::tensor::HollowKind kind) const noexcept {
    if (!is_hollow()) return nullptr;
    const tenon::tensor::TensorExtra* more = extra();
    TENON_DCHECK(more != nullptr);  // made before the tensor was shared
    return more->hollow_kind == kind ? more->content : nullptr;
  }
  /// Makes a row-major tensor with the sizes and the device of another.
  static tenon_tensor* make_like(const tenon_tensor& like, tenon_dtype dtype);
  /// Fast paths of make, make_alias, wrap and make_like: few dims, a small CPU tensor or row-major
  /// CPU memory, and a cached block. Return NULL in all other cases, which the general functions
  /// handle.
  static tenon_tensor* try_make_small(tenon_dtype dtype, tenon::tensor::Dims sizes) noexcept;
  static tenon_tensor* try_make_alias(const tenon_tensor& base, tenon::tensor::Dims sizes,
                                      const int64_t* strides, int64_t offset) noexcept;
  static tenon_tensor* try_wrap(void* data, tenon_dtype dtype, tenon::tensor::Dims sizes,
                                void* context, tenon_deleter deleter) noexcept;
  static tenon_tensor* try_make_like(const tenon_tensor& like, tenon_dtype dtype) noexcept;
  static tenon_tensor* undefined() noexcept { return &undefined_; }

 private:
  struct Undefined {};
  explicit constexpr tenon_tensor(Undefined) noexcept;
  tenon_tensor(tenon_keyset keys, tenon_dtype dtype, tenon_device device, Storage* storage,
               tenon::tensor::BlockClass block) noexcept
      : keys_(keys),
        dims_(inline_dims_),
        storage_(storage),
        dtype_(dtype),
        itemsize_(tenon::tensor::kDtypeSizes[dtype]),
        block_(block),
        device_(device) {}
  ~tenon_tensor() = default;

  /// Turns a new tensor into an inference tensor if the thread's grad mode requires it.
  void follow_grad_mode() noexcept {
    if (tenon::base::makes_inference_tensors()) [[unlikely]] {
      set_keys(keys() & ~tenon::tensor::kRecordingKeys);
      flags_ |= TENON_TENSOR_INFERENCE;
    }
  }
  static tenon_tensor* place_alias(void* memory, const tenon_tensor& base, tenon_dtype dtype,
                                   int64_t offset) noexcept;
  /// Like place_alias(), but allocates the header's memory.
  static tenon_tensor* new_alias_header(const tenon_tensor& base, tenon_dtype dtype,
                                        int64_t offset);
  int64_t checked_view(const char* function, const char* name, tenon_dtype dtype,
                       tenon::tensor::Dims sizes, tenon::tensor::Dims strides,
                       int64_t offset) const;
  static tenon_tensor* make_checked_alias(const char* function, const tenon_tensor& base,
                                          tenon_dtype dtype, tenon::tensor::Dims sizes,
                                          tenon::tensor::Dims strides, int64_t offset);
  static tenon_tensor* allocate(tenon_dtype dtype, tenon_device device, int64_t nbytes);
  static tenon_tensor* try_place_small(tenon_dtype dtype, tenon::tensor::Dims sizes, int64_t numel,
                                       int64_t nbytes) noexcept;
  void set_row_major(tenon::tensor::Dims sizes, int64_t numel) noexcept;
  static tenon_tensor* place(void* memory, tenon::tensor::BlockClass block, tenon_dtype dtype,
                             tenon_device device, tenon::tensor::MemoryKind kind,
                             int64_t nbytes) noexcept;
  static tenon_tensor* make_in_block(tenon::tensor::BlockClass block, tenon_dtype dtype,
                                     tenon_device device, tenon::tensor::MemoryKind kind,
                                     int64_t nbytes);
  void set_dims(tenon::tensor::Dims sizes, const int64_t* strides, int64_t numel, int64_t* heap,
                bool contiguous) noexcept;
  /// Like set_dims(), for a tensor that other threads may read. `heap` is what more_dims()
  /// returned. The arguments may be the tensor's own arrays.
  void change_dims(tenon::tensor::Dims sizes, const int64_t* strides, int64_t numel, int64_t* heap,
                   bool contiguous) noexcept;
  /// Returns memory for `ndim` dims if the tensor's present array is too small, otherwise NULL.
  /// Throws std::bad_alloc.
  std::unique_ptr<int64_t, tenon::tensor::FreeDims> more_dims(size_t ndim) const;
  void cover(const tenon::tensor::Geometry& geometry);
  bool owns_more() const noexcept;
  /// Returns true if the storage is the one in the tensor's block, which set_data() replaces.
  bool has_own_storage() const noexcept {
    return reinterpret_cast<const char*>(storage_) ==
           reinterpret_cast<const char*>(this) + tenon::tensor::kHeaderBytes;
  }
  void drop_extra() noexcept;
  void die_alone() noexcept;
  void die_alone_slow() noexcept;
  void die() noexcept;
  static void end_of(tenon::base::ReleaseLink* ending) noexcept;
  void end() noexcept;

  static tenon_tensor undefined_;

  // First cache line.
  std::atomic<uint64_t> counts_{tenon::tensor::kOneStrong | tenon::tensor::kOneWeak};
  std::atomic<tenon_keyset> keys_;
  int64_t* dims_;  // sizes, then strides
  int64_t numel_ = 0;
  int64_t offset_ = 0;  // in elements
  Storage* storage_;
  int32_t ndim_ = 0;
  tenon_dtype dtype_;
  uint32_t flags_ = 0;
  uint8_t itemsize_;
  tenon::tensor::BlockClass block_;
  std::atomic<bool> ends_slowly_{false};  // has heap dims, extra or autograd state; stays set
  uint8_t autograd_note_ = 0;
  // Further cache lines.
  tenon_device device_;
  std::atomic<tenon::tensor::TensorExtra*> extra_{nullptr};
  std::atomic<tenon::tensor::AutogradState*> autograd_{nullptr};
  void* cells_[2] = {};  // for Python and Java
  // In header blocks only: the tensor that this one is a view of, which it owns instead of the
  // storage, with a ViewOrigin in the low bits; 0 if it is not a view.
  uintptr_t base_;
  static constexpr uintptr_t kOriginMask = 7;
  union {
    int64_t inline_dims_[2 * tenon::tensor::kInlineDims];
    tenon::base::ReleaseLink ending_;  // used after the last reference is gone
  };
};

namespace tenon::tensor {

using Tensor = ::tenon_tensor;
using TensorPtr = base::IntrusivePtr<Tensor>;
static_assert(sizeof(Tensor) == kHeaderBytes);

/// A weak reference. lock() returns a strong reference, or nothing if the tensor has died.
class WeakTensor {
 public:
  WeakTensor() noexcept = default;
  explicit WeakTensor(Tensor* tensor) noexcept : tensor_(tensor) {
    if (tensor_ != nullptr) tensor_->retain_weak();
  }
  WeakTensor(const WeakTensor& other) noexcept : WeakTensor(other.tensor_) {}
  WeakTensor(WeakTensor&& other) noexcept : tensor_(std::exchange(other.tensor_, nullptr)) {}
  WeakTensor& operator=(WeakTensor other) noexcept {
    std::swap(tensor_, other.tensor_);
    return *this;
  }
  ~WeakTensor() {
    if (tensor_ != nullptr) tensor_->release_weak();
  }

  /// Returns true if this refers to `tensor`, which must be alive.
  bool is(const Tensor& tensor) const noexcept { return tensor_ == &tensor; }
  TensorPtr lock() const noexcept {
    return TensorPtr::adopt(tensor_ != nullptr && tensor_->try_retain() ? tensor_ : nullptr);
  }

 private:
  Tensor* tensor_ = nullptr;
};

/// Makes a tensor with uninitialized elements. `strides` NULL means row-major, `device` NULL the
/// CPU. Throws like tenon_tensor_new.
inline TensorPtr new_tensor(tenon_dtype dtype, const tenon_device* device, Dims sizes,
                            const int64_t* strides = nullptr) {
  return TensorPtr::adopt(Tensor::make(dtype, device, sizes, strides));
}
/// Makes a tensor on foreign memory. Takes over `context`: `deleter` (may be NULL) runs even if
/// this throws. Throws like tenon_tensor_wrap.
inline TensorPtr wrap_tensor(void* data, tenon_dtype dtype, const tenon_device* device, Dims sizes,
                             const int64_t* strides, void* context, tenon_deleter deleter,
                             bool read_only = false) {
  const ForeignMemory memory{"tenon_tensor_wrap", data, -1, read_only, context, deleter};
  return TensorPtr::adopt(Tensor::wrap(memory, dtype, device, {sizes, strides, 0}));
}
/// Makes a view on the same storage. Throws like tenon_tensor_new_alias.
inline TensorPtr new_alias(const Tensor& base, Dims sizes, Dims strides, int64_t offset) {
  return TensorPtr::adopt(Tensor::make_alias(base, sizes, strides, offset));
}
/// Makes a 0-dim tensor of a number, flagged as wrapped. Throws like tenon_tensor_new_number.
TensorPtr new_number(const tenon_value& number);

}  // namespace tenon::tensor
