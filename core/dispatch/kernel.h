// SPDX-License-Identifier: Apache-2.0
// Kernel: a function registered for a key. The stack of running kernels holds its address.
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

/// A registered kernel. The low bits of its address are 0, so that the stack of running kernels can
/// use them for marks. `entry` is what callers see; the other fields are for registration, dumps
/// and profiles.
struct Kernel {
  tenon_entry entry{};
  tenon_key key : 24 = 0xffffff;  // key or alias; 0xffffff before it is registered
  uint32_t policy : 8 = TENON_REPLACE_LAYER;
  int32_t line = 0;
  tenon_deleter deleter = nullptr;
  tenon_bind_fn bind = nullptr;  // plans its calls; NULL if it cannot

  base::InternedString name;
  base::InternedString file;
  /// Links of a registered kernel: `older` is the kernel of the same key that this one replaced,
  /// atomic because calls read it, too; `next` is the active kernel of the operator's next key.
  std::atomic<Kernel*> older{nullptr};
  Kernel* next = nullptr;
  /// Schema that the binding inferred from the function's type; NULL for a purely boxed kernel.
  schema::SchemaPtr inferred;
  base::Pinnable retired;
  /// True if the kernel passes its calls on to the kernel below and adds only a little work.
  bool passes_on = false;
  /// The entry of a kernel that passes on to a NOBLOCK kernel. Made by the first call that needs
  /// it.
  mutable std::atomic<const tenon_entry*> noblock_entry{nullptr};

  Kernel() noexcept;
  ~Kernel();
  Kernel(const Kernel&) = delete;
  Kernel& operator=(const Kernel&) = delete;

  /// Returns the operator that the kernel is or was registered for, NULL for a fallback.
  const tenon_op* op() const noexcept { return static_cast<const tenon_op*>(retired.owner); }
  bool is_fallthrough() const noexcept { return (entry.flags & TENON_KERNEL_FALLTHROUGH) != 0; }
  /// Returns true for an Autograd kernel that only calls with tracked tensors reach.
  bool is_for_tracked() const noexcept { return (entry.flags & TENON_KERNEL_WHEN_TRACKED) != 0; }
  /// Returns a description such as "mm_cpu at mm.cpp:12", as far as known.
  std::string describe() const;
};
static_assert(sizeof(tenon_entry) <= 64);
static_assert(TENON_KEY_BATCHED_DECOMPOSITION < 1u << 24, "keys have 24 bits in a Kernel");

using KernelPtr = std::unique_ptr<Kernel>;

/// Returns the entry of a kernel that passes its calls on to `below`. If `below` promises NOBLOCK,
/// this is a copy of the kernel's entry with the same promise. Returns the kernel's own entry if
/// `below` promises nothing, or less than the copy does, or if memory is short.
const tenon_entry* entry_above(const Kernel& kernel, const Kernel& below) noexcept;

/// RAII: keeps a kernel and its context alive after the call, even if its library is closed. Made
/// only while the kernel cannot be removed: in a call that runs it, or under the registry's lock
/// while it is registered.
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
  /// May run the kernel's deleter, so no lock may be held.
  ~KernelPin() {
    if (kernel_ != nullptr) base::unpin(&kernel_->retired);
  }
  const Kernel* get() const noexcept { return kernel_; }
  explicit operator bool() const noexcept { return kernel_ != nullptr; }

 private:
  void swap(KernelPin& other) noexcept { std::swap(kernel_, other.kernel_); }
  Kernel* kernel_ = nullptr;
};

/// Makes a kernel from its public description. Takes over description.ctx; if this throws, the
/// deleter has run. Throws TENON_ERROR_ABI for a struct_size of another ABI, INVALID_ARGUMENT for
/// missing functions and unknown flags, PARSE for a malformed inferred schema.
KernelPtr make_kernel(const tenon_kernel& description);

/// Returns "file:line", or "unknown place".
std::string place_text(base::InternedString file, int32_t line);
/// Returns " at file:line", or "" if the place is unknown.
std::string at_place(base::InternedString file, int32_t line);

}  // namespace tenon::dispatch
