// SPDX-License-Identifier: Apache-2.0
// Operators that layers call by name, looked up at the first call.
#pragma once

#include <atomic>
#include <span>

#include "base/error.h"
#include "dispatch/call_path.h"
#include "dispatch/lookup.h"
#include "tenon/value.h"
#include "tensor/tensor.h"

namespace tenon::dispatch {

/// An operator with one result. Looked up once, as operators are never freed.
class LazyOperator {
 public:
  explicit constexpr LazyOperator(const char* name) noexcept : name_(name) {}

  /// Calls the operator with all of its arguments; the result is owned by the caller. Throws the
  /// error of the call, TENON_ERROR_NOT_FOUND if the operator does not exist.
  tenon_value call(std::span<tenon_value> args) {
    tenon_value ret{};
    tenon_stack stack{};
    stack.args = args.data();
    stack.nargs = static_cast<uint32_t>(args.size());
    stack.rets = &ret;
    stack.nrets = 1;
    if (dispatch::call(find(), &stack) != TENON_OK) throw Error(base::take_current_error());
    return ret;
  }
  /// Like call(), for an operator that returns a tensor.
  tensor::TensorPtr call_tensor(std::span<tenon_value> args) {
    return tensor::TensorPtr::adopt(call(args).as.tensor);
  }

 private:
  const tenon_op* find() {
    const tenon_op* op = op_.load(std::memory_order_acquire);
    if (op == nullptr) [[unlikely]] {
      op = find_operator(name_);
      op_.store(op, std::memory_order_release);
    }
    return op;
  }

  const char* const name_;
  std::atomic<const tenon_op*> op_{nullptr};
};

}  // namespace tenon::dispatch
