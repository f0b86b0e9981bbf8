// SPDX-License-Identifier: Apache-2.0
#include "autograd/forward/tangent_text.h"

#include "autograd/formula/formula.h"
#include "base/check.h"

namespace tenon::autograd {

namespace {

using Kind = Expression::Kind;

// Resolves the names in expressions to indices into the values of a call.
class TangentResolver {
 public:
  TangentResolver(const std::string& what, const schema::Schema& schema, TangentPlan* plan)
      : what_(what), schema_(schema), plan_(*plan) {
    plan_.reads.assign(schema.arguments().size(), false);
  }

  void add(Gradient& tangent) {
    TENON_CHECK_ARG(tangent.inputs.size() == 1, what_,
                    ": each result must have its own tangent formula, got one formula for ",
                    tangent.inputs.size(), " results");
    const Save result = find_save(what_, schema_, tangent.inputs[0]);
    TENON_CHECK_ARG(result.of_result, what_, ": tangent formulas must be for results, got one for ",
                    tangent.inputs[0]);
    resolve(tangent.expression.get());
    plan_.lines.push_back({result.position, std::move(tangent.expression)});
  }

 private:
  void resolve(Expression* expression) {
    TENON_CHECK_ARG(expression->kind != Kind::kGrad && expression->kind != Kind::kGrads, what_,
                    ": tangent formulas must not use grad");
    if (expression->kind == Kind::kName) {
      expression->index = place_of(expression->name);
      expression->kind = Kind::kSaved;
    }
    for (const ExpressionPtr& argument : expression->arguments) resolve(argument.get());
  }

  uint32_t place_of(std::string_view name) {
    const auto arguments = static_cast<uint32_t>(schema_.arguments().size());
    const auto results = static_cast<uint32_t>(schema_.returns().size());
    if (name == "zeros") return arguments + results + arguments;
    constexpr std::string_view kTangent = "_t";
    if (name.ends_with(kTangent)) {
      const int64_t of = schema_.find_argument(name.substr(0, name.size() - kTangent.size()));
      if (of >= 0) return arguments + results + static_cast<uint32_t>(of);
    }
    const Save found = find_save(what_, schema_, name);
    if (found.of_result) return arguments + found.position;
    plan_.reads[found.position] = true;
    return found.position;
  }

  const std::string& what_;
  const schema::Schema& schema_;
  TangentPlan& plan_;
};

}  // namespace

TangentText::TangentText(std::string what, std::string text)
    : what_(std::move(what)), text_(std::move(text)) {
  parse_tangents(what_, text_);
}

TangentPlan TangentText::plan_for(const schema::Schema& schema) const {
  TangentPlan plan;
  TangentResolver resolver(what_, schema, &plan);
  for (Gradient& tangent : parse_tangents(what_, text_)) resolver.add(tangent);
  return plan;
}

value::OwnedValue evaluate_tangent(const Expression& expression, const char* what,
                                   std::span<const tenon_value> values) {
  return evaluate(expression, {what, values.data(), nullptr, 0, /*has_zeros=*/true});
}

}  // namespace tenon::autograd
