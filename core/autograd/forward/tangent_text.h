// SPDX-License-Identifier: Apache-2.0
// TangentText: the tangents of an operator's results as people write them, in the language of
// gradient_text.h: "self_t * other + self * other_t".
//
//   tangents   an expression for the result, or "values: expression; rest: expression"
//   names      arguments and results; with `_t` behind it, an argument's tangent, which is zeros
//              where the argument has none; `zeros`
//
// An argument that the operator writes has its old elements.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "autograd/formula/gradient_text.h"
#include "schema/schema.h"

namespace tenon::autograd {

/// The tangents of one schema's results.
struct TangentPlan {
  struct Line {
    uint16_t result;
    ExpressionPtr expression;
  };
  std::vector<Line> lines;
  std::vector<bool> reads;  // by argument: whether some expression needs its elements
};

class TangentText {
 public:
  /// Throws TENON_ERROR_PARSE.
  TangentText(std::string what, std::string text);

  /// Throws TENON_ERROR_INVALID_ARGUMENT for names that the schema does not have.
  TangentPlan plan_for(const schema::Schema& schema) const;

 private:
  const std::string what_;
  const std::string text_;
};

/// What an expression of a plan takes its names from: values of the arguments, of the results, and
/// of the arguments' tangents, one after the other, with the undefined tensor at the end.
value::OwnedValue evaluate_tangent(const Expression& expression, const char* what,
                                   std::span<const tenon_value> values);

}  // namespace tenon::autograd
