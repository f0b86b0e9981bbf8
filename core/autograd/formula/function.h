// SPDX-License-Identifier: Apache-2.0
// Function: forward and backward in one, recorded as one node whatever forward calls.
#pragma once

#include <span>
#include <string>

#include "autograd/formula/function_context.h"
#include "tenon/function.h"
#include "value/object.h"

namespace tenon::autograd {

/// A function, as an object of a type of its own.
class Function {
 public:
  /// Takes over what the callbacks own, also when it throws.
  static value::ObjectPtr make(std::string name, tenon_forward_fn forward,
                               const Callbacks& callbacks);
  /// Throws TENON_ERROR_TYPE for an object that is no function; `who` begins the message.
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

/// A context for a call with such inputs (NULL: no tensor). Gradients flow to none where the
/// thread's calls are not recorded.
FunctionContextPtr begin_function(const CallbackFormula& formula,
                                  std::span<tensor::Tensor* const> inputs);

/// Does the part of begin_function() and finish_function() for one level; see lower_call.h.
FunctionContextPtr begin_at_level(const CallbackFormula& formula,
                                  std::span<tensor::Tensor* const> inputs, bool records,
                                  FunctionJvp::WithoutJvp without_jvp);
NodePtr finish_at_level(FunctionContext& context, std::span<tensor::Tensor*> outputs);
/// Returns true if the thread's calls are recorded.
bool is_recording() noexcept;

/// See tenon_function_finish: the node, empty where nothing is recorded.
NodePtr finish_function(FunctionContext& context, std::span<tensor::Tensor*> outputs);

}  // namespace tenon::autograd
