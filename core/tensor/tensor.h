// SPDX-License-Identifier: Apache-2.0
// Tensor: shape, dtype, device and key set of a view of a storage, counted strongly and weakly.
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

/// What fake tensors that claim a device of that type carry.
constexpr tenon_keyset fake_keys(int32_t device_type) noexcept {
  return plain_keys(device_type) ^
         (uint64_t{1} << (TENON_BACKEND_BITS + TENON_FUNCTIONALITY_DENSE)) ^
         (uint64_t{1} << (TENON_BACKEND_BITS + TENON_FUNCTIONALITY_FAKE));
}

/// The keys of a new tensor on a device.
constexpr tenon_keyset keys_on(const tenon_device& device) noexcept {
  return is_fake_device(device) ? fake_keys(device.type) : plain_keys(device.type);
}

/// What inference tensors do not carry: nothing about them is ever recorded.
constexpr tenon_keyset kRecordingKeys =
    (uint64_t{1} << (TENON_BACKEND_BITS + TENON_FUNCTIONALITY_AUTOGRAD)) |
    (uint64_t{1} << (TENON_BACKEND_BITS + TENON_FUNCTIONALITY_AD_INPLACE_OR_VIEW));

/// What a tensor without memory of its own stands for.
enum class Content : uint8_t {
  kNone,
  kCarried,  // value/carrier.h: a value that travels where a tensor handle is required
  kWrapped,  // value/carrier.h: an object whose type runs operators on it
  kLevel     // dispatch/transform.h: a tensor as a layer of the transform stack sees it
};

/// What a hollow tensor claims to be.
struct HollowClaim {
  const char* function;  // for messages
  tenon_keyset keys;
  tenon_dtype dtype;
  tenon_device device;
  Geometry geometry;
  const ::tenon_tensor* version_of = nullptr;  // whose version counter it shares; NULL: its own
  // The hollow tensor, itself no view, that it is a view of; it shares that one's counter.
  const ::tenon_tensor* view_of = nullptr;
};

/// What a tensor with symbolic sizes is made of, in words (base/symbol.h): they were checked.
struct SymbolicClaim {
  tenon_dtype dtype;
  tenon_device device;                      // of a new tensor, one without memory
  const ::tenon_tensor* view_of = nullptr;  // NULL: new
  Dims sizes;
  const int64_t* strides;
  int64_t offset;
  int64_t numel;
  bool is_contiguous;
  base::SymbolOwner* owner;  // NULL: all words are numbers
};

/// A language's word on a tensor.
struct Cell {
  void* object = nullptr;
  tenon_deleter drop = nullptr;  // set: the cell owns
};

/// What was on when a view was made, and with what: it decides whether the view may be written.
enum class ViewOrigin : uint8_t {
  kDefault,
  kNoGrad,     // grad mode was off
  kInference,  // inference mode was on
  kOneOfMany,  // by a call that made several views
  kFunction    // inside a function with a gradient of its own
};

struct FreeDims;

/// What the autograd layer keeps for a tensor begins with this.
struct AutogradState {
  void (*drop)(AutogradState* state) noexcept;
};

/// A storage that a tensor had before its data was replaced. Views of that time lie on it.
struct FormerStorage {
  StoragePtr storage;
  std::unique_ptr<FormerStorage> older;
};

/// What few tensors have: cells of further languages, cells that own, and what they stand for.
struct TensorExtra final : InBlock<TensorExtra> {
  Cell cells[base::kFixedLanguages];
  std::atomic<Cell*> more_cells{nullptr};  // of registered languages, made on demand
  void* content = nullptr;                 // of a hollow tensor
  void (*drop_content)(void* content) = nullptr;
  base::SymbolOwner* symbols = nullptr;  // of sizes that are words: a reference
  int64_t numel = -1;                    // of a symbolic tensor, a word
  Content content_kind = Content::kNone;
  std::atomic<bool> owns_cells{false};  // one of the cells has or had a drop
  bool data_replaced = false;           // the tensor holds a weak reference of its storage, too
  std::unique_ptr<FormerStorage> former;
};

}  // namespace tenon::tensor

/// A tensor. Everything that a call or a description reads is in the first line.
struct alignas(64) tenon_tensor {
 public:
  using Storage = ::tenon_storage;

  tenon_tensor(const tenon_tensor&) = delete;
  tenon_tensor& operator=(const tenon_tensor&) = delete;

  tenon_keyset keys() const noexcept { return keys_.load(std::memory_order_relaxed); }
  /// The same for the call path: a plain load, which the compiler folds into the instruction that
  /// wants the word, as it does not with an atomic one. It is aligned, so that it is whole.
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
  /// Other threads may change other keys at the same time.
  void add_keys(tenon_keyset keys) noexcept { keys_.fetch_or(keys, std::memory_order_relaxed); }
  /// The same for a tensor that the running call made or writes: who changes its keys on another
  /// thread meanwhile races for its data too, unless he holds it. Needs no atomic write.
  void add_keys_of_written(tenon_keyset keys) noexcept {
    if (is_held_once()) {
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
  /// -1 of a symbolic tensor.
  int64_t numel() const noexcept { return numel_; }
  /// The same of a symbolic tensor as a word, -1 where nobody knows.
  int64_t numel_word() const noexcept { return is_symbolic() ? extra()->numel : numel_; }
  int64_t offset() const noexcept { return offset_; }
  /// See tenon_tensor_copy_dims.
  int32_t copy_dims(int64_t* out_sizes, int64_t* out_strides) const noexcept;
  tenon_dtype dtype() const noexcept { return dtype_; }
  int64_t itemsize() const noexcept { return itemsize_; }
  /// Of a fake tensor with TENON_DEVICE_FAKE, as constructors and operators take it.
  const tenon_device& device() const noexcept { return device_; }
  /// Whether it has a device that it only claims: fake tensors, and what stands for them.
  bool is_fake() const noexcept { return tenon::tensor::is_fake_device(device_); }
  uint32_t flags() const noexcept { return flags_; }
  bool is_undefined() const noexcept { return (flags_ & TENON_TENSOR_UNDEFINED) != 0; }
  bool is_contiguous() const noexcept { return (flags_ & TENON_TENSOR_CONTIGUOUS) != 0; }
  bool is_wrapped_number() const noexcept { return (flags_ & TENON_TENSOR_WRAPPED_NUMBER) != 0; }
  bool is_hollow() const noexcept { return (flags_ & TENON_TENSOR_HOLLOW) != 0; }
  bool is_symbolic() const noexcept { return (flags_ & TENON_TENSOR_SYMBOLIC) != 0; }
  bool is_inference() const noexcept { return (flags_ & TENON_TENSOR_INFERENCE) != 0; }
  /// False for the undefined tensor and hollow ones, which may lack a dtype and a device too.
  bool has_storage() const noexcept {
    return (flags_ & (TENON_TENSOR_UNDEFINED | TENON_TENSOR_HOLLOW)) == 0;
  }
  /// False on Meta, for fake and hollow tensors and the undefined one; tensors without elements
  /// may have NULL memory.
  bool has_memory() const noexcept { return storage_->has_memory(); }
  Storage* storage() const noexcept { return storage_; }
  /// First element, NULL where there is no memory.
  void* data() const noexcept {
    char* data = static_cast<char*>(storage_->data());
    return data == nullptr ? nullptr : data + offset_ * itemsize_;
  }
  int64_t version() const noexcept { return storage_->version(); }
  void bump_version() noexcept { storage_->bump_version(); }
  /// Bumps the version for a write through this tensor that is about to happen.
  void count_write() noexcept { storage_->count_write(); }

  /// Fills all of `out_info`. For plain sizes only, not TENON_TENSOR_SYMBOLIC.
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
    // The only holder needs no atomic write: nobody else can add a reference.
    if (counts_.load(std::memory_order_acquire) == (kOneStrong | kOneWeak)) {
      die_alone();
    } else {
      const uint64_t before = counts_.fetch_sub(kOneStrong, std::memory_order_acq_rel);
      TENON_DCHECK((before & kStrongMask) != 0);
      if ((before & kStrongMask) == 1) die();
    }
  }
  /// Whether the caller's reference is all there is: nobody else can be at it.
  bool is_held_once() const noexcept {
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
  /// Turns a weak reference (which stays) into a strong one; false when the tensor has died.
  bool try_retain() noexcept;

  /// See tenon_tensor_set_wrapped_number, tenon_tensor_resize, tenon_tensor_restride,
  /// tenon_tensor_cell and tenon_tensor_own_cell.
  void set_wrapped_number(bool wrapped);
  void resize(tenon::tensor::Dims sizes, const int64_t* strides);
  void restride(tenon::tensor::Dims sizes, tenon::tensor::Dims strides, int64_t offset);
  /// A tensor on Meta that nobody else has comes to be fake, and claims that device.
  void claim_device(const tenon_device& device) noexcept;
  /// A hollow tensor's claim becomes another one: what it stands for has changed its shape.
  void claim_geometry(const tenon::tensor::Geometry& geometry);
  /// Shape, dtype, device and memory become another tensor's; what autograd keeps for this one and
  /// its count of versions stay. Of tensors with a storage, not a view. Nobody else uses this one
  /// meanwhile. Throws std::bad_alloc and as make_untied().
  void set_data(const tenon_tensor& data);
  void** cell(uint32_t language) noexcept;
  void own_cell(uint32_t language, void* object, tenon_deleter drop);
  /// What a language's cell owns, NULL where it owns nothing.
  void* owned_object(uint32_t language) const noexcept;
  /// What few tensors have, made on demand. Throws TENON_ERROR_OUT_OF_MEMORY.
  tenon::tensor::TensorExtra* require_extra();
  tenon::tensor::TensorExtra* extra() const noexcept {
    return extra_.load(std::memory_order_acquire);
  }
  /// What the autograd layer keeps for this tensor, NULL for most; dropped with the tensor.
  tenon::tensor::AutogradState* autograd() const noexcept {
    return autograd_.load(std::memory_order_acquire);
  }
  /// Gives the tensor its autograd state unless it has one; returns the one that it has now.
  tenon::tensor::AutogradState* init_autograd(tenon::tensor::AutogradState* fresh) noexcept;
  /// Puts another state in place of the one that it has, which is returned: the caller drops it.
  /// No other thread looks at the tensor's state meanwhile.
  tenon::tensor::AutogradState* replace_autograd(tenon::tensor::AutogradState* state,
                                                 uint8_t note) noexcept;
  /// A small number that the autograd layer keeps beside its state; of a view without state the
  /// version of its memory when it was made.
  uint8_t autograd_note() const noexcept { return autograd_note_; }
  /// Of a view the tensor that it is a view of, which is none itself; NULL for all others.
  tenon_tensor* base() const noexcept {
    return block_ == tenon::tensor::kHeaderBlock
               ? reinterpret_cast<tenon_tensor*>(base_ & ~kOriginMask)
               : nullptr;
  }
  /// How a view came to be.
  tenon::tensor::ViewOrigin view_origin() const noexcept {
    return static_cast<tenon::tensor::ViewOrigin>(base_ & kOriginMask);
  }
  void set_view_origin(tenon::tensor::ViewOrigin origin) noexcept {
    base_ = (base_ & ~kOriginMask) | static_cast<uintptr_t>(origin);
  }
  /// Whether a call with it is to look for where gradients flow. Others than views carry Autograd
  /// only where they do; views carry it because their base may come to be tracked.
  bool may_be_tracked() const noexcept {
    constexpr tenon_keyset kAutograd = tenon::base::kAutogradBit;
    if ((keys() & kAutograd) == 0) return false;
    const tenon_tensor* viewed = base();
    return viewed == nullptr || autograd() != nullptr || viewed->autograd() != nullptr;
  }

  /// Our own bugs: stops a debug build where the tensor contradicts itself.
  void check_invariants() const noexcept;

  /// Constructors, see below.
  static tenon_tensor* make(tenon_dtype dtype, const tenon_device* device,
                            tenon::tensor::Dims sizes, const int64_t* strides);
  static tenon_tensor* wrap(const tenon::tensor::ForeignMemory& memory, tenon_dtype dtype,
                            const tenon_device* device, const tenon::tensor::Geometry& geometry);
  static tenon_tensor* make_alias(const tenon_tensor& base, tenon::tensor::Dims sizes,
                                  tenon::tensor::Dims strides, int64_t offset);
  /// The same, but no view of it: it shares memory and versions and nothing else.
  static tenon_tensor* make_detached(const tenon_tensor& base, tenon::tensor::Dims sizes,
                                     tenon::tensor::Dims strides, int64_t offset);
  /// On the same memory, and nothing else in common: a storage, and versions, of its own. Throws
  /// as tenon_tensor_copy_data.
  static tenon_tensor* make_untied(const tenon_tensor& base);
  /// A view with elements of another dtype. Throws as tenon_tensor_new_alias_as.
  static tenon_tensor* make_alias_as(const tenon_tensor& base, tenon_dtype dtype,
                                     tenon::tensor::Dims sizes, tenon::tensor::Dims strides,
                                     int64_t offset);
  /// A tensor whose sizes are words, without memory; a view has that of what it is a view of.
  static tenon_tensor* make_symbolic(const tenon::tensor::SymbolicClaim& claim);
  /// A hollow tensor of the symbolic shape of another one keeps its symbols, too.
  void share_symbols(const tenon_tensor& other);
  /// A symbolic tensor becomes a plain one, whose sizes are what its symbols stand for.
  void settle(tenon::tensor::Dims sizes, tenon::tensor::Dims strides, int64_t offset);
  /// A tensor without memory that stands for `content`. Takes over `content`: `drop` runs also when
  /// this throws. Throws TENON_ERROR_INVALID_ARGUMENT for a bad geometry.
  static tenon_tensor* make_hollow(const tenon::tensor::HollowClaim& claim,
                                   tenon::tensor::Content kind, void* content,
                                   void (*drop)(void* content));
  /// What a hollow tensor of that kind stands for, NULL for all others.
  void* content(tenon::tensor::Content kind) const noexcept {
    if (!is_hollow()) return nullptr;
    const tenon::tensor::TensorExtra* more = extra();
    TENON_DCHECK(more != nullptr);  // made before anyone saw the tensor
    return more->content_kind == kind ? more->content : nullptr;
  }
  /// A row-major tensor with the sizes and on the device of another.
  static tenon_tensor* make_like(const tenon_tensor& like, tenon_dtype dtype);
  /// The usual cases of make, make_alias, wrap and make_like: few dims, a small CPU tensor or CPU
  /// memory in row-major order, a block at hand. NULL where those have to look; nothing is
  /// wrong yet.
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

  /// Makes a new tensor an inference tensor where the thread's grad mode says so.
  void follow_grad_mode() noexcept {
    if (tenon::base::makes_inference_tensors()) [[unlikely]] {
      set_keys(keys() & ~tenon::tensor::kRecordingKeys);
      flags_ |= TENON_TENSOR_INFERENCE;
    }
  }
  static tenon_tensor* place_alias(void* memory, const tenon_tensor& base, tenon_dtype dtype,
                                   int64_t offset) noexcept;
  /// The same in memory of its own.
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
  /// Whether its storage is the one in its block, as it is until its data is replaced.
  bool has_own_storage() const noexcept {
    return reinterpret_cast<const char*>(storage_) ==
           reinterpret_cast<const char*>(this) + tenon::tensor::kHeaderBytes;
  }
  void drop_extra() noexcept;
  void die_alone() noexcept;
  void die_alone_slow() noexcept;
  void die() noexcept;
  static void end_of(tenon::base::Ending* ending) noexcept;
  void end() noexcept;

  static tenon_tensor undefined_;

  // First line.
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
  std::atomic<bool> ends_slowly_{false};  // has dims elsewhere, more or autograd state; once set
  uint8_t autograd_note_ = 0;
  // The rest.
  tenon_device device_;
  std::atomic<tenon::tensor::TensorExtra*> extra_{nullptr};
  std::atomic<tenon::tensor::AutogradState*> autograd_{nullptr};
  void* cells_[2] = {};  // of Python and Java
  // Of header blocks only: whom it is a view of and keeps instead of the storage, with a ViewOrigin
  // in the low bits; 0: of nobody.
  uintptr_t base_;
  static constexpr uintptr_t kOriginMask = 7;
  union {
    int64_t inline_dims_[2 * tenon::tensor::kInlineDims];
    tenon::base::Ending ending_;  // once the last reference is gone
  };
};

namespace tenon::tensor {

using Tensor = ::tenon_tensor;
using TensorPtr = base::IntrusivePtr<Tensor>;
static_assert(sizeof(Tensor) == kHeaderBytes);

/// A tensor that may die meanwhile: lock() gives a strong reference or nothing.
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

  /// Whether it refers to that tensor, which lives.
  bool is(const Tensor& tensor) const noexcept { return tensor_ == &tensor; }
  TensorPtr lock() const noexcept {
    return TensorPtr::adopt(tensor_ != nullptr && tensor_->try_retain() ? tensor_ : nullptr);
  }

 private:
  Tensor* tensor_ = nullptr;
};

/// New tensor with uninitialised elements; `strides` NULL is row-major, `device` NULL is the CPU.
/// Throws as tenon_tensor_new.
inline TensorPtr new_tensor(tenon_dtype dtype, const tenon_device* device, Dims sizes,
                            const int64_t* strides = nullptr) {
  return TensorPtr::adopt(Tensor::make(dtype, device, sizes, strides));
}
/// Tensor on foreign memory. Takes over `context`: `deleter` (may be NULL) runs also when this
/// throws. Throws as tenon_tensor_wrap.
inline TensorPtr wrap_tensor(void* data, tenon_dtype dtype, const tenon_device* device, Dims sizes,
                             const int64_t* strides, void* context, tenon_deleter deleter,
                             bool read_only = false) {
  const ForeignMemory memory{"tenon_tensor_wrap", data, -1, read_only, context, deleter};
  return TensorPtr::adopt(Tensor::wrap(memory, dtype, device, {sizes, strides, 0}));
}
/// Tensor on the same storage. Throws as tenon_tensor_new_alias.
inline TensorPtr new_alias(const Tensor& base, Dims sizes, Dims strides, int64_t offset) {
  return TensorPtr::adopt(Tensor::make_alias(base, sizes, strides, offset));
}
/// 0-dim tensor of a number, flagged as wrapped. Throws as tenon_tensor_new_number.
TensorPtr new_number(const tenon_value& number);

}  // namespace tenon::tensor
