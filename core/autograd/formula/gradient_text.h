// SPDX-License-Identifier: Apache-2.0
// Gradient text: formulas as text, such as "self: grad * other; other: grad * self". They are
// evaluated by calling operators.
//
//   formulas   inputs ":" expression, separated by ";". Inputs are names of arguments.
//   names      arguments, results (`result`, `result0`, or the names in the schema), gradients of
//              results (`grad`, `grads[1]`, or `grads` for the list of all), True, False, None,
//              numbers
//   calls      `name(a, b, dim=1)` and `a.name(b, dim=1)` call the operator aten::name or
//              tenon::name whose overload accepts the arguments
//   also       + - * / of tensors and numbers, lists, `x.sizes()`, `x.size(d)`, `x.dim()`,
//              `x.numel()`, `x.dtype()`
//
// Tangents use the same syntax, see tangent_text.h. In them the undefined tensor means zeros:
// adding it returns the other term, and any other call with it returns zeros without computing
// anything.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "autograd/formula/text_built_in.h"
#include "dispatch/operator_entry.h"
#include "tensor/tensor.h"
#include "value/value.h"

namespace tenon::autograd {

/// The resolved operator of a call in a text; found when the call is first evaluated.
struct Callee {
  const tenon_op* op;
  schema::SchemaPtr schema;
  size_t results = 0;
  // For each given argument, positional ones first: its tag, and its position in the schema.
  struct PassedArgument {
    uint16_t tag;
    uint16_t position;
    bool to_tensor;  // a number that must be converted to a tensor
  };
  std::vector<PassedArgument> given;
  std::vector<tenon_value> defaults;  // one per argument of the schema, borrowed from it
  bool is_plain = true;               // all arguments are given, in schema order and unconverted
  bool takes_names = false;           // all arguments are names or constants, possibly under conj()
  bool gives_tensor = false;          // the single result is a tensor
};

/// A node of a parsed expression.
struct Expression {
  enum class Kind : uint8_t {
    kName,      // not resolved yet
    kSaved,     // saved value `index` of the formula
    kGrad,      // gradient of result `index`
    kGrads,     // the gradients of all results, or of the elements of a result that is a list
    kConstant,  // `constant`
    kList,      // the list of `arguments`
    kCall,      // calls `name` with `arguments`; the last `keywords.size()` are named
  };
  Kind kind = Kind::kConstant;
  BuiltIn built_in = BuiltIn::kNone;  // of kCall
  uint32_t index = 0;
  tenon_value constant{};
  std::string name;
  std::vector<std::unique_ptr<Expression>> arguments;
  std::vector<std::string> keywords;
  mutable std::atomic<const Callee*> callee{nullptr};

  Expression() = default;
  Expression(const Expression&) = delete;
  Expression& operator=(const Expression&) = delete;
  ~Expression() { delete callee.load(std::memory_order_acquire); }
};
using ExpressionPtr = std::unique_ptr<Expression>;

/// One "inputs: expression" of a text.
struct Gradient {
  std::vector<std::string> inputs;
  ExpressionPtr expression;
};

/// Parses a gradient text; `what` names it in messages. Throws TENON_ERROR_PARSE.
std::vector<Gradient> parse_gradients(std::string_view what, std::string_view text);
/// Like parse_gradients(), with names of results before the colons; a lone expression is the
/// tangent of `result`.
std::vector<Gradient> parse_tangents(std::string_view what, std::string_view text);

/// The values that the names of an expression refer to.
struct Bindings {
  const char* what;          // for messages: the formula's name
  const tenon_value* saved;  // borrowed
  tenon_tensor* const* grads;
  int64_t grad_count = 0;
  bool has_zeros = false;  // undefined tensors among the values mean zeros
};

/// Evaluates an expression whose names are resolved. The returned value may borrow from the
/// bindings. Throws the errors of operators.
value::OwnedValue evaluate(const Expression& expression, const Bindings& bindings);
/// The fast path for the most common formula: one call, on names, that returns a tensor. Returns
/// NULL for any other expression, or one that was not evaluated before. Throws the operator's
/// errors.
tensor::TensorPtr evaluate_quickly(const Expression& expression, const Bindings& bindings);

}  // namespace tenon::autograd
