// SPDX-License-Identifier: Apache-2.0
// Guards for the nodes that a thread records: saved-tensor hooks, creation hooks, anomaly mode.
// Each guard must be left on its own thread, in reverse order.
#pragma once

#if __cplusplus <= 201703L
#error "tenon/hpp/saved_tensors.hpp needs C++20: compile with -std=c++20 or later"
#else

#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "tenon/hooks.h"
#include "tenon/hpp/error.hpp"
#include "tenon/hpp/tensor.hpp"
#include "tenon/hpp/value.hpp"
#include "tenon/language.h"

// Usage:
//
//   const tenon::autograd::saved_tensors_hooks hooks(
//       [](const tenon::Tensor& saved) { return tenon::Value(saved); },
//       [](const tenon::Value& packed) { return packed.tensor(); });
//   y = aten::mul(x, w);  // what it saves is packed by the first function

namespace tenon::inline hpp::autograd {

// Packs the tensors that nodes save while the guard lives. `pack` takes a tensor and returns a
// Value to save in its place. `unpack` takes that Value and returns a tensor, each time a backward
// pass reaches the node. Packed values keep both callables alive.
template <class Pack, class Unpack>
class saved_tensors_hooks {
  static_assert(std::is_invocable_r_v<Value, Pack&, const Tensor&>,
                "pack must take const Tensor& and give a Value");
  static_assert(std::is_invocable_r_v<Tensor, Unpack&, const Value&>,
                "unpack must take const Value& and give a Tensor");

 public:
  saved_tensors_hooks(Pack pack, Unpack unpack)
      : callables_(new Callables{std::move(pack), std::move(unpack)}) {
    tenon_saved_hooks hooks{};
    hooks.struct_size = sizeof hooks;
    hooks.language = TENON_LANGUAGE_CPP;
    hooks.pack = &run_pack;
    hooks.unpack = &run_unpack;
    hooks.ctx = callables_;
    hooks.deleter = [](void* ctx) { delete static_cast<Callables*>(ctx); };
    check(tenon_saved_hooks_push(&hooks));
  }
  ~saved_tensors_hooks() {
    // A destructor cannot report an error: if hooks are left out of order, these stay active.
    if (tenon_saved_hooks_pop(callables_) != TENON_OK) tenon_error_release(tenon_error_take());
  }
  saved_tensors_hooks(const saved_tensors_hooks&) = delete;
  saved_tensors_hooks& operator=(const saved_tensors_hooks&) = delete;

 private:
  struct Callables {
    Pack pack;
    Unpack unpack;
  };

  static tenon_status run_pack(void* ctx, tenon_tensor* tensor, tenon_value* out_packed) {
    return detail::to_slot([&] {
      Value packed = static_cast<Callables*>(ctx)->pack(Tensor::retain(tensor));
      // The node needs a value that owns what it refers to.
      if ((packed.get().flags & TENON_VALUE_OWNED) != 0) {
        *out_packed = packed.release();
      } else {
        check(tenon_value_copy(&packed.get(), out_packed));
      }
    });
  }

  static tenon_status run_unpack(void* ctx, const tenon_value* packed, tenon_tensor** out_tensor) {
    return detail::to_slot([&] {
      tenon_value copy{};
      check(tenon_value_copy(packed, &copy));
      *out_tensor = static_cast<Callables*>(ctx)->unpack(Value(copy)).release();
    });
  }

  Callables* const callables_;
};

// Disables saved-tensor hooks while the guard lives; trying to push some fails with a message.
class disable_saved_tensors_hooks {
 public:
  explicit disable_saved_tensors_hooks(const std::string& message) {
    if (const char* before = tenon_saved_hooks_refusal()) before_ = before;
    check(tenon_saved_hooks_disable(message.c_str()));
  }
  ~disable_saved_tensors_hooks() {
    const char* before = before_ ? before_->c_str() : nullptr;
    if (tenon_saved_hooks_disable(before) != TENON_OK) tenon_error_release(tenon_error_take());
  }
  disable_saved_tensors_hooks(const disable_saved_tensors_hooks&) = delete;
  disable_saved_tensors_hooks& operator=(const disable_saved_tensors_hooks&) = delete;

 private:
  std::optional<std::string> before_;
};

// Calls a function with each node (a borrowed tenon_node*) that is recorded while the guard lives.
template <class F>
class node_creation_hook {
  static_assert(std::is_invocable_v<F&, tenon_node*>, "a creation hook must take tenon_node*");

 public:
  explicit node_creation_hook(F hook) : hook_(new F(std::move(hook))) {
    check(tenon_creation_hook_push(&run, hook_, [](void* ctx) { delete static_cast<F*>(ctx); }));
  }
  ~node_creation_hook() {
    if (tenon_creation_hook_pop(hook_) != TENON_OK) tenon_error_release(tenon_error_take());
  }
  node_creation_hook(const node_creation_hook&) = delete;
  node_creation_hook& operator=(const node_creation_hook&) = delete;

 private:
  static tenon_status run(void* ctx, tenon_node* node) {
    return detail::to_slot([&] { (*static_cast<F*>(ctx))(node); });
  }

  F* const hook_;
};

// Enables anomaly mode while the guard lives: errors of nodes report where the nodes were recorded,
// and, with `check_nan`, a node that returns NaN fails.
class DetectAnomalyGuard {
 public:
  explicit DetectAnomalyGuard(bool check_nan = true) : before_(tenon_anomaly_get()) {
    check(tenon_anomaly_set(TENON_ANOMALY_RECORD | (check_nan ? TENON_ANOMALY_CHECK_NAN : 0)));
  }
  ~DetectAnomalyGuard() {
    if (tenon_anomaly_set(before_) != TENON_OK) tenon_error_release(tenon_error_take());
  }
  DetectAnomalyGuard(const DetectAnomalyGuard&) = delete;
  DetectAnomalyGuard& operator=(const DetectAnomalyGuard&) = delete;

 private:
  const uint32_t before_;
};

}  // namespace tenon::inline hpp::autograd

#endif
