// SPDX-License-Identifier: Apache-2.0
#include "dispatch/kernel.h"

#include <cstddef>
#include <new>

#include "base/error.h"
#include "base/language.h"
#include "base/live_count.h"
#include "base/read_struct.h"
#include "schema/parser.h"

namespace tenon::dispatch {

namespace {

constexpr uint32_t kKnownFlags = TENON_KERNEL_SYMBOLIC | TENON_KERNEL_FALLTHROUGH |
                                 TENON_KERNEL_NOBLOCK | TENON_KERNEL_LEAF |
                                 TENON_KERNEL_WHEN_TRACKED;

constexpr size_t kFirstSize = 112;  // size of tenon_kernel in its first version

}  // namespace

Kernel::Kernel() noexcept {
  base::count_live(TENON_HANDLE_KERNEL, 1);
  retired.kernel = this;
  retired.reclaim = [](base::Retired* self) {
    delete static_cast<const Kernel*>(static_cast<base::Pinnable*>(self)->kernel);
  };
}

Kernel::~Kernel() {
  if (deleter != nullptr) deleter(entry.ctx);
  delete noblock_entry.load(std::memory_order_acquire);
  base::count_live(TENON_HANDLE_KERNEL, -1);
}

const tenon_entry* entry_above(const Kernel& kernel, const Kernel& below) noexcept {
  if ((below.entry.flags & TENON_KERNEL_NOBLOCK) == 0) return &kernel.entry;
  const tenon_entry* found = kernel.noblock_entry.load(std::memory_order_acquire);
  if (found == nullptr) {
    auto* made = new (std::nothrow) tenon_entry(kernel.entry);
    if (made == nullptr) return &kernel.entry;
    made->flags |= TENON_KERNEL_NOBLOCK;
    made->noblock_max_numel = below.entry.noblock_max_numel;
    if (kernel.noblock_entry.compare_exchange_strong(found, made, std::memory_order_acq_rel)) {
      found = made;
    } else {
      delete made;  // lost the race
    }
  }
  // Another backend's kernel may promise less than the one for which the entry was made.
  const bool holds = found->noblock_max_numel <= below.entry.noblock_max_numel;
  return holds ? found : &kernel.entry;
}

std::string place_text(base::InternedString file, int32_t line) {
  if (file.empty()) return "unknown place";
  return base::concat(file.view(), ":", line);
}

std::string at_place(base::InternedString file, int32_t line) {
  return file.empty() ? std::string() : base::concat(" at ", place_text(file, line));
}

std::string Kernel::describe() const {
  const std::string_view what = name.empty() ? std::string_view("kernel") : name.view();
  return base::concat(what, at_place(file, line));
}

KernelPtr make_kernel(const tenon_kernel& description) {
  KernelPtr kernel(new (std::nothrow) Kernel);
  const bool has_deleter = description.struct_size >= offsetof(tenon_kernel, typed);
  if (kernel == nullptr) {  // the context is taken over even then
    if (has_deleter && description.deleter != nullptr) description.deleter(description.ctx);
    throw std::bad_alloc();
  }
  if (has_deleter) {
    kernel->entry.ctx = description.ctx;
    kernel->deleter = description.deleter;
  }
  const auto whole = base::read_struct("kernel", kFirstSize, description);
  base::check_reserved("kernel", whole.reserved0, whole.reserved);
  if ((whole.flags & ~kKnownFlags) != 0) {
    fail(TENON_ERROR_INVALID_ARGUMENT, "kernel: flags must be TENON_KERNEL_* bits, got ",
         whole.flags);
  }
  const bool fallthrough = (whole.flags & TENON_KERNEL_FALLTHROUGH) != 0;
  if (fallthrough == (whole.boxed != nullptr)) {
    fail(TENON_ERROR_INVALID_ARGUMENT, "kernel: boxed must be ",
         fallthrough ? "NULL for a fallthrough, got a function" : "a function, got NULL");
  }
  if ((whole.typed == nullptr) != (whole.signature == 0)) {
    fail(TENON_ERROR_INVALID_ARGUMENT,
         "kernel: signature and typed must be given together, got only one of them");
  }
  if (whole.bind != nullptr && fallthrough) {
    fail(TENON_ERROR_INVALID_ARGUMENT,
         "kernel: bind must be NULL for a fallthrough, got a function");
  }
  if (whole.policy > TENON_REPLACE_OVERRIDE) {
    fail(TENON_ERROR_INVALID_ARGUMENT, "kernel: policy must be a TENON_REPLACE_* number, got ",
         whole.policy);
  }
  if (!base::is_language(whole.language)) {
    fail(TENON_ERROR_INVALID_ARGUMENT, "kernel: language must be a registered one, got ",
         whole.language);
  }
  kernel->entry.boxed = whole.boxed;
  kernel->entry.typed = whole.typed;
  kernel->entry.signature = whole.signature;
  kernel->entry.language = whole.language;
  kernel->entry.flags = whole.flags;
  kernel->entry.noblock_max_numel = whole.noblock_max_numel;
  kernel->bind = whole.bind;
  kernel->policy = whole.policy;
  if (whole.name != nullptr) kernel->name = base::InternedString(whole.name);
  if (whole.file != nullptr) kernel->file = base::InternedString(whole.file);
  kernel->line = whole.line;
  if (whole.schema != nullptr) {
    kernel->inferred = schema::parse_signature(whole.schema, schema::OperatorName{});
  }
  return kernel;
}

}  // namespace tenon::dispatch
