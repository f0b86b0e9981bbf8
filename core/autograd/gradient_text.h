// SPDX-License-Identifier: Apache-2.0
// Gradient text: formulas as people write them, "self: grad * other; other: grad * self", and their
// evaluation by calls of operators.
//
//   formulas   inputs ":" expression, apart by ";". Inputs are names of arguments.
//   names      arguments, results (`result`, `result0`, or as the schema names them), gradients of
//              results (`grad`, `grads[1]`), True, False, None, numbers
//   calls      `name(a, b, dim=1)` and `a.name(b, dim=1)` are the operator aten::name or
//              tenon::name whose overload takes the arguments
//   also       + - * / of tensors and numbers, lists, `x.sizes()`, `x.size(d)`, `x.dim()`,
//              `x.numel()`, `x.dtype()`
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "dispatch/operator_entry.h"
#include "value/value.h"

namespace tenon::autograd {

/// How a call in a text is made, found when it is first evaluated.
struct Callee {
  const tenon_op* op;
  schema::SchemaPtr schema;
  std::vector<uint16_t> tags;    // of the given arguments, positional ones first
  std::vector<int16_t> sources;  // for each argument of the schema: given, or -1 for its default
  uint64_t numbers = 0;          // given ones that are to be tensors, by bit
};

/// A node of a parsed text.
struct Expression {
  enum class Kind : uint8_t {
    kName,      // not resolved yet
    kSaved,     // number `index` of what the formula saved
    kGrad,      // gradient of result `index`
    kConstant,  // `constant`
    kList,      // of `arguments`
    kCall,      // `name` of `arguments`, the last `keywords.size()` of them by name
  };
  Kind kind = Kind::kConstant;
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

/// One formula of a text.
struct Gradient {
  std::vector<std::string> inputs;
  ExpressionPtr expression;
};

/// Parses a text; `what` names it in messages. Throws TENON_ERROR_PARSE.
std::vector<Gradient> parse_gradients(std::string_view what, std::string_view text);

/// What an evaluation takes its names from.
struct Bindings {
  const char* what;          // for messages: the formula's name
  const tenon_value* saved;  // borrowed
  tenon_tensor* const* grads;
};

/// Evaluates an expression whose names are resolved. What it returns may borrow from the bindings.
/// Throws what an operator raised.
value::OwnedValue evaluate(const Expression& expression, const Bindings& bindings);

}  // namespace tenon::autograd
