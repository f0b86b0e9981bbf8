// SPDX-License-Identifier: Apache-2.0
// TangentText: the tangents of an operator's results as text, in the language of gradient_text.h:
// "self_t * other + self * other_t".
//
//   tangents   an expression for the only result, or "values: expression; indices: expression"
//   names      arguments and results; an argument's name followed by `_t` is its tangent, zeros if
//              the argument has none; `zeros`
//
// An argument that the operator writes has its old elements.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "autograd/formula/gradient_text.h"
#include "schema/schema.h"

namespace tenon::autograd {

/// The parsed tangents of one schema's results.
struct TangentPlan {
  struct ResultTangent {
    uint16_t result;
    ExpressionPtr expression;
  };
  std::vector<ResultTangent> lines;
  std::vector<bool> reads;  // by argument: true if an expression reads its elements
};

class TangentText {
 public:
  /// Throws TENON_ERROR_PARSE.
  TangentText(std::string what, std::string text);

  /// Throws TENON_ERROR_INVALID_ARGUMENT for names that are not in the schema.
  TangentPlan plan_for(const schema::Schema& schema) const;

 private:
  const std::string what_;
  const std::string text_;
};

/// Evaluates an expression of a plan. `values` are the arguments, the results and the arguments'
/// tangents, in that order, followed by the undefined tensor.
value::OwnedValue evaluate_tangent(const Expression& expression, const char* what,
                                   std::span<const tenon_value> values);

}  // namespace tenon::autograd
