// SPDX-License-Identifier: Apache-2.0
#include "dispatch/operator_entry.h"

#include <cstdlib>
#include <cstring>
#include <new>

using tenon::dispatch::Kernel;
using tenon::dispatch::KernelStack;

namespace {

constexpr size_t kLine = 64;

// Memory of whole lines that is never given back, cut from blocks. Needs the registry's lock.
char* allocate_lines(size_t size) {
  constexpr size_t kBlock = 64 << 10;
  static char* block = nullptr;
  static size_t left = 0;
  size = (size + kLine - 1) / kLine * kLine;
  if (size > left) {
    const size_t wanted = size > kBlock ? size : kBlock;
    block = static_cast<char*>(std::aligned_alloc(kLine, wanted));
    left = block != nullptr ? wanted : 0;
    if (block == nullptr) throw std::bad_alloc();
  }
  char* memory = block;
  block += size;
  left -= size;
  return memory;
}

}  // namespace

tenon_op::tenon_op(const char* text, uint32_t size) noexcept
    : snapshot(tenon::dispatch::empty_snapshot()),
      results(tenon::dispatch::kUnknownResults),
      name(text),
      name_size(size) {}

// A lookup compares the name right after it found the entry: they lie together.
tenon_op* tenon_op::make(std::string_view full_name) {
  char* memory = allocate_lines(sizeof(tenon_op) + full_name.size() + 1);
  char* text = memory + sizeof(tenon_op);
  std::memcpy(text, full_name.data(), full_name.size());
  text[full_name.size()] = '\0';
  return new (memory) tenon_op(text, static_cast<uint32_t>(full_name.size()));
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
  for (const KernelStack& stack : kernels) {
    if (stack.key == key) return stack.kernels.back();
  }
  return nullptr;
}

KernelStack* tenon_op::find_stack(tenon_key key) noexcept {
  for (KernelStack& stack : kernels) {
    if (stack.key == key) return &stack;
  }
  return nullptr;
}
