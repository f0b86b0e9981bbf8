// SPDX-License-Identifier: Apache-2.0
// Operators that layers call: known by name, found at the first call.
#pragma once

#include <atomic>
#include <span>

#include "base/error.h"
#include "dispatch/call_path.h"
#include "dispatch/lookup.h"
#include "tenon/value.h"
#include "tensor/tensor.h"

namespace tenon::dispatch {

/// One operator with one result. Operators stay valid for ever: it is looked for once.
class LateOperator {
 public:
  explicit constexpr LateOperator(const char* name) noexcept : name_(name) {}

  /// Calls it with all of its arguments; the result is the caller's. Throws what the call failed
  /// with, TENON_ERROR_NOT_FOUND where there is no such operator.
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
  /// The same of one that returns a tensor.
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
