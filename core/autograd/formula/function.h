// SPDX-License-Identifier: Apache-2.0
// Function: a pair of forward and backward callbacks, recorded as one node regardless of the
// operators that forward calls.
#pragma once

#include <span>
#include <string>

#include "autograd/formula/function_context.h"
#include "tenon/function.h"
#include "value/object.h"

namespace tenon::autograd {

/// A function with a custom gradient, wrapped as an object.
class Function {
 public:
  /// Takes ownership of the callbacks' ctx, even if it throws.
  static value::ObjectPtr make(std::string name, tenon_forward_fn forward,
                               const Callbacks& callbacks);
  /// Throws TENON_ERROR_TYPE if the object is not a function; `who` begins the message.
  static const Function& of(const char* who, const tenon_object* object);
  Function(const Function&) = delete;
  Function& operator=(const Function&) = delete;

  const CallbackFormula& formula() const noexcept { return *formula_; }
  /// See tenon_function_apply.
  void apply(std::span<const tenon_value> args, tenon_value* out_result) const;

 private:
  Function(std::string name, tenon_forward_fn forward, const Callbacks& callbacks);

  tenon_object_type type_{};
  const tenon_forward_fn forward_;
  base::IntrusivePtr<const CallbackFormula> formula_;
};

/// Returns a context for a call with these inputs (NULL: not a tensor). If the thread's calls are
/// not recorded, no gradient flows to the inputs.
FunctionContextPtr begin_function(const CallbackFormula& formula,
                                  std::span<tensor::Tensor* const> inputs);

/// Do the parts of begin_function() and finish_function() that concern a single level of the
/// transform stack; see lower_call.h.
FunctionContextPtr begin_at_level(const CallbackFormula& formula,
                                  std::span<tensor::Tensor* const> inputs, bool records,
                                  FunctionJvp::WithoutJvp without_jvp);
NodePtr finish_at_level(FunctionContext& context, std::span<tensor::Tensor*> outputs);
/// Returns true if the thread's calls are recorded.
bool is_recording() noexcept;

/// See tenon_function_finish. Returns the node, or NULL if nothing is recorded.
NodePtr finish_function(FunctionContext& context, std::span<tensor::Tensor*> outputs);

}  // namespace tenon::autograd
