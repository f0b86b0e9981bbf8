// SPDX-License-Identifier: Apache-2.0
#include "autograd/formula/formula.h"

#include <algorithm>
#include <cctype>

#include "autograd/formula/function_context.h"
#include "autograd/record/quick_record.h"
#include "base/check.h"
#include "base/near_names.h"
#include "dispatch/argument_check.h"
#include "dispatch/call_path.h"
#include "dispatch/lookup.h"

namespace tenon::autograd {

namespace {

// Strips the optionals off a type, as in `Tensor?` or `Tensor[]?`.
const schema::Type& without_optional(const schema::Type& type) {
  return type.kind == TENON_TYPE_OPTIONAL ? without_optional(*type.elements[0]) : type;
}

const schema::Type& type_of(const schema::Schema& schema, const Save& save) {
  const auto& list = save.of_result ? schema.returns() : schema.arguments();
  return without_optional(*list[save.position].type);
}

bool saves_tensor(const schema::Schema& schema, const Save& save) {
  return save.what == Attribute::kWhole && type_of(schema, save).kind == TENON_TYPE_TENSOR;
}

}  // namespace

bool may_hold_tensors(const schema::Type& type) noexcept {
  if (type.kind == TENON_TYPE_TENSOR || type.kind == TENON_TYPE_ANY) return true;
  return std::ranges::any_of(
      type.elements, [](const schema::Type* element) { return may_hold_tensors(*element); });
}

std::vector<Input> inputs_of(const schema::Schema& schema, Others others) {
  std::vector<Input> inputs;
  const auto& arguments = schema.arguments();
  for (size_t i = 0; i < arguments.size(); ++i) {
    const schema::Type& type = without_optional(*arguments[i].type);
    const bool is_list = type.kind == TENON_TYPE_LIST &&
                         without_optional(*type.elements[0]).kind == TENON_TYPE_TENSOR;
    if (type.kind == TENON_TYPE_TENSOR || is_list) {
      inputs.push_back({static_cast<uint16_t>(i), is_list});
    } else {
      TENON_CHECK(others == Others::kIgnored || !may_hold_tensors(type), TENON_ERROR_NOT_SUPPORTED,
                  schema.name().full(), ": argument ", arguments[i].name.view(),
                  " must be a tensor or a list of tensors to have a gradient");
    }
  }
  TENON_CHECK(inputs.size() <= kMaxInputs, TENON_ERROR_NOT_SUPPORTED, schema.name().full(),
              ": number of tensor arguments must be at most ", kMaxInputs,
              " for a gradient formula, got ", inputs.size());
  return inputs;
}

Formula::~Formula() { delete planned_.load(std::memory_order_acquire); }

void Formula::set_tangents(std::string text) {
  tangents_ = std::make_unique<const TangentText>(name_, std::move(text));
}

const Plan& Formula::plan_for(const tenon_op& op, const tenon_stack& stack) const {
  {
    // A plan keeps its schema alive, so an equal address means the same schema. The stack was built
    // for the schema that the operator had when the call began; the operator may have been
    // redefined since.
    const dispatch::SnapshotGuard guard(&op);
    const PlanVersion* planned = planned_.load(std::memory_order_acquire);
    if (guard.get() != nullptr && planned != nullptr &&
        planned->plan->schema.get() == guard.get()->schema &&
        dispatch::stack_counts(stack) == guard.get()->counts) {
      return *planned->plan;
    }
  }
  return find_plan(*dispatch::schema_of_call(op, stack));
}

void Formula::complete(const schema::Schema& schema, Plan* plan) const {
  plan->schema = schema::SchemaPtr::share(const_cast<schema::Schema*>(&schema));
  plan->formula = this;
  for (const Input& input : plan->inputs) plan->has_lists = plan->has_lists || input.is_list;
  plan->shape.edges = static_cast<uint32_t>(plan->inputs.size());
  for (Save& save : plan->saves) {
    save.is_tensor = saves_tensor(schema, save);
    ++(save.is_tensor ? plan->shape.saved_tensors : plan->shape.saved_values);
    plan->saves_lists = plan->saves_lists || (save.what == Attribute::kWhole && !save.is_tensor &&
                                              may_hold_tensors(type_of(schema, save)));
    const auto at = std::ranges::find(plan->inputs, save.position, &Input::position);
    save.input = static_cast<uint16_t>(at - plan->inputs.begin());
  }
  if (plan->saves_lists) ++plan->shape.saved_values;
  plan->is_quick = is_quick(*plan);
  if (tangents_ != nullptr) {
    plan->tangents = std::make_unique<TangentPlan>(tangents_->plan_for(schema));
  }
}

const Plan& Formula::find_plan(const schema::Schema& schema) const {
  const PlanVersion* planned = planned_.load(std::memory_order_acquire);
  while (true) {
    for (const PlanVersion* one = planned; one != nullptr; one = one->older.get()) {
      if (one->plan->schema.get() == &schema) return *one->plan;
    }
    auto fresh = std::make_unique<PlanVersion>();
    std::unique_ptr<Plan> plan = make_plan(schema);
    complete(schema, plan.get());
    fresh->plan = std::move(plan);
    fresh->older.reset(planned);
    if (planned_.compare_exchange_strong(planned, fresh.get(), std::memory_order_acq_rel)) {
      return *fresh.release()->plan;
    }
    static_cast<void>(fresh->older.release());  // lost the race
  }
}

FunctionContextPtr Formula::set_up(const tenon_stack&, std::span<const FunctionInput>) const {
  return nullptr;
}

Save find_save(std::string_view what, const schema::Schema& schema, std::string_view name) {
  Save save;
  const int64_t position = schema.find_argument(name);
  if (position >= 0) {
    save.position = static_cast<uint16_t>(position);
    return save;
  }
  const auto& returns = schema.returns();
  for (size_t i = 0; i < returns.size(); ++i) {
    if (returns[i].name.view() == name || name == base::concat("result", i) ||
        (name == "result" && returns.size() == 1)) {
      save.of_result = true;
      save.position = static_cast<uint16_t>(i);
      return save;
    }
  }
  std::vector<std::string_view> known;
  for (const auto& argument : schema.arguments()) known.push_back(argument.name.view());
  fail(TENON_ERROR_INVALID_ARGUMENT, what,
       ": names in a formula must be those of arguments or results, got ", name,
       base::did_you_mean(name, known), "; schema: ", schema.text());
}

std::string node_name(std::string_view full_name, uint32_t number) {
  const size_t colons = full_name.find("::");
  std::string_view base =
      colons == std::string_view::npos ? full_name : full_name.substr(colons + 2);
  base = base.substr(0, base.find('.'));
  std::string name;
  bool begins_word = true;
  for (const char letter : base) {
    if (letter == '_') {
      begins_word = true;
      continue;
    }
    const auto byte = static_cast<unsigned char>(letter);
    name.push_back(begins_word ? static_cast<char>(std::toupper(byte)) : letter);
    begins_word = false;
  }
  return base::concat(name, "Backward", number);
}

}  // namespace tenon::autograd
