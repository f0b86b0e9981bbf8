// SPDX-License-Identifier: Apache-2.0
// Gradient text: formulas as people write them, "self: grad * other; other: grad * self", and their
// evaluation by calls of operators.
//
//   formulas   inputs ":" expression, apart by ";". Inputs are names of arguments.
//   names      arguments, results (`result`, `result0`, or as the schema names them), gradients of
//              results (`grad`, `grads[1]`, the list of all as `grads`), True, False, None, numbers
//   calls      `name(a, b, dim=1)` and `a.name(b, dim=1)` are the operator aten::name or
//              tenon::name whose overload takes the arguments
//   also       + - * / of tensors and numbers, lists, `x.sizes()`, `x.size(d)`, `x.dim()`,
//              `x.numel()`, `x.dtype()`
//
// Tangents are written in the same way, see tangent_text.h. There the undefined tensor stands for
// zeros: a sum with it is the other term, any other call with it is zeros, and nothing is computed.
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

/// How a call in a text is made, found when it is first evaluated.
struct Callee {
  const tenon_op* op;
  schema::SchemaPtr schema;
  size_t results = 0;
  // Of the given arguments, positional ones first: the tag, and the position in the schema.
  struct Given {
    uint16_t tag;
    uint16_t position;
    bool to_tensor;  // a number that is to be a tensor
  };
  std::vector<Given> given;
  std::vector<tenon_value> defaults;  // one for each argument of the schema, borrowed from it
  bool is_plain = true;               // all arguments are given, in their order and as they are
  bool takes_names = false;           // and are names or constants, or such with conj()
  bool gives_tensor = false;          // its one result is a tensor
};

/// A node of a parsed text.
struct Expression {
  enum class Kind : uint8_t {
    kName,      // not resolved yet
    kSaved,     // number `index` of what the formula saved
    kGrad,      // gradient of result `index`
    kGrads,     // the list of all: of a result that is a list, its elements'
    kConstant,  // `constant`
    kList,      // of `arguments`
    kCall,      // `name` of `arguments`, the last `keywords.size()` of them by name
  };
  Kind kind = Kind::kConstant;
  BuiltIn built_in = BuiltIn::kNone;  // of a call
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
/// The same with results before the colons; an expression alone is for `result`.
std::vector<Gradient> parse_tangents(std::string_view what, std::string_view text);

/// What an evaluation takes its names from.
struct Bindings {
  const char* what;          // for messages: the formula's name
  const tenon_value* saved;  // borrowed
  tenon_tensor* const* grads;
  int64_t grad_count = 0;
  bool has_zeros = false;  // undefined tensors among them stand for zeros
};

/// Evaluates an expression whose names are resolved. What it returns may borrow from the bindings.
/// Throws what an operator raised.
value::OwnedValue evaluate(const Expression& expression, const Bindings& bindings);
/// The fast path of what most formulas are, one call of names that gives a tensor. Empty where an
/// expression is something else, or was not evaluated before. Throws what the operator raised.
tensor::TensorPtr evaluate_quickly(const Expression& expression, const Bindings& bindings);

}  // namespace tenon::autograd
