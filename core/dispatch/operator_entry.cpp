// SPDX-License-Identifier: Apache-2.0
#include "dispatch/operator_entry.h"

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <new>

#include "base/check.h"

using tenon::dispatch::Kernel;
using tenon::dispatch::Registrations;

namespace {

// Allocates memory that is never freed, from blocks, in multiples of a unit. Needs the registry's
// lock.
class PermanentArena {
 public:
  explicit constexpr PermanentArena(size_t unit) : unit_(unit) {}
  void* allocate(size_t size) {
    size = (size + unit_ - 1) / unit_ * unit_;
    if (size > left_) {
      const size_t wanted = size > kBlock ? size : kBlock;
      block_ = static_cast<char*>(std::aligned_alloc(kLine, (wanted + kLine - 1) / kLine * kLine));
      left_ = block_ != nullptr ? wanted : 0;
      if (block_ == nullptr) throw std::bad_alloc();
    }
    char* memory = block_;
    block_ += size;
    left_ -= size;
    return memory;
  }

 private:
  static constexpr size_t kLine = alignof(tenon_op);
  static constexpr size_t kBlock = 64 << 10;
  const size_t unit_;
  char* block_ = nullptr;
  size_t left_ = 0;
};

constinit PermanentArena entry_blocks(alignof(tenon_op));
constinit PermanentArena registration_blocks(sizeof(Registrations));

}  // namespace

tenon_op::tenon_op(Registrations* writers, std::string_view full_name) noexcept
    : snapshot(tenon::dispatch::empty_snapshot()),
      results(tenon::dispatch::kUnknownResults),
      registrations(writers),
      name_size(static_cast<uint32_t>(full_name.size())) {
  std::memcpy(text, full_name.data(), full_name.size());
  text[full_name.size()] = '\0';
}

tenon_op* tenon_op::make(std::string_view full_name) {
  void* memory = entry_blocks.allocate(offsetof(tenon_op, text) + full_name.size() + 1);
  auto* writers = new (registration_blocks.allocate(sizeof(Registrations))) Registrations;
  return new (memory) tenon_op(writers, full_name);
}

tenon_op::Scratch tenon_op::make_scratch(std::string_view full_name) {
  const size_t size = offsetof(tenon_op, text) + full_name.size() + 1;
  auto writers = std::make_unique<Registrations>();
  void* memory = ::operator new(size > sizeof(tenon_op) ? size : sizeof(tenon_op),
                                std::align_val_t(alignof(tenon_op)));
  return Scratch(new (memory) tenon_op(writers.release(), full_name));
}

void tenon_op::FreeScratch::operator()(tenon_op* op) const noexcept {
  delete op->registrations;
  op->~tenon_op();
  ::operator delete(op, std::align_val_t(alignof(tenon_op)));
}

std::string_view tenon_op::ns() const noexcept {
  return full_name().substr(0, full_name().find("::"));
}

std::string_view tenon_op::base_name() const noexcept {
  return full_name().substr(0, full_name().find('.'));
}

std::string_view tenon_op::overload() const noexcept {
  const size_t dot = full_name().find('.');
  return dot == std::string_view::npos ? std::string_view() : full_name().substr(dot + 1);
}

const Kernel* tenon_op::active_kernel(tenon_key key) const noexcept {
  const Kernel* kernel = kernels();
  while (kernel != nullptr && kernel->key != key) kernel = kernel->next;
  return kernel;
}

void tenon_op::push_kernel(Kernel* kernel) noexcept {
  TENON_DCHECK(kernel->older == nullptr && kernel->next == nullptr);
  Kernel** link = &registrations->kernels;
  while (*link != nullptr && (*link)->key != kernel->key) link = &(*link)->next;
  Kernel* before = *link;
  *link = kernel;
  kernel->retired.owner = this;
  kernel->older = before;
  if (before != nullptr) kernel->next = std::exchange(before->next, nullptr);
}

void tenon_op::remove_kernel(Kernel* kernel) noexcept {
  Kernel** link = &registrations->kernels;
  while ((*link)->key != kernel->key) link = &(*link)->next;
  TENON_DCHECK(*link == kernel || kernel->next == nullptr);  // only active kernels have this link
  Kernel* after = (*link)->next;
  if (*link == kernel) {
    *link = kernel->older;
  } else {
    Kernel* newer = *link;
    while (newer->older != kernel) newer = newer->older;
    newer->older.store(kernel->older, std::memory_order_release);
  }
  if (*link == nullptr) {
    *link = after;
  } else {
    (*link)->next = after;
  }
  kernel->older = nullptr;
  kernel->next = nullptr;
}
