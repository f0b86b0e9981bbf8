// SPDX-License-Identifier: Apache-2.0
// Construction of a graph's sizes, functions and guards.
#include <algorithm>

#include "base/check.h"
#include "base/symbol_function.h"
#include "graph/graph.h"
#include "graph/same_value.h"
#include "graph/symbol_map.h"

using namespace tenon::graph;
namespace base = tenon::base;
namespace schema = tenon::schema;
namespace value_ = tenon::value;

namespace {

uint64_t hash_of(uint32_t function, const tenon_value& a, const tenon_value& b) noexcept {
  constexpr uint64_t kPrime = 0x9E3779B97F4A7C15;
  uint64_t hash = (function + uint64_t{1}) * kPrime;
  for (const tenon_value* each : {&a, &b}) {
    hash = (hash ^ each->as.words[0] ^ uint64_t{each->tag} << 48 ^ hash >> 29) * kPrime;
  }
  return hash;
}

// Returns the tag of a function's result for operands with these tags.
uint16_t tag_of(uint32_t function, uint16_t a, uint16_t b) noexcept {
  if (function >= TENON_SYMBOL_EQ) return TENON_TAG_BOOL;
  const bool gives_float = function >= TENON_SYMBOL_TRUEDIV && function <= TENON_SYMBOL_FLOAT;
  return gives_float || a == TENON_TAG_FLOAT || b == TENON_TAG_FLOAT ? TENON_TAG_FLOAT
                                                                     : TENON_TAG_INT;
}

// Returns true for words that texts of expressions use.
bool is_reserved(std::string_view name) noexcept {
  constexpr std::string_view kWords[] = {"max", "min", "sqrt", "float", "and",  "or",
                                         "not", "inf", "nan",  "none",  "True", "False"};
  return std::ranges::find(kWords, name) != std::end(kWords);
}

}  // namespace

const schema::Type* tenon::graph::number_type(uint16_t tag) {
  return schema::simple_type(tag == TENON_TAG_BOOL    ? TENON_TYPE_BOOL
                             : tag == TENON_TAG_FLOAT ? TENON_TYPE_FLOAT
                                                      : TENON_TYPE_INT);
}

// Returns the tag of a number, or of the number that a reference refers to; NONE if it is neither.
uint16_t tenon_graph::number_tag(const tenon_value& value) const {
  if (value.tag == TENON_TAG_INT || value.tag == TENON_TAG_FLOAT || value.tag == TENON_TAG_BOOL) {
    return value.tag;
  }
  if (value.tag != TENON_TAG_REF) return TENON_TAG_NONE;
  const schema::Type* type = values_[static_cast<size_t>(value.as.i)].type;
  switch (type != nullptr ? type->kind : TENON_TYPE_NONE) {
    case TENON_TYPE_INT:
    case TENON_TYPE_SYMINT:
    case TENON_TYPE_SCALAR:
      return TENON_TAG_INT;
    case TENON_TYPE_FLOAT:
    case TENON_TYPE_SYMFLOAT:
      return TENON_TAG_FLOAT;
    case TENON_TYPE_BOOL:
    case TENON_TYPE_SYMBOOL:
      return TENON_TAG_BOOL;
    default:
      return TENON_TAG_NONE;
  }
}

const Size* tenon_graph::find_size(std::string_view name) const noexcept {
  for (const Size& size : sizes_) {
    if (size.name == name) return &size;
  }
  return nullptr;
}

std::string tenon_graph::free_name(std::string_view name) const {
  const bool is_free = is_identifier(name) && !is_reserved(name) && find_size(name) == nullptr;
  return std::string(is_free ? name : std::string_view());
}

uint32_t tenon_graph::add_size(Size size) {
  constexpr const char* kFunction = "tenon_graph_add_size";
  check_open(kFunction);
  if (size.name.empty()) {
    size_t number = sizes_.size();
    do size.name = base::concat('s', number++);
    while (find_size(size.name) != nullptr);
  }
  TENON_CHECK_ARG(is_identifier(size.name) && !is_reserved(size.name), kFunction,
                  ": name must be an identifier, got '", size.name, '\'');
  TENON_CHECK_ARG(find_size(size.name) == nullptr, kFunction, ": name must be new, got ",
                  size.name);
  TENON_CHECK_ARG(size.low <= size.high, kFunction, ": min must not exceed max, got ", size.low,
                  " and ", size.high);
  const bool is_hint =
      size.hint.tag == TENON_TAG_NONE ||
      (size.hint.tag == TENON_TAG_INT && size.hint.as.i >= size.low && size.hint.as.i <= size.high);
  TENON_CHECK_ARG(is_hint, kFunction, ": hint must be a number from min to max, got ",
                  value_::print(size.hint));
  TENON_CHECK_INDEX(size.tensor == kUnbound || size.tensor < values_.size(), kFunction,
                    ": tensor must be a value of the graph, got ", size.tensor);
  TENON_CHECK_INDEX(size.dim < TENON_TENSOR_MAX_DIMS, kFunction, ": dim must be below ",
                    TENON_TENSOR_MAX_DIMS, ", got ", size.dim);
  const auto index = static_cast<uint32_t>(sizes_.size());
  const uint32_t value =
      add_value({TENON_GRAPH_VALUE_SIZE, index, size.dim, nullptr, number_type(TENON_TAG_INT)});
  size.value = value;
  sizes_.push_back(std::move(size));
  return value;
}

int64_t tenon_graph::find_function(uint32_t function, const tenon_value& a,
                                   const tenon_value& b) const {
  const auto [first, last] = functions_by_hash_.equal_range(hash_of(function, a, b));
  for (auto at = first; at != last; ++at) {
    const Function& known = functions_[at->second];
    if (known.function == function && same_value(known.operands[0], a) &&
        same_value(known.operands[1], b)) {
      return known.value;
    }
  }
  return -1;
}

uint32_t tenon_graph::add_function(uint32_t function, const tenon_value& a, const tenon_value& b) {
  constexpr const char* kFunction = "tenon_graph_add_number";
  check_open(kFunction);
  TENON_CHECK_ARG(base::function_text(function) != nullptr, kFunction,
                  ": function must be one of TENON_SYMBOL_*, got ", function);
  Function made{function, {a, b}, 0};
  for (tenon_value& operand : made.operands) {
    check_references(operand);
    TENON_CHECK_TYPE(number_tag(operand) != TENON_TAG_NONE, kFunction,
                     ": arguments must be plain numbers or number values of the graph, got ",
                     value_::print(operand));
    operand.flags = 0;
    operand.count = 0;
  }
  if (made.count() == 1) made.operands[1] = tenon_value_of_int(0);
  const int64_t known = find_function(function, made.operands[0], made.operands[1]);
  if (known >= 0) return static_cast<uint32_t>(known);
  for (const tenon_value& operand : made.operands) {
    if (operand.tag != TENON_TAG_REF) continue;
    const Value& its = values_[static_cast<size_t>(operand.as.i)];
    if (its.kind != TENON_GRAPH_VALUE_FUNCTION) continue;
    const Function& inner = functions_[its.source];
    made.depth = std::max(made.depth, inner.depth + 1);
    made.leaves = std::min(made.leaves + inner.leaves - 1, uint32_t{1} << 20);
  }
  TENON_CHECK(made.depth <= kMaxDepth, TENON_ERROR_RECURSION, kFunction,
              ": functions must nest at most ", kMaxDepth, " deep, got more");
  const auto index = static_cast<uint32_t>(functions_.size());
  const uint16_t tag = tag_of(function, number_tag(made.operands[0]), number_tag(made.operands[1]));
  made.value = add_value({TENON_GRAPH_VALUE_FUNCTION, index, 0, nullptr, number_type(tag)});
  functions_by_hash_.emplace(hash_of(function, made.operands[0], made.operands[1]), index);
  functions_.push_back(made);
  return made.value;
}

void tenon_graph::add_guard(Guard guard) {
  constexpr const char* kFunction = "tenon_graph_add_guard";
  check_open(kFunction);
  TENON_CHECK_ARG(base::is_relation(guard.function), kFunction,
                  ": function must be TENON_SYMBOL_EQ to TENON_SYMBOL_GE, got ", guard.function);
  for (tenon_value& operand : guard.operands) {
    check_references(operand);
    TENON_CHECK_TYPE(number_tag(operand) != TENON_TAG_NONE, kFunction,
                     ": arguments must be plain numbers or number values of the graph, got ",
                     value_::print(operand));
    operand.flags = 0;
    operand.count = 0;
  }
  guards_.push_back(std::move(guard));
}

const TensorMeta* tenon_graph::new_meta(tenon_dtype dtype, const tenon_device& device,
                                        std::span<const tenon_value> dims) {
  int64_t numbers[TENON_TENSOR_MAX_DIMS];
  const bool all =
      std::ranges::all_of(dims, [](const tenon_value& dim) { return dim.tag == TENON_TAG_INT; });
  if (all) {
    for (size_t d = 0; d < dims.size(); ++d) numbers[d] = dims[d].as.i;
    return new_meta(dtype, device, tenon::tensor::Dims(numbers, dims.size()));
  }
  auto* meta = arena_.make<TensorMeta>(1);
  *meta = {dtype, static_cast<int32_t>(dims.size()), device, nullptr, nullptr, arena_.copy(dims)};
  return meta;
}

void tenon_graph::set_dims(uint32_t value, std::span<const tenon_value> dims) {
  constexpr const char* kFunction = "tenon_graph_set_dims";
  check_open(kFunction);
  const TensorMeta* meta = values_[value].meta;
  TENON_CHECK_TYPE(meta != nullptr, kFunction,
                   ": value must be a tensor whose dtype is known, got value ", value);
  for (const tenon_value& dim : dims) {
    check_references(dim);
    const bool is_size =
        number_tag(dim) == TENON_TAG_INT && (dim.tag == TENON_TAG_REF || dim.as.i >= 0);
    TENON_CHECK_TYPE(is_size, kFunction, ": dims must be sizes, got ", value_::print(dim));
  }
  set_meta(value, new_meta(meta->dtype, meta->device, dims));
}

// Records the metadata of a symbolic tensor, whose sizes become numbers of the graph.
void tenon_graph::describe(uint32_t value, const tenon_tensor& tensor, KnownValues* known) {
  if (known == nullptr || tensor.is_undefined() || !tensor.is_symbolic()) return;
  SymbolMap symbols(*this, *known);
  tenon_value dims[TENON_TENSOR_MAX_DIMS];
  const tenon::tensor::Dims words = tensor.size_span();
  for (size_t dim = 0; dim < words.size(); ++dim) {
    dims[dim] = symbols.size_of(words[dim], value, static_cast<uint32_t>(dim));
  }
  const std::span<const tenon_value> all(dims, words.size());
  set_meta(value, new_meta(tensor.dtype(), tenon::tensor::claimed_device(tensor.device()), all));
}

void tenon_graph::take_guards(KnownValues* known) {
  SymbolMap symbols(*this, *known);
  symbols.take_guards();
}
