// SPDX-License-Identifier: Apache-2.0
#include "autograd/gradient_text.h"

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

bool is_number(const tenon_value& value) noexcept {
  return value.tag == TENON_TAG_INT || value.tag == TENON_TAG_FLOAT || value.tag == TENON_TAG_BOOL;
}
bool is_tensor(const tenon_value& value) noexcept {
  return value.tag == TENON_TAG_TENSOR && value.as.tensor != nullptr;
}
bool is_real(const tenon_value& value) noexcept {
  return is_tensor(value) ? !tensor::is_complex(value.as.tensor->dtype()) : is_number(value);
}
double as_double(const tenon_value& value) noexcept {
  return value.tag == TENON_TAG_FLOAT ? value.as.f : static_cast<double>(value.as.i);
}

bool is_zeros(const tenon_value& value) noexcept {
  return is_tensor(value) && value.as.tensor->is_undefined();
}

tenon_value value_of_tensor(tensor::TensorPtr tensor) noexcept {
  return tenon_value_give(tenon_value_of_tensor(tensor.detach()));
}

// Values of a call in an expression; what they own goes with them.
class Values {
 public:
  Values() = default;
  explicit Values(size_t count) : values_(count) {}
  ~Values() {
    for (tenon_value& value : values_) value::drop(&value);
  }
  Values(const Values&) = delete;
  Values& operator=(const Values&) = delete;
  void push_back(const tenon_value& value) { values_.push_back(value); }
  tenon_value& operator[](size_t index) noexcept { return values_[index]; }
  size_t size() const noexcept { return values_.size(); }
  std::span<const tenon_value> span() const noexcept { return values_; }

 private:
  base::SmallVector<tenon_value, 6> values_;
};

class Evaluation {
 public:
  explicit Evaluation(const Bindings& bindings) : bindings_(bindings) {}

  // An owned value, or one that borrows from the bindings.
  tenon_value value_of(const Expression& expression) {
    switch (expression.kind) {
      case Kind::kSaved:
        return borrowed(bindings_.saved[expression.index]);
      case Kind::kGrad:
        return tenon_value_of_tensor(bindings_.grads[expression.index]);
      case Kind::kConstant:
        return expression.constant;
      case Kind::kList:
        return list(expression);
      case Kind::kCall:
        return call(expression);
      case Kind::kName:
        break;
    }
    fail(TENON_ERROR_INTERNAL, bindings_.what, ": name ", expression.name, " is not resolved");
  }

 private:
  tenon_value list(const Expression& expression) {
    Values elements;
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
                       ": a list in a gradient must be of integers or of tensors");
      tensors[i] = elements[i].as.tensor;
    }
    return value::new_list(TENON_TAG_TENSOR_LIST, tensors.data(), count);
  }

  tenon_value call(const Expression& expression) {
    const BuiltIn what = expression.built_in;
    if (what == BuiltIn::kIfNone && expression.arguments.size() == 3) {
      const OwnedValue asked(value_of(*expression.arguments[0]));
      return value_of(*expression.arguments[asked.get().tag == TENON_TAG_NONE ? 1 : 2]);
    }
    Values given;
    for (const ExpressionPtr& argument : expression.arguments) {
      const tenon_value value = value_of(*argument);
      if (what == BuiltIn::kConj && is_real(value)) return value;
      given.push_back(value);
    }
    if (bindings_.has_zeros && std::ranges::any_of(given.span(), is_zeros)) {
      return with_zeros(expression, given);
    }
    if (what != BuiltIn::kNone) {
      OwnedValue result;
      if (evaluate(what, given, &result)) return result.release();
      const bool commutes = what == BuiltIn::kAdd || what == BuiltIn::kMul;
      if (commutes && given.size() == 2 && is_number(given[0])) std::swap(given[0], given[1]);
    }
    const Callee* callee = expression.callee.load(std::memory_order_acquire);
    if (callee != nullptr && fits(*callee, given)) [[likely]] {
      return call_found(*callee, given);
    }
    return call_slow(expression, given);
  }

  // Tangents are linear: zeros in give zeros out, unless something is added.
  tenon_value with_zeros(const Expression& expression, Values& given) {
    const bool adds = expression.built_in == BuiltIn::kAdd && given.size() == 2;
    const bool subtracts = expression.built_in == BuiltIn::kSub && given.size() == 2;
    if ((adds || subtracts) && !is_zeros(given[0])) return take(given[0]);
    if (adds) return take(given[1]);
    if (!subtracts || is_zeros(given[1])) {
      return tenon_value_of_tensor(tensor::Tensor::undefined());
    }
    Expression negation;
    negation.kind = Kind::kCall;
    negation.name = "neg";
    Values operand(1);
    operand[0] = take(given[1]);
    return call_slow(negation, operand);
  }
  static tenon_value take(tenon_value& value) noexcept {
    return std::exchange(value, tenon_value{});
  }

  // What is no operator, or needs none: attributes, numbers.
  static bool evaluate(BuiltIn what, Values& given, OwnedValue* out_result) {
    if (given.size() == 0) return false;
    if (is_tensor(given[0])) return of_tensor(what, given, out_result);
    if (given.size() == 2 && is_number(given[0]) && is_number(given[1])) {
      return of_numbers(what, given[0], given[1], out_result);
    }
    if (given.size() == 1 && is_number(given[0])) return of_number(what, given[0], out_result);
    if (given[0].tag == TENON_TAG_INT_LIST) return of_sizes(what, given, out_result);
    return what == BuiltIn::kSizesAt && given.size() == 2 && sizes_at(given, out_result);
  }

  static bool of_tensor(BuiltIn what, Values& given, OwnedValue* out_result) {
    const tenon_tensor& tensor = *given[0].as.tensor;
    switch (what) {
      case BuiltIn::kSizes:
        *out_result =
            OwnedValue(value::new_list(TENON_TAG_INT_LIST, tensor.sizes(), tensor.ndim()));
        return true;
      case BuiltIn::kDim:
        return give_number(tensor.ndim(), out_result);
      case BuiltIn::kNumel:
        return give_number(tensor.numel(), out_result);
      case BuiltIn::kDtype:
        *out_result = OwnedValue(tenon_value_of_dtype(tensor.dtype()));
        return true;
      default:
        return false;
    }
  }

  // `x.dim()` and so on, where only the sizes of x were saved, and what is made of sizes.
  static bool of_sizes(BuiltIn what, Values& given, OwnedValue* out_result) {
    const auto* sizes = static_cast<const int64_t*>(given[0].as.list.data);
    const tensor::Dims dims{sizes, given[0].count};
    if (given.size() == 1) {
      if (what == BuiltIn::kDim) return give_number(given[0].count, out_result);
      if (what == BuiltIn::kNumel) return give_number(product(dims), out_result);
      return what == BuiltIn::kInverse && give_sizes(inverse(dims), out_result);
    }
    if (given.size() != 2) return false;
    if (what == BuiltIn::kSize && given[1].tag == TENON_TAG_INT) {
      return give_number(dims[wrapped(given[1].as.i, dims)], out_result);
    }
    if (what == BuiltIn::kFoldedSizes) return give_sizes(folded(dims, given[1]), out_result);
    if (what != BuiltIn::kFoldedNumel) return false;
    const Sizes left = folded(dims, given[1]);
    int64_t number = 1;
    for (size_t dim = 0; dim < dims.size(); ++dim) number *= left[dim] == 1 ? dims[dim] : 1;
    return give_number(number, out_result);
  }

  using Sizes = base::SmallVector<int64_t, 8>;

  static bool give_number(int64_t number, OwnedValue* out_result) {
    *out_result = OwnedValue(tenon_value_of_int(number));
    return true;
  }
  static bool give_sizes(const Sizes& sizes, OwnedValue* out_result) {
    *out_result = OwnedValue(
        value::new_list(TENON_TAG_INT_LIST, sizes.data(), static_cast<int64_t>(sizes.size())));
    return true;
  }
  static int64_t product(tensor::Dims sizes) {
    int64_t number = 1;
    for (const int64_t size : sizes) number *= size;
    return number;
  }
  static size_t wrapped(int64_t dim, tensor::Dims sizes) {
    const auto ndim = static_cast<int64_t>(sizes.size());
    const int64_t found = dim < 0 ? dim + ndim : dim;
    TENON_CHECK_INDEX(found >= 0 && found < ndim, "dim must be in [", -ndim, ", ", ndim - 1,
                      "], got ", dim);
    return static_cast<size_t>(found);
  }
  static Sizes inverse(tensor::Dims order) {
    Sizes found(order.size());
    for (size_t i = 0; i < order.size(); ++i) {
      found[wrapped(order[i], order)] = static_cast<int64_t>(i);
    }
    return found;
  }
  // With the dims that a reduction has folded as 1: of an int, a list, or None and an empty list,
  // which stand for all.
  static Sizes folded(tensor::Dims sizes, const tenon_value& dim) {
    Sizes left{std::span<const int64_t>(sizes)};
    const bool all = dim.tag == TENON_TAG_NONE || (dim.tag == TENON_TAG_INT_LIST && dim.count == 0);
    if (all) {
      for (size_t i = 0; i < left.size(); ++i) left[i] = 1;
    } else if (sizes.empty()) {
      return left;
    } else if (dim.tag == TENON_TAG_INT) {
      left[wrapped(dim.as.i, sizes)] = 1;
    } else {
      const auto* dims = static_cast<const int64_t*>(dim.as.list.data);
      for (uint32_t i = 0; i < dim.count; ++i) left[wrapped(dims[i], sizes)] = 1;
    }
    return left;
  }

  // Of each tensor of a list the size of one dim.
  static bool sizes_at(Values& given, OwnedValue* out_result) {
    if (given[0].tag != TENON_TAG_LIST || given[1].tag != TENON_TAG_INT) return false;
    Sizes found;
    for (uint32_t i = 0; i < given[0].count; ++i) {
      const tenon_value& one = value::elements(given[0])[i];
      const tensor::Dims sizes{static_cast<const int64_t*>(one.as.list.data), one.count};
      found.push_back(sizes[wrapped(given[1].as.i, sizes)]);
    }
    return give_sizes(found, out_result);
  }

  static bool of_number(BuiltIn what, const tenon_value& operand, OwnedValue* out_result) {
    if (what != BuiltIn::kNeg) return false;
    *out_result = OwnedValue(operand.tag == TENON_TAG_FLOAT ? tenon_value_of_float(-operand.as.f)
                                                            : tenon_value_of_int(-operand.as.i));
    return true;
  }

  static bool of_numbers(BuiltIn what, const tenon_value& a, const tenon_value& b,
                         OwnedValue* out_result) {
    const bool ints = a.tag != TENON_TAG_FLOAT && b.tag != TENON_TAG_FLOAT;
    const double x = as_double(a);
    const double y = as_double(b);
    const auto give = [&](int64_t whole, double real) {
      *out_result = OwnedValue(ints ? tenon_value_of_int(whole) : tenon_value_of_float(real));
      return true;
    };
    switch (what) {
      case BuiltIn::kAdd:
        return give(a.as.i + b.as.i, x + y);
      case BuiltIn::kSub:
        return give(a.as.i - b.as.i, x - y);
      case BuiltIn::kMul:
        return give(a.as.i * b.as.i, x * y);
      case BuiltIn::kDiv:
        *out_result = OwnedValue(tenon_value_of_float(x / y));
        return true;
      default:
        return false;
    }
  }

  static bool fits(const Callee& callee, Values& given) {
    for (size_t i = 0; i < given.size(); ++i) {
      if (given[i].tag != callee.given[i].tag) return false;
    }
    return true;
  }

  tenon_value call_found(const Callee& callee, Values& given) {
    base::SmallVector<tenon_value, 8> args{std::span(callee.defaults)};
    for (size_t i = 0; i < given.size(); ++i) {
      const Callee::Given& how = callee.given[i];
      if (how.to_tensor) given[i] = value_of_tensor(tensor::new_number(given[i]));
      args[how.position] = borrowed(given[i]);
    }
    return run(*callee.op, *callee.schema, args);
  }

  tenon_value run(const tenon_op& op, const schema::Schema& schema, std::span<tenon_value> args) {
    base::SmallVector<tenon_value, 2> rets(schema.returns().size());
    tenon_stack stack{};
    stack.args = args.data();
    stack.nargs = static_cast<uint32_t>(args.size());
    stack.rets = rets.data();
    stack.nrets = static_cast<uint32_t>(rets.size());
    if (dispatch::call(&op, &stack) != TENON_OK) throw Error(base::take_current_error());
    if (rets.size() == 1) return rets[0];
    OwnedValue tuple(
        value::new_list(TENON_TAG_TUPLE, rets.data(), static_cast<int64_t>(rets.size())));
    for (tenon_value& ret : rets) value::clear(&ret);
    return tuple.release();
  }

  // The overloads of a name, in the order of their definition.
  static std::vector<const tenon_op*> overloads_of(const std::string& name) {
    std::vector<const tenon_op*> found;
    for (const char* ns : {"aten::", "tenon::"}) {
      found = dispatch::find_overloads(base::concat(ns, name));
      if (!found.empty()) break;
    }
    return found;
  }

  tenon_value call_slow(const Expression& expression, Values& given) {
    const size_t named = expression.keywords.size();
    const size_t positional = given.size() - named;
    std::vector<const char*> names;
    for (const std::string& keyword : expression.keywords) names.push_back(keyword.c_str());
    const dispatch::GivenArguments arguments{given.span().first(positional), names,
                                             given.span().subspan(positional)};
    const auto overloads = overloads_of(expression.name);
    TENON_CHECK(!overloads.empty(), TENON_ERROR_NOT_FOUND, bindings_.what, ": gradient calls ",
                expression.name, ", which must be an operator of aten or tenon");
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
      Values args(dispatch::bound_count(*schema, positional));
      try {
        dispatch::bind_arguments(*schema, arguments, &args[0]);
      } catch (Error& error) {
        if (first == nullptr) first = error.release();
        continue;
      }
      base::SmallVector<tenon_value, 8> borrowed_args(args.size());
      for (size_t i = 0; i < args.size(); ++i) borrowed_args[i] = borrowed(args[i]);
      return run(*op, *schema, borrowed_args);
    }
    TENON_CHECK(first != nullptr, TENON_ERROR_NOT_FOUND, bindings_.what, ": gradient calls ",
                expression.name, ", of which no overload is defined");
    throw Error(std::move(first));
  }

  enum class Numbers { kAsTheyAre, kAsTensors };

  // Of an overload that takes the values, numbers perhaps as tensors.
  static std::unique_ptr<Callee> find_callee(const tenon_op& op, const Expression& expression,
                                             Values& given, Numbers numbers) {
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
      is_given[index] = true;
    }
    for (size_t i = 0; i < arguments.size(); ++i) {
      const tenon_value* value = dispatch::default_value(arguments[i]);
      if (value == nullptr && !is_given[i]) return nullptr;
      callee->defaults.push_back(value != nullptr ? borrowed(*value) : tenon_value{});
    }
    return callee;
  }

  const Bindings& bindings_;
};

}  // namespace

BuiltIn built_in_of(std::string_view name) noexcept {
  static constexpr struct {
    std::string_view name;
    BuiltIn what;
  } kBuiltIns[] = {
      {"if_none", BuiltIn::kIfNone},
      {"conj", BuiltIn::kConj},
      {"neg", BuiltIn::kNeg},
      {"add", BuiltIn::kAdd},
      {"sub", BuiltIn::kSub},
      {"mul", BuiltIn::kMul},
      {"div", BuiltIn::kDiv},
      {"sizes", BuiltIn::kSizes},
      {"dim", BuiltIn::kDim},
      {"numel", BuiltIn::kNumel},
      {"dtype", BuiltIn::kDtype},
      {"size", BuiltIn::kSize},
      {"inverse", BuiltIn::kInverse},
      {"folded_sizes", BuiltIn::kFoldedSizes},
      {"folded_numel", BuiltIn::kFoldedNumel},
      {"sizes_at", BuiltIn::kSizesAt},
  };
  for (const auto& each : kBuiltIns) {
    if (each.name == name) return each.what;
  }
  return BuiltIn::kNone;
}

value::OwnedValue evaluate(const Expression& expression, const Bindings& bindings) {
  return OwnedValue(Evaluation(bindings).value_of(expression));
}

}  // namespace tenon::autograd
