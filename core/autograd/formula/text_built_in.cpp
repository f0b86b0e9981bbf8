// SPDX-License-Identifier: Apache-2.0
#include "autograd/formula/text_built_in.h"

#include "autograd/formula/words.h"
#include "base/check.h"
#include "base/small_vector.h"

namespace tenon::autograd {

namespace {

using value::OwnedValue;

double as_double(const tenon_value& value) noexcept {
  return value.tag == TENON_TAG_FLOAT ? value.as.f : static_cast<double>(value.as.i);
}

using Sizes = base::SmallVector<int64_t, 8>;

bool give_number(int64_t number, OwnedValue* out_result) {
  *out_result = OwnedValue(tenon_value_of_int(number));
  return true;
}
// Pass `is_word` for sizes of a symbolic tensor and of a list that is flagged as having symbols.
// All other numbers are plain, and may have the bits of a symbol.
bool give_word(int64_t word, bool is_word, OwnedValue* out_result) {
  *out_result = OwnedValue(value::copy(word_value(word, is_word)));
  return true;
}
bool give_sizes(tensor::Dims sizes, bool are_words, OwnedValue* out_result) {
  *out_result = OwnedValue(value::copy(words_value(sizes, are_words)));
  return true;
}
int64_t checked_number(bool overflow, int64_t number) {
  TENON_CHECK_ARG(!overflow, "gradient formula: integers must fit in 64 bits, got an overflow");
  return number;
}
int64_t product_of(int64_t a, int64_t b) {
  int64_t product = 0;
  const bool overflow = __builtin_mul_overflow(a, b, &product);
  return checked_number(overflow, product);
}
// Stores the product of the sizes for which `is_factor(dim)` returns true.
template <class IsFactor>
bool give_product(tensor::Dims sizes, bool are_words, IsFactor&& is_factor,
                  OwnedValue* out_result) {
  OwnedValue product(tenon_value_of_int(1));
  for (size_t dim = 0; dim < sizes.size(); ++dim) {
    if (!is_factor(dim)) continue;
    const tenon_value a = product.get(), b = word_value(sizes[dim], are_words);
    const bool is_number = a.tag == TENON_TAG_INT && b.tag == TENON_TAG_INT;
    product = OwnedValue(is_number ? tenon_value_of_int(product_of(a.as.i, b.as.i))
                                   : apply_symbolic(TENON_SYMBOL_MUL, a, b));
  }
  *out_result = std::move(product);
  return true;
}
constexpr auto kEach = [](size_t) { return true; };
size_t wrapped(int64_t dim, tensor::Dims sizes) {
  const auto ndim = static_cast<int64_t>(sizes.size());
  const int64_t found = dim < 0 ? dim + ndim : dim;
  TENON_CHECK_INDEX(found >= 0 && found < ndim, "dim must be in [", -ndim, ", ", ndim - 1,
                    "], got ", dim);
  return static_cast<size_t>(found);
}
Sizes inverse(tensor::Dims order) {
  Sizes found(order.size());
  for (size_t i = 0; i < order.size(); ++i) {
    found[wrapped(order[i], order)] = static_cast<int64_t>(i);
  }
  return found;
}
// Returns the sizes after a reduction with keepdim: 1 for each dim in `dim`, which is an int or a
// list; None and an empty list mean all dims.
Sizes folded(tensor::Dims sizes, const tenon_value& dim) {
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

bool of_tensor(BuiltIn what, std::span<const tenon_value> given, OwnedValue* out_result) {
  const tenon_tensor& tensor = *given[0].as.tensor;
  switch (what) {
    case BuiltIn::kSizes:
      return give_sizes(tensor.size_span(), tensor.is_symbolic(), out_result);
    case BuiltIn::kDim:
      return give_number(tensor.ndim(), out_result);
    case BuiltIn::kNumel:
      return give_word(tensor.numel_word(), tensor.is_symbolic(), out_result);
    case BuiltIn::kDtype:
      *out_result = OwnedValue(tenon_value_of_dtype(tensor.dtype()));
      return true;
    default:
      return false;
  }
}

// Evaluates attributes such as `x.dim()` when only the sizes of x were saved, and functions of
// sizes.
bool of_sizes(BuiltIn what, std::span<const tenon_value> given, OwnedValue* out_result) {
  const auto* sizes = static_cast<const int64_t*>(given[0].as.list.data);
  const tensor::Dims dims{sizes, given[0].count};
  const bool are_words = (given[0].flags & TENON_VALUE_HAS_SYMBOLIC) != 0;
  if (given.size() == 1) {
    if (what == BuiltIn::kDim) return give_number(given[0].count, out_result);
    if (what == BuiltIn::kNumel) return give_product(dims, are_words, kEach, out_result);
    return what == BuiltIn::kInverse && give_sizes(inverse(dims), false, out_result);
  }
  if (given.size() != 2) return false;
  if (what == BuiltIn::kSize && given[1].tag == TENON_TAG_INT) {
    return give_word(dims[wrapped(given[1].as.i, dims)], are_words, out_result);
  }
  if (what == BuiltIn::kFoldedSizes)
    return give_sizes(folded(dims, given[1]), are_words, out_result);
  if (what != BuiltIn::kFoldedNumel) return false;
  const Sizes left = folded(dims, given[1]);
  return give_product(
      dims, are_words, [&](size_t dim) { return left[dim] == 1; }, out_result);
}

// Collects the size of one dim of each tensor in a list.
bool sizes_at(std::span<const tenon_value> given, OwnedValue* out_result) {
  if (given[0].tag != TENON_TAG_LIST || given[1].tag != TENON_TAG_INT) return false;
  Sizes found;
  bool are_words = false;
  for (uint32_t i = 0; i < given[0].count; ++i) {
    const tenon_value& one = value::elements(given[0])[i];
    const tensor::Dims sizes{static_cast<const int64_t*>(one.as.list.data), one.count};
    found.push_back(sizes[wrapped(given[1].as.i, sizes)]);
    are_words = are_words || (one.flags & TENON_VALUE_HAS_SYMBOLIC) != 0;
  }
  return give_sizes(found, are_words, out_result);
}

// Like of_numbers(), if at least one of the numbers is a symbol.
bool of_symbols(BuiltIn what, const tenon_value& a, const tenon_value& b, OwnedValue* out_result) {
  constexpr struct {
    BuiltIn what;
    uint32_t function;
  } kFunctions[] = {{BuiltIn::kAdd, TENON_SYMBOL_ADD},
                    {BuiltIn::kSub, TENON_SYMBOL_SUB},
                    {BuiltIn::kNeg, TENON_SYMBOL_SUB},
                    {BuiltIn::kMul, TENON_SYMBOL_MUL},
                    {BuiltIn::kDiv, TENON_SYMBOL_TRUEDIV}};
  for (const auto& each : kFunctions) {
    if (each.what != what) continue;
    *out_result = OwnedValue(apply_symbolic(each.function, a, b));
    return true;
  }
  return false;
}
bool is_symbol_value(const tenon_value& value) noexcept {
  return value.tag == TENON_TAG_SYMINT || value.tag == TENON_TAG_SYMFLOAT;
}

bool of_number(BuiltIn what, const tenon_value& operand, OwnedValue* out_result) {
  if (what != BuiltIn::kNeg) return false;
  *out_result =
      OwnedValue(operand.tag == TENON_TAG_FLOAT ? tenon_value_of_float(-operand.as.f)
                                                : tenon_value_of_int(product_of(operand.as.i, -1)));
  return true;
}

bool of_numbers(BuiltIn what, const tenon_value& a, const tenon_value& b, OwnedValue* out_result) {
  const bool ints = a.tag != TENON_TAG_FLOAT && b.tag != TENON_TAG_FLOAT;
  const double x = as_double(a);
  const double y = as_double(b);
  int64_t whole = 0;
  const auto give = [&](bool overflow, double real) {
    *out_result = OwnedValue(ints ? tenon_value_of_int(checked_number(overflow, whole))
                                  : tenon_value_of_float(real));
    return true;
  };
  switch (what) {
    case BuiltIn::kAdd:
      return give(__builtin_add_overflow(a.as.i, b.as.i, &whole), x + y);
    case BuiltIn::kSub:
      return give(__builtin_sub_overflow(a.as.i, b.as.i, &whole), x - y);
    case BuiltIn::kMul:
      return give(__builtin_mul_overflow(a.as.i, b.as.i, &whole), x * y);
    case BuiltIn::kDiv:
      *out_result = OwnedValue(tenon_value_of_float(x / y));
      return true;
    default:
      return false;
  }
}

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

bool evaluate_built_in(BuiltIn what, std::span<const tenon_value> given, OwnedValue* out_result) {
  if (given.size() == 0) return false;
  if (is_tensor(given[0])) return of_tensor(what, given, out_result);
  if (is_symbol_value(given[0]) || (given.size() == 2 && is_symbol_value(given[1]))) {
    if (given.size() == 1) return of_symbols(what, tenon_value_of_int(0), given[0], out_result);
    const bool are_numbers = std::ranges::all_of(
        given, [](const tenon_value& one) { return is_symbol_value(one) || is_number(one); });
    return are_numbers && of_symbols(what, given[0], given[1], out_result);
  }
  if (given.size() == 2 && is_number(given[0]) && is_number(given[1])) {
    return of_numbers(what, given[0], given[1], out_result);
  }
  if (given.size() == 1 && is_number(given[0])) return of_number(what, given[0], out_result);
  if (given[0].tag == TENON_TAG_INT_LIST) return of_sizes(what, given, out_result);
  return what == BuiltIn::kSizesAt && given.size() == 2 && sizes_at(given, out_result);
}

}  // namespace tenon::autograd
