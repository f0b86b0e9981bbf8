// SPDX-License-Identifier: Apache-2.0
#include "autograd/gradient_text.h"

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
double as_double(const tenon_value& value) noexcept {
  return value.tag == TENON_TAG_FLOAT ? value.as.f : static_cast<double>(value.as.i);
}

tenon_value value_of_tensor(tensor::TensorPtr tensor) noexcept {
  return tenon_value_give(tenon_value_of_tensor(tensor.detach()));
}

// Values of a call in an expression; what they own goes with them.
class Values {
 public:
  explicit Values(size_t count) : values_(count) {}
  ~Values() {
    for (tenon_value& value : values_) value::clear(&value);
  }
  Values(const Values&) = delete;
  Values& operator=(const Values&) = delete;
  tenon_value& operator[](size_t index) noexcept { return values_[index]; }
  size_t size() const noexcept { return values_.size(); }
  std::span<const tenon_value> span() const noexcept { return values_; }

 private:
  base::SmallVector<tenon_value, 6> values_;
};

class Evaluation {
 public:
  explicit Evaluation(const Bindings& bindings) : bindings_(bindings) {}

  OwnedValue value_of(const Expression& expression) {
    switch (expression.kind) {
      case Kind::kSaved:
        return OwnedValue(borrowed(bindings_.saved[expression.index]));
      case Kind::kGrad:
        return OwnedValue(tenon_value_of_tensor(bindings_.grads[expression.index]));
      case Kind::kConstant:
        return OwnedValue(expression.constant);
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
  OwnedValue list(const Expression& expression) {
    Values elements(expression.arguments.size());
    bool ints = true;
    for (size_t i = 0; i < elements.size(); ++i) {
      elements[i] = value_of(*expression.arguments[i]).release();
      ints = ints && elements[i].tag == TENON_TAG_INT;
    }
    const auto count = static_cast<int64_t>(elements.size());
    if (ints) {
      base::SmallVector<int64_t, 8> numbers(elements.size());
      for (size_t i = 0; i < elements.size(); ++i) numbers[i] = elements[i].as.i;
      return OwnedValue(value::new_list(TENON_TAG_INT_LIST, numbers.data(), count));
    }
    base::SmallVector<tenon_tensor*, 8> tensors(elements.size());
    for (size_t i = 0; i < elements.size(); ++i) {
      TENON_CHECK_TYPE(is_tensor(elements[i]), bindings_.what,
                       ": a list in a gradient must be of integers or of tensors");
      tensors[i] = elements[i].as.tensor;
    }
    return OwnedValue(value::new_list(TENON_TAG_TENSOR_LIST, tensors.data(), count));
  }

  OwnedValue call(const Expression& expression) {
    if (expression.name == "if_none" && expression.arguments.size() == 3) {
      const OwnedValue asked = value_of(*expression.arguments[0]);
      return value_of(*expression.arguments[asked.get().tag == TENON_TAG_NONE ? 1 : 2]);
    }
    Values given(expression.arguments.size());
    for (size_t i = 0; i < given.size(); ++i) {
      given[i] = value_of(*expression.arguments[i]).release();
    }
    OwnedValue result;
    if (built_in(expression, given, &result)) return result;
    const bool commutes = expression.name == "add" || expression.name == "mul";
    if (commutes && given.size() == 2 && is_number(given[0])) std::swap(given[0], given[1]);
    return call_operator(expression, given);
  }

  // What is no operator, or needs none: attributes, numbers, conj() of what is real.
  static bool built_in(const Expression& expression, Values& given, OwnedValue* out_result) {
    const std::string& name = expression.name;
    if (given.size() == 2 && is_number(given[0]) && is_number(given[1])) {
      return of_numbers(name, given[0], given[1], out_result);
    }
    if (given.size() == 0) return false;
    if (given.size() == 1 && is_number(given[0])) return of_number(name, given[0], out_result);
    if (given[0].tag == TENON_TAG_INT_LIST) return of_sizes(name, given, out_result);
    if (name == "sizes_at" && given.size() == 2) return sizes_at(given, out_result);
    if (!is_tensor(given[0])) return false;
    const tenon_tensor& tensor = *given[0].as.tensor;
    if (name == "conj" && !tensor::is_complex(tensor.dtype())) {
      *out_result = OwnedValue(std::exchange(given[0], tenon_value{}));
      return true;
    }
    if (name == "sizes") {
      *out_result = OwnedValue(value::new_list(TENON_TAG_INT_LIST, tensor.sizes(), tensor.ndim()));
    } else if (name == "dim") {
      *out_result = OwnedValue(tenon_value_of_int(tensor.ndim()));
    } else if (name == "numel") {
      *out_result = OwnedValue(tenon_value_of_int(tensor.numel()));
    } else if (name == "dtype") {
      *out_result = OwnedValue(tenon_value_of_dtype(tensor.dtype()));
    } else {
      return false;
    }
    return true;
  }

  // `x.dim()` and so on, where only the sizes of x were saved, and what is made of sizes.
  static bool of_sizes(const std::string& name, Values& given, OwnedValue* out_result) {
    const auto* sizes = static_cast<const int64_t*>(given[0].as.list.data);
    const tensor::Dims dims{sizes, given[0].count};
    if (given.size() == 1 && name == "dim") return give_number(given[0].count, out_result);
    if (given.size() == 1 && name == "numel") return give_number(product(dims), out_result);
    if (given.size() == 1 && name == "inverse") return give_sizes(inverse(dims), out_result);
    if (given.size() != 2) return false;
    if (name == "size" && given[1].tag == TENON_TAG_INT) {
      return give_number(dims[wrapped(given[1].as.i, dims)], out_result);
    }
    if (name == "folded_sizes") return give_sizes(folded(dims, given[1]), out_result);
    if (name == "folded_numel") {
      const Sizes left = folded(dims, given[1]);
      int64_t number = 1;
      for (size_t dim = 0; dim < dims.size(); ++dim) number *= left[dim] == 1 ? dims[dim] : 1;
      return give_number(number, out_result);
    }
    return false;
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

  static bool of_number(const std::string& name, const tenon_value& operand,
                        OwnedValue* out_result) {
    if (name == "conj") {
      *out_result = OwnedValue(operand);
    } else if (name == "neg") {
      *out_result = OwnedValue(operand.tag == TENON_TAG_FLOAT ? tenon_value_of_float(-operand.as.f)
                                                              : tenon_value_of_int(-operand.as.i));
    } else {
      return false;
    }
    return true;
  }

  static bool of_numbers(const std::string& name, const tenon_value& a, const tenon_value& b,
                         OwnedValue* out_result) {
    const bool ints = a.tag != TENON_TAG_FLOAT && b.tag != TENON_TAG_FLOAT;
    const double x = as_double(a);
    const double y = as_double(b);
    const auto give = [&](int64_t whole, double real) {
      *out_result = OwnedValue(ints ? tenon_value_of_int(whole) : tenon_value_of_float(real));
      return true;
    };
    if (name == "add") return give(a.as.i + b.as.i, x + y);
    if (name == "sub") return give(a.as.i - b.as.i, x - y);
    if (name == "mul") return give(a.as.i * b.as.i, x * y);
    if (name == "div") {
      *out_result = OwnedValue(tenon_value_of_float(x / y));
      return true;
    }
    return false;
  }

  OwnedValue call_operator(const Expression& expression, Values& given) {
    const Callee* callee = expression.callee.load(std::memory_order_acquire);
    if (callee != nullptr && is_direct(*callee, given)) return call_direct(*callee, given);
    return call_slow(expression, given);
  }

  static bool is_direct(const Callee& callee, Values& given) {
    for (size_t i = 0; i < given.size(); ++i) {
      if (given[i].tag != callee.tags[i]) return false;
    }
    return true;
  }

  OwnedValue call_direct(const Callee& callee, Values& given) {
    for (uint64_t left = callee.numbers; left != 0; left &= left - 1) {
      tenon_value& number = given[static_cast<size_t>(__builtin_ctzll(left))];
      number = value_of_tensor(tensor::new_number(number));
    }
    const auto& arguments = callee.schema->arguments();
    base::SmallVector<tenon_value, 8> args(arguments.size());
    for (size_t i = 0; i < arguments.size(); ++i) {
      const int16_t source = callee.sources[i];
      args[i] = borrowed(source >= 0 ? given[static_cast<size_t>(source)]
                                     : *dispatch::default_value(arguments[i]));
    }
    return run(*callee.op, *callee.schema, args);
  }

  OwnedValue run(const tenon_op& op, const schema::Schema& schema, std::span<tenon_value> args) {
    base::SmallVector<tenon_value, 2> rets(schema.returns().size());
    tenon_stack stack{};
    stack.args = args.data();
    stack.nargs = static_cast<uint32_t>(args.size());
    stack.rets = rets.data();
    stack.nrets = static_cast<uint32_t>(rets.size());
    if (dispatch::call(&op, &stack) != TENON_OK) throw Error(base::take_current_error());
    if (rets.size() == 1) return OwnedValue(rets[0]);
    OwnedValue tuple(
        value::new_list(TENON_TAG_TUPLE, rets.data(), static_cast<int64_t>(rets.size())));
    for (tenon_value& ret : rets) value::clear(&ret);
    return tuple;
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

  OwnedValue call_slow(const Expression& expression, Values& given) {
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
        OwnedValue result = call_direct(*callee, given);
        const Callee* none = nullptr;
        if (expression.callee.compare_exchange_strong(none, callee.get(),
                                                      std::memory_order_acq_rel)) {
          static_cast<void>(callee.release());
        }
        return result;
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
    callee->sources.assign(arguments.size(), -1);
    const size_t positional = given.size() - expression.keywords.size();
    for (size_t i = 0; i < given.size(); ++i) {
      const int64_t at = i < positional
                             ? static_cast<int64_t>(i)
                             : callee->schema->find_argument(expression.keywords[i - positional]);
      if (at < 0 || (i < positional && arguments[i].kwarg_only)) return nullptr;
      const auto index = static_cast<size_t>(at);
      const schema::Type& type = *arguments[index].type;
      if (numbers == Numbers::kAsTensors && is_number(given[i]) && type.kind == TENON_TYPE_TENSOR &&
          i < 64) {
        callee->numbers |= uint64_t{1} << i;
      } else if (!dispatch::value_matches(given[i], type)) {
        return nullptr;
      }
      callee->sources[index] = static_cast<int16_t>(i);
      callee->tags.push_back(given[i].tag);
    }
    for (size_t i = 0; i < arguments.size(); ++i) {
      if (callee->sources[i] < 0 && dispatch::default_value(arguments[i]) == nullptr) {
        return nullptr;
      }
    }
    return callee;
  }

  const Bindings& bindings_;
};

}  // namespace

value::OwnedValue evaluate(const Expression& expression, const Bindings& bindings) {
  return Evaluation(bindings).value_of(expression);
}

}  // namespace tenon::autograd
