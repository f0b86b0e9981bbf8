// SPDX-License-Identifier: Apache-2.0
#include "autograd/formula/text_formula.h"

#include <algorithm>
#include <optional>

#include "autograd/formula/gradient_text.h"
#include "base/check.h"
#include "tensor/tensor.h"

namespace tenon::autograd {

namespace {

using Kind = Expression::Kind;

struct PlannedGradient {
  std::vector<uint16_t> inputs;  // indices among the plan's inputs
  bool is_single = false;        // one input, whose index is also that of its edge
  ExpressionPtr expression;
};

struct TextPlan final : Plan {
  std::vector<PlannedGradient> gradients;
};

// Resolves the names in expressions for one schema.
class NameResolver {
 public:
  NameResolver(std::string_view what, const schema::Schema& schema, TextPlan* plan)
      : what_(what), schema_(schema), plan_(*plan) {}

  void add(Gradient gradient) {
    PlannedGradient planned;
    needed_by_ = 0;
    for (const std::string& name : gradient.inputs) {
      const uint16_t input = input_of(name);
      TENON_CHECK_ARG((plan_.wanted >> input & 1) == 0, what_, ": gradient of ", name,
                      " must be given only once, got two formulas");
      plan_.wanted |= uint64_t{1} << input;
      needed_by_ |= uint64_t{1} << input;
      planned.inputs.push_back(input);
    }
    resolve(gradient.expression.get());
    planned.expression = std::move(gradient.expression);
    plan_.gradients.push_back(std::move(planned));
  }

 private:
  uint16_t input_of(const std::string& name) const {
    const int64_t position = schema_.find_argument(name);
    for (size_t i = 0; i < plan_.inputs.size(); ++i) {
      if (plan_.inputs[i].position == position) return static_cast<uint16_t>(i);
    }
    fail(TENON_ERROR_INVALID_ARGUMENT, what_,
         ": gradients must be of tensor arguments, got one of ", name,
         "; schema: ", schema_.text());
  }

  void resolve(Expression* expression) {
    if (expression->kind == Kind::kGrad) {
      TENON_CHECK_ARG(expression->index < schema_.returns().size(), what_, ": gradient of result ",
                      expression->index, " must be of one of the results, of which there are ",
                      schema_.returns().size());
      return;
    }
    if (expression->kind == Kind::kName) return save(Attribute::kWhole, expression);
    if (expression->kind == Kind::kCall && is_of_name(*expression)) {
      // Save the attribute that the text reads, not the whole tensor.
      Expression* object = expression->arguments[0].get();
      if (const std::optional<Attribute> what = attribute(expression->name)) {
        expression->kind = Kind::kName;
        expression->name = object->name;
        return save(*what, expression);
      }
      if (expression->name == "dim" || expression->name == "numel" || expression->name == "size") {
        save(Attribute::kSizes, object);
      }
    }
    for (const ExpressionPtr& argument : expression->arguments) {
      if (argument->kind != Kind::kSaved) resolve(argument.get());
    }
  }

  static std::optional<Attribute> attribute(std::string_view name) {
    if (name == "sizes") return Attribute::kSizes;
    if (name == "strides") return Attribute::kStrides;
    if (name == "storage_offset") return Attribute::kOffset;
    if (name == "dtype") return Attribute::kDtype;
    return std::nullopt;
  }

  static bool is_of_name(const Expression& call) {
    return !call.arguments.empty() && call.arguments[0]->kind == Kind::kName;
  }

  void save(Attribute what, Expression* name) {
    Save wanted = find_save(what_, schema_, name->name);
    wanted.what = what;
    const bool holds_tensor = std::ranges::any_of(
        plan_.inputs, [&](const Input& input) { return input.position == wanted.position; });
    if (!wanted.of_result && !holds_tensor && what != Attribute::kWhole) {
      fail(TENON_ERROR_INVALID_ARGUMENT, what_, ": sizes and dtype exist only for tensors, got ",
           name->name);
    }
    const auto same = [&](const Save& other) {
      return other.of_result == wanted.of_result && other.position == wanted.position &&
             other.what == wanted.what;
    };
    auto found = std::ranges::find_if(plan_.saves, same);
    if (found == plan_.saves.end()) {
      plan_.saves.push_back(wanted);
      found = plan_.saves.end() - 1;
    }
    found->needed_by |= needed_by_;
    name->kind = Kind::kSaved;
    name->index = static_cast<uint32_t>(found - plan_.saves.begin());
  }

  const std::string_view what_;
  const schema::Schema& schema_;
  TextPlan& plan_;
  uint64_t needed_by_ = 0;
};

// Returns the first edge of an input, and its number of edges.
int64_t first_edge(const Plan& plan, const tenon_backward_call& call, uint16_t input,
                   int64_t* out_count) {
  *out_count = 1;
  if (!plan.has_lists) return input;
  // All inputs except the list have one edge each; the remaining edges belong to the list.
  const auto lists = std::ranges::count_if(plan.inputs, &Input::is_list);
  TENON_CHECK(lists == 1, TENON_ERROR_NOT_SUPPORTED,
              "operators with a gradient text must have at most one list of tensors");
  const auto in_list = call.ninputs - static_cast<int64_t>(plan.inputs.size()) + 1;
  int64_t edge = 0;
  for (uint16_t i = 0; i < input; ++i) edge += plan.inputs[i].is_list ? in_list : 1;
  if (plan.inputs[input].is_list) *out_count = in_list;
  return edge;
}

void give(const Plan& plan, uint16_t input, const tenon_value& value, tenon_backward_call* call) {
  int64_t count = 0;
  const int64_t edge = first_edge(plan, *call, input, &count);
  const bool is_list = plan.inputs[input].is_list;
  if (is_list && value.tag == TENON_TAG_TENSOR_LIST && value.count == count) {
    for (int64_t i = 0; i < count; ++i) {
      tenon_tensor* grad = value::tensors(value)[i];
      if (grad != nullptr && call->needs[edge + i] != 0) {
        grad->retain();
        call->out_grads[edge + i] = grad;
      }
    }
    return;
  }
  if (value.tag == TENON_TAG_NONE) return;
  TENON_CHECK_TYPE(!is_list && value.tag == TENON_TAG_TENSOR && value.as.tensor != nullptr,
                   "gradient of input ", input, " must be a ",
                   is_list ? "list with one tensor for each tensor of the input" : "tensor",
                   ", got ", value::tag_name(value.tag));
  if (call->needs[edge] == 0) return;
  value.as.tensor->retain();
  call->out_grads[edge] = value.as.tensor;
}

bool is_wanted(const Plan& plan, const PlannedGradient& gradient, const tenon_backward_call& call) {
  if (gradient.is_single) return call.needs[gradient.inputs[0]] != 0;
  for (const uint16_t input : gradient.inputs) {
    int64_t count = 0;
    const int64_t edge = first_edge(plan, call, input, &count);
    for (int64_t i = 0; i < count; ++i) {
      if (call.needs[edge + i] != 0) return true;
    }
  }
  return false;
}

}  // namespace

TextFormula::TextFormula(std::string name, std::string text) : text_(std::move(text)) {
  set_name(std::move(name));
  parse_gradients(this->name(), text_);
}

std::unique_ptr<Plan> TextFormula::make_plan(const schema::Schema& schema) const {
  auto plan = std::make_unique<TextPlan>();
  plan->inputs = inputs_of(schema);
  plan->wanted = 0;
  NameResolver resolver(name(), schema, plan.get());
  for (Gradient& gradient : parse_gradients(name(), text_)) resolver.add(std::move(gradient));
  const bool has_lists = std::ranges::any_of(plan->inputs, &Input::is_list);
  for (PlannedGradient& planned : plan->gradients) {
    planned.is_single = planned.inputs.size() == 1 && !has_lists;
  }
  return plan;
}

void TextFormula::run(const Plan& base_plan, tenon_backward_call* call) const {
  const auto& plan = static_cast<const TextPlan&>(base_plan);
  const Bindings bindings{name(), call->saved, call->grads, call->noutputs};
  for (const PlannedGradient& gradient : plan.gradients) {
    if (!is_wanted(plan, gradient, *call)) continue;
    if (gradient.is_single) [[likely]] {
      if (tensor::TensorPtr grad = evaluate_quickly(*gradient.expression, bindings)) {
        call->out_grads[gradient.inputs[0]] = grad.detach();
        continue;
      }
    }
    const value::OwnedValue value = evaluate(*gradient.expression, bindings);
    if (gradient.inputs.size() == 1) {
      give(plan, gradient.inputs[0], value.get(), call);
      continue;
    }
    TENON_CHECK_TYPE(
        value.get().tag == TENON_TAG_TUPLE && value.get().count == gradient.inputs.size(), name(),
        ": gradient formula for ", gradient.inputs.size(),
        " inputs must return a tuple with one gradient for each");
    for (size_t i = 0; i < gradient.inputs.size(); ++i) {
      give(plan, gradient.inputs[i], value::elements(value.get())[i], call);
    }
  }
}

}  // namespace tenon::autograd
