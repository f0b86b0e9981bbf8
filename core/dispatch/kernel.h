// SPDX-License-Identifier: Apache-2.0
// Kernel: what was registered for a key. Running calls show its address.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>

#include "base/interned_string.h"
#include "base/intrusive_ptr.h"
#include "base/reclaim.h"
#include "schema/schema.h"
#include "tenon/frame.h"
#include "tenon/kernel.h"
#include "tenon/key.h"

namespace tenon::dispatch {

/// A registered kernel. The low bits of its address are free for the stack of running kernels.
/// `entry` is what callers see; the rest is for registration, dumps and the profiler.
struct Kernel {
  tenon_entry entry{};
  tenon_key key : 24 = 0xffffff;  // or alias that it was registered on; until then, none
  uint32_t policy : 8 = TENON_REPLACE_LAYER;
  int32_t line = 0;
  tenon_deleter deleter = nullptr;
  tenon_bind_fn bind = nullptr;  // plans its calls; NULL where it cannot

  base::InternedString name;
  base::InternedString file;
  /// Links of its operator while it is registered: the kernel of the same key that it replaced,
  /// which calls read, too, and the active one of another key.
  std::atomic<Kernel*> older{nullptr};
  Kernel* next = nullptr;
  /// Inferred by the binding from the function's type; NULL for a purely boxed kernel.
  schema::SchemaPtr inferred;
  base::Pinnable retired;
  /// It hands its calls on to the kernel below, and adds no more than a little work of its own.
  bool passes_on = false;
  /// The entry of one that passes on, where the kernel below is NOBLOCK. Made by the first call
  /// that needs it.
  mutable std::atomic<const tenon_entry*> noblock_entry{nullptr};

  Kernel() noexcept;
  ~Kernel();
  Kernel(const Kernel&) = delete;
  Kernel& operator=(const Kernel&) = delete;

  /// The operator that it is or was registered for, NULL for a fallback.
  const tenon_op* op() const noexcept { return static_cast<const tenon_op*>(retired.owner); }
  bool is_fallthrough() const noexcept { return (entry.flags & TENON_KERNEL_FALLTHROUGH) != 0; }
  /// For Autograd: only calls of tracked tensors get there.
  bool is_for_tracked() const noexcept { return (entry.flags & TENON_KERNEL_WHEN_TRACKED) != 0; }
  /// "mm_cpu at mm.cpp:12", with what is known of it.
  std::string describe() const;
};
static_assert(sizeof(tenon_entry) <= 64);
static_assert(TENON_KEY_BATCHED_DECOMPOSITION < 1u << 24, "keys have 24 bits in a Kernel");

using KernelPtr = std::unique_ptr<Kernel>;

/// What callers are to see of a kernel that passes on to another: with the promise of that one. Its
/// own entry where there is none, or memory is short.
const tenon_entry* entry_above(const Kernel& kernel, const Kernel& below) noexcept;

/// Keeps a kernel, and what its context stands for, though its library be closed: for what will
/// want it again after the call. Made where the kernel cannot go: in a call that runs it, or under
/// the registry's lock while it is registered.
class KernelPin {
 public:
  KernelPin() = default;
  explicit KernelPin(const Kernel& kernel) noexcept : kernel_(const_cast<Kernel*>(&kernel)) {
    base::pin(&kernel_->retired);
  }
  KernelPin(KernelPin&& other) noexcept : kernel_(std::exchange(other.kernel_, nullptr)) {}
  KernelPin& operator=(KernelPin&& other) noexcept {
    KernelPin(std::move(other)).swap(*this);
    return *this;
  }
  /// May run the kernel's deleter: no lock is held.
  ~KernelPin() {
    if (kernel_ != nullptr) base::unpin(&kernel_->retired);
  }
  const Kernel* get() const noexcept { return kernel_; }
  explicit operator bool() const noexcept { return kernel_ != nullptr; }

 private:
  void swap(KernelPin& other) noexcept { std::swap(kernel_, other.kernel_); }
  Kernel* kernel_ = nullptr;
};

/// Makes a kernel of its public description. Takes over description.ctx, also when it throws: the
/// deleter then has run. TENON_ERROR_ABI for a struct_size of another ABI, INVALID_ARGUMENT for
/// missing functions and unknown flags, PARSE for a malformed inferred schema.
KernelPtr make_kernel(const tenon_kernel& description);

/// "file:line", or "unknown place".
std::string place_text(base::InternedString file, int32_t line);
/// " at file:line", or "" where that is unknown.
std::string at_place(base::InternedString file, int32_t line);

}  // namespace tenon::dispatch
