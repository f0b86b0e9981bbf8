// SPDX-License-Identifier: Apache-2.0
#include "autograd/formula/gradient_text.h"

#include <algorithm>
#include <span>

#include "base/check.h"
#include "base/small_vector.h"
#include "dispatch/argument_binder.h"
#include "dispatch/argument_check.h"
#include "dispatch/call_path.h"
#include "dispatch/lookup.h"
#include "dispatch/value_conversion.h"
#include "tensor/dtype.h"
#include "tensor/tensor.h"

namespace tenon::autograd {

namespace {

using Kind = Expression::Kind;
using dispatch::borrowed;
using value::OwnedValue;

bool is_zeros(const tenon_value& value) noexcept {
  return is_tensor(value) && value.as.tensor->is_undefined();
}

tenon_value value_of_tensor(tensor::TensorPtr tensor) noexcept {
  return tenon_value_give(tenon_value_of_tensor(tensor.detach()));
}

void drop(tenon_value* value) noexcept {
  if (value->tag == TENON_TAG_TENSOR) [[likely]] {
    value->as.tensor->release();
  } else {
    value::clear(value);
  }
}

// The operand values of a call in an expression. Releases the values that it owns.
class Operands {
 public:
  Operands() = default;
  ~Operands() {
    for (tenon_value& value : owned_) drop(&value);
  }
  Operands(const Operands&) = delete;
  Operands& operator=(const Operands&) = delete;

  /// Takes over the value's reference, if it is owned.
  void push_back(const tenon_value& value) {
    values_.push_back(borrowed(value));
    if ((value.flags & TENON_VALUE_OWNED) != 0) owned_.push_back(value);
  }
  void replace(size_t index, const tenon_value& value) {
    owned_.push_back(value);
    values_[index] = borrowed(value);
  }
  void swap() noexcept { std::swap(values_[0], values_[1]); }
  const tenon_value& operator[](size_t index) const noexcept { return values_[index]; }
  tenon_value* data() noexcept { return values_.data(); }
  size_t size() const noexcept { return values_.size(); }
  std::span<const tenon_value> span() const noexcept { return values_; }

 private:
  base::SmallVector<tenon_value, 6> values_;
  base::SmallVector<tenon_value, 4> owned_;
};

class Evaluation {
 public:
  explicit Evaluation(const Bindings& bindings) : bindings_(bindings) {}

  // Returns an owned value, or one that borrows from the bindings.
  tenon_value value_of(const Expression& expression) {
    if (expression.kind == Kind::kCall) return call(expression);
    if (expression.kind == Kind::kList) return list(expression);
    if (expression.kind == Kind::kGrads) return grads();
    TENON_CHECK(expression.kind != Kind::kName, TENON_ERROR_INTERNAL, bindings_.what, ": name ",
                expression.name, " is not resolved");
    return name_or_constant(expression);
  }

  /// The fast path: calls an operator whose operands are names and that returns one tensor. Returns
  /// NULL for anything else.
  tensor::TensorPtr quick_call(const Expression& expression) const {
    const Callee* callee = expression.callee.load(std::memory_order_acquire);
    // Not resolved yet, not a single tensor as result, or a tangent text.
    if (callee == nullptr || !callee->gives_tensor || bindings_.has_zeros) return {};
    tenon_value args[kMaxNames];
    if (!read_names(expression, *callee, args)) return {};
    tenon_value ret{};
    tenon_stack stack{};
    stack.args = args;
    stack.nargs = static_cast<uint32_t>(callee->given.size());
    stack.rets = &ret;
    stack.nrets = 1;
    call(*callee->op, &stack);
    return tensor::TensorPtr::adopt(ret.as.tensor);
  }

 private:
  tenon_value name_or_constant(const Expression& expression) const noexcept {
    if (expression.kind == Kind::kSaved) return borrowed(bindings_.saved[expression.index]);
    if (expression.kind == Kind::kGrad) {
      return tenon_value_of_tensor(bindings_.grads[expression.index]);
    }
    return expression.constant;
  }

  // Passes the undefined tensor for results that cannot have a gradient, e.g. integers.
  tenon_value grads() const {
    base::SmallVector<tenon_tensor*, 8> all;
    for (int64_t i = 0; i < bindings_.grad_count; ++i) {
      tenon_tensor* grad = bindings_.grads[i];
      all.push_back(grad != nullptr ? grad : tensor::Tensor::undefined());
    }
    return value::new_list(TENON_TAG_TENSOR_LIST, all.data(), bindings_.grad_count);
  }

  tenon_value list(const Expression& expression) {
    Operands elements;
    bool ints = true;
    for (const ExpressionPtr& element : expression.arguments) {
      elements.push_back(value_of(*element));
      ints = ints && elements[elements.size() - 1].tag == TENON_TAG_INT;
    }
    const auto count = static_cast<int64_t>(elements.size());
    if (ints) {
      base::SmallVector<int64_t, 8> numbers(elements.size());
      for (size_t i = 0; i < elements.size(); ++i) numbers[i] = elements[i].as.i;
      return value::new_list(TENON_TAG_INT_LIST, numbers.data(), count);
    }
    base::SmallVector<tenon_tensor*, 8> tensors(elements.size());
    for (size_t i = 0; i < elements.size(); ++i) {
      TENON_CHECK_TYPE(is_tensor(elements[i]), bindings_.what,
                       ": a list in a gradient formula must hold only integers or only tensors");
      tensors[i] = elements[i].as.tensor;
    }
    return value::new_list(TENON_TAG_TENSOR_LIST, tensors.data(), count);
  }

  tenon_value call(const Expression& expression) {
    const Callee* callee = expression.callee.load(std::memory_order_acquire);
    tenon_value result;
    // Resolved, and all operands are names or constants.
    if (callee != nullptr && callee->takes_names && call_with_names(expression, *callee, &result))
        [[likely]] {
      return result;
    }
    const BuiltIn what = expression.built_in;
    // if_none(x, a, b) evaluates only one of a and b.
    if (what == BuiltIn::kIfNone && expression.arguments.size() == 3) {
      const OwnedValue asked(value_of(*expression.arguments[0]));
      return value_of(*expression.arguments[asked.get().tag == TENON_TAG_NONE ? 1 : 2]);
    }
    Operands operands;
    for (const ExpressionPtr& argument : expression.arguments) {
      const tenon_value value = value_of(*argument);
      // conj() of a real value returns the value itself.
      if (what == BuiltIn::kConj && is_real(value)) return value;
      operands.push_back(value);
    }
    if (what == BuiltIn::kMul && is_by_one(operands.span())) return value::copy(operands[0]);
    // Resolved, and the operands have the types that it was resolved for.
    if (callee != nullptr && !bindings_.has_zeros && fits(*callee, operands)) [[likely]] {
      return call_found(*callee, operands);
    }
    return call_other(expression, operands);
  }

  // Returns true for a tensor times 1, the usual alpha or beta.
  static bool is_by_one(std::span<const tenon_value> operands) noexcept {
    return operands.size() == 2 && operands[1].tag == TENON_TAG_INT && operands[1].as.i == 1 &&
           is_tensor(operands[0]);
  }

  // Reads operands that are names or constants straight into the call's arguments: a copy made
  // right after the parts of a value were written would stall on store forwarding. Returns false if
  // an operand does not fit the callee. The arguments own nothing.
  [[gnu::always_inline]] bool read_names(const Expression& expression, const Callee& callee,
                                         tenon_value* args) const {
    const size_t count = callee.given.size();
    for (size_t i = 0; i < count; ++i) {
      const Expression* operand = expression.arguments[i].get();
      const bool is_conj = operand->kind == Kind::kCall;
      if (is_conj) operand = operand->arguments[0].get();
      if (operand->kind == Kind::kGrad) {
        args[i] = tenon_value_of_tensor(bindings_.grads[operand->index]);
      } else if (operand->kind == Kind::kSaved && is_tensor(bindings_.saved[operand->index])) {
        args[i] = tenon_value_of_tensor(bindings_.saved[operand->index].as.tensor);
      } else {
        args[i] = name_or_constant(*operand);
      }
      if (args[i].tag != callee.given[i].tag || (is_conj && !is_real(args[i]))) return false;
    }
    return true;
  }
  bool call_with_names(const Expression& expression, const Callee& callee,
                       tenon_value* out_result) const {
    tenon_value args[kMaxNames];
    if (bindings_.has_zeros || !read_names(expression, callee, args)) return false;
    *out_result = run(*callee.op, args, callee.given.size(), callee.results);
    return true;
  }

  static bool is_name_or_constant(const Expression& operand) noexcept {
    return operand.kind == Kind::kSaved || operand.kind == Kind::kGrad ||
           operand.kind == Kind::kConstant;
  }
  static bool takes_names(const Expression& call) noexcept {
    return call.arguments.size() <= kMaxNames &&
           std::ranges::all_of(call.arguments, [](const ExpressionPtr& operand) {
             const bool is_conj = operand->kind == Kind::kCall &&
                                  operand->built_in == BuiltIn::kConj &&
                                  operand->arguments.size() == 1;
             return is_name_or_constant(is_conj ? *operand->arguments[0] : *operand);
           });
  }

  // Evaluates built-in functions, and operators that no call has resolved yet.
  tenon_value call_other(const Expression& expression, Operands& operands) {
    const BuiltIn what = expression.built_in;
    if (bindings_.has_zeros && std::ranges::any_of(operands.span(), is_zeros)) {
      return with_zeros(expression, operands);
    }
    if (what != BuiltIn::kNone) {
      OwnedValue result;
      if (evaluate_built_in(what, operands.span(), &result)) return result.release();
      const bool commutes = what == BuiltIn::kAdd || what == BuiltIn::kMul;
      if (commutes && operands.size() == 2 && is_number(operands[0])) operands.swap();
    }
    const Callee* callee = expression.callee.load(std::memory_order_acquire);
    if (callee != nullptr && fits(*callee, operands)) return call_found(*callee, operands);
    return call_slow(expression, operands);
  }

  // Evaluates a call with zeros among its operands. Tangents are linear, so the result is zeros
  // unless the call adds or subtracts something.
  tenon_value with_zeros(const Expression& expression, Operands& operands) {
    const bool adds = expression.built_in == BuiltIn::kAdd && operands.size() == 2;
    const bool subtracts = expression.built_in == BuiltIn::kSub && operands.size() == 2;
    if ((adds || subtracts) && !is_zeros(operands[0])) return value::copy(operands[0]);
    if (adds) return value::copy(operands[1]);
    if (!subtracts || is_zeros(operands[1])) {
      return tenon_value_of_tensor(tensor::Tensor::undefined());
    }
    Expression negation;
    negation.kind = Kind::kCall;
    negation.name = "neg";
    Operands operand;
    operand.push_back(operands[1]);
    return call_slow(negation, operand);
  }

  static bool fits(const Callee& callee, const Operands& operands) noexcept {
    for (size_t i = 0; i < operands.size(); ++i) {
      if (operands[i].tag != callee.given[i].tag) return false;
    }
    return true;
  }

  static tenon_value call_found(const Callee& callee, Operands& operands) {
    const size_t results = callee.results;
    if (callee.is_plain) return run(*callee.op, operands.data(), operands.size(), results);
    base::SmallVector<tenon_value, 8> args{std::span(callee.defaults)};
    for (size_t i = 0; i < operands.size(); ++i) {
      const Callee::PassedArgument& how = callee.given[i];
      if (how.to_tensor) {
        operands.replace(i, value_of_tensor(tensor::new_number(operands[i])));
      }
      args[how.position] = operands[i];
    }
    return run(*callee.op, args.data(), args.size(), results);
  }

  [[gnu::always_inline]] static tenon_value run(const tenon_op& op, tenon_value* args, size_t nargs,
                                                size_t nrets) {
    tenon_value ret{};
    tenon_stack stack{};
    stack.args = args;
    stack.nargs = static_cast<uint32_t>(nargs);
    if (nrets != 1) [[unlikely]] {
      return run_for_tuple(op, &stack, nrets);
    }
    stack.rets = &ret;
    stack.nrets = 1;
    call(op, &stack);
    return ret;
  }

  static tenon_value run_for_tuple(const tenon_op& op, tenon_stack* stack, size_t nrets) {
    base::SmallVector<tenon_value, 4> rets(nrets);
    stack->rets = rets.data();
    stack->nrets = static_cast<uint32_t>(nrets);
    call(op, stack);
    OwnedValue tuple(value::new_list(TENON_TAG_TUPLE, rets.data(), static_cast<int64_t>(nrets)));
    for (tenon_value& ret : rets) value::clear(&ret);
    return tuple.release();
  }

  [[gnu::always_inline]] static void call(const tenon_op& op, tenon_stack* stack) {
    if (dispatch::call(&op, stack) != TENON_OK) [[unlikely]] {
      throw Error(base::take_current_error());
    }
  }

  // Returns the overloads of a name, in order of definition.
  static std::vector<const tenon_op*> overloads_of(const std::string& name) {
    std::vector<const tenon_op*> found;
    for (const char* ns : {"aten::", "tenon::"}) {
      found = dispatch::find_overloads(base::concat(ns, name));
      if (!found.empty()) break;
    }
    return found;
  }

  tenon_value call_slow(const Expression& expression, Operands& given) {
    const size_t named = expression.keywords.size();
    const size_t positional = given.size() - named;
    std::vector<const char*> names;
    for (const std::string& keyword : expression.keywords) names.push_back(keyword.c_str());
    const dispatch::CallArguments arguments{given.span().first(positional), names,
                                            given.span().subspan(positional)};
    const auto overloads = overloads_of(expression.name);
    TENON_CHECK(!overloads.empty(), TENON_ERROR_NOT_FOUND, bindings_.what,
                ": gradient formula calls ", expression.name,
                ", which must be an operator of aten or tenon");
    for (const Numbers numbers : {Numbers::kAsTheyAre, Numbers::kAsTensors}) {
      for (const tenon_op* op : overloads) {
        std::unique_ptr<Callee> callee = find_callee(*op, expression, given, numbers);
        if (callee == nullptr) continue;
        OwnedValue result(call_found(*callee, given));
        const Callee* none = nullptr;
        if (expression.callee.compare_exchange_strong(none, callee.get(),
                                                      std::memory_order_acq_rel)) {
          static_cast<void>(callee.release());
        }
        return result.release();
      }
    }
    base::ErrorPtr first;
    for (const tenon_op* op : overloads) {
      const schema::SchemaPtr schema = dispatch::schema_of(*op);
      if (schema == nullptr) continue;
      base::SmallVector<tenon_value, 8> bound(dispatch::bound_count(*schema, positional));
      try {
        dispatch::bind_arguments(*schema, arguments, bound.data());
      } catch (Error& error) {
        if (first == nullptr) first = error.release();
        continue;
      }
      Operands args;
      for (const tenon_value& value : bound) args.push_back(value);
      return run(*op, args.data(), args.size(), schema->returns().size());
    }
    TENON_CHECK(first != nullptr, TENON_ERROR_NOT_FOUND, bindings_.what,
                ": gradient formula calls ", expression.name, ", which has no defined overload");
    throw Error(std::move(first));
  }

  enum class Numbers { kAsTheyAre, kAsTensors };

  // Returns a callee for an overload that accepts the values, or NULL. Numbers may be converted to
  // tensors.
  static std::unique_ptr<Callee> find_callee(const tenon_op& op, const Expression& expression,
                                             const Operands& given, Numbers numbers) {
    auto callee = std::make_unique<Callee>();
    callee->op = &op;
    callee->schema = dispatch::schema_of(op);
    if (callee->schema == nullptr) return nullptr;
    const auto& arguments = callee->schema->arguments();
    if (given.size() > arguments.size()) return nullptr;
    std::vector<bool> is_given(arguments.size());
    const size_t positional = given.size() - expression.keywords.size();
    for (size_t i = 0; i < given.size(); ++i) {
      const int64_t at = i < positional
                             ? static_cast<int64_t>(i)
                             : callee->schema->find_argument(expression.keywords[i - positional]);
      if (at < 0 || (i < positional && arguments[i].kwarg_only)) return nullptr;
      const auto index = static_cast<size_t>(at);
      const schema::Type& type = *arguments[index].type;
      const bool to_tensor =
          numbers == Numbers::kAsTensors && is_number(given[i]) && type.kind == TENON_TYPE_TENSOR;
      if (!to_tensor && !dispatch::value_matches(given[i], type)) return nullptr;
      callee->given.push_back({given[i].tag, static_cast<uint16_t>(index), to_tensor});
      callee->is_plain = callee->is_plain && index == i && !to_tensor;
      is_given[index] = true;
    }
    for (size_t i = 0; i < arguments.size(); ++i) {
      const tenon_value* value = dispatch::default_value(arguments[i]);
      if (value == nullptr && !is_given[i]) return nullptr;
      callee->defaults.push_back(value != nullptr ? borrowed(*value) : tenon_value{});
    }
    callee->results = callee->schema->returns().size();
    callee->is_plain = callee->is_plain && given.size() == arguments.size();
    callee->takes_names = callee->is_plain && takes_names(expression);
    callee->gives_tensor = callee->takes_names && callee->results == 1 &&
                           callee->schema->returns()[0].type->kind == TENON_TYPE_TENSOR;
    return callee;
  }

  static constexpr size_t kMaxNames = 4;

  const Bindings& bindings_;
};

}  // namespace

value::OwnedValue evaluate(const Expression& expression, const Bindings& bindings) {
  return OwnedValue(Evaluation(bindings).value_of(expression));
}

tensor::TensorPtr evaluate_quickly(const Expression& expression, const Bindings& bindings) {
  return Evaluation(bindings).quick_call(expression);
}

}  // namespace tenon::autograd
