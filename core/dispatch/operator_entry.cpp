// SPDX-License-Identifier: Apache-2.0
#include "dispatch/operator_entry.h"

using tenon::dispatch::Kernel;
using tenon::dispatch::KernelStack;

tenon_op::tenon_op(const char* interned_name) noexcept
    : snapshot(tenon::dispatch::empty_snapshot()),
      results(tenon::dispatch::kUnknownResults),
      name(interned_name) {}

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
