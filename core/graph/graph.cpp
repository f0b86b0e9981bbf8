// SPDX-License-Identifier: Apache-2.0
#include "graph/graph.h"

#include <algorithm>

#include "base/check.h"
#include "base/live_count.h"
#include "dispatch/argument_binder.h"
#include "dispatch/argument_check.h"
#include "dispatch/lookup.h"
#include "graph/plan.h"
#include "graph/references.h"
#include "graph/stage.h"
#include "graph/symbol_map.h"

using namespace tenon::graph;
using tenon::schema::Type;
namespace base = tenon::base;
namespace schema = tenon::schema;
namespace value_ = tenon::value;

namespace {

const Type* tensor_type() { return schema::simple_type(TENON_TYPE_TENSOR); }
const Type* tensors_type() { return schema::list_type(tensor_type()); }

// Returns `given`, or a new name if it is "", that no other of `named` has.
template <class Named>
std::string checked_name(const char* function, const std::vector<Named>& named,
                         std::string_view given, char prefix) {
  const auto is_taken = [&](std::string_view name) {
    return std::any_of(named.begin(), named.end(), [&](const Named& n) { return n.name == name; });
  };
  if (!given.empty()) {
    TENON_CHECK_ARG(is_identifier(given), function, ": name must be an identifier, got '", given,
                    '\'');
    TENON_CHECK_ARG(!is_taken(given), function, ": name must be new, got ", given);
    return std::string(given);
  }
  std::string name = base::concat(prefix, named.size());
  while (is_taken(name)) name += '_';
  return name;
}

const Type* symbol_type(uint16_t tag) {
  if (tag == TENON_TAG_SYMINT) return number_type(TENON_TAG_INT);
  return number_type(tag == TENON_TAG_SYMFLOAT ? TENON_TAG_FLOAT : TENON_TAG_BOOL);
}

// Returns the type of a recorded result, as far as its tag determines it.
const Type* type_of(const tenon_value& result) {
  if (result.tag == TENON_TAG_TENSOR) return tensor_type();
  if (is_symbol_tag(result.tag)) return symbol_type(result.tag);
  return result.tag == TENON_TAG_TENSOR_LIST ? tensors_type() : nullptr;
}

}  // namespace

bool tenon::graph::is_identifier(std::string_view name) noexcept {
  const auto is_letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  if (name.empty() || !is_letter(name.front())) return false;
  return std::all_of(name.begin(), name.end(),
                     [&](char c) { return is_letter(c) || (c >= '0' && c <= '9'); });
}

tenon_graph::tenon_graph() { base::count_live(TENON_HANDLE_GRAPH, 1); }

tenon_graph::~tenon_graph() {
  delete plan_.load(std::memory_order_acquire);
  base::count_live(TENON_HANDLE_GRAPH, -1);
}

void tenon_graph::check_open(const char* function) const {
  TENON_CHECK(plan_.load(std::memory_order_acquire) == nullptr, TENON_ERROR_STATE, function,
              ": graph must not be changed after it was run or defined as an operator");
}

uint32_t tenon_graph::add_value(const Value& value) {
  TENON_CHECK(values_.size() < UINT32_MAX, TENON_ERROR_NOT_SUPPORTED,
              "graph: values must be fewer than 2^32, got one more");
  values_.push_back(value);
  return static_cast<uint32_t>(values_.size() - 1);
}

const TensorMeta* tenon_graph::new_meta(tenon_dtype dtype, const tenon_device& device,
                                        tenon::tensor::Dims sizes, const int64_t* strides) {
  auto* meta = arena_.make<TensorMeta>(1);
  *meta = {dtype, static_cast<int32_t>(sizes.size()), device, arena_.copy(sizes), nullptr, nullptr};
  if (strides != nullptr) meta->strides = arena_.copy(tenon::tensor::Dims(strides, sizes.size()));
  return meta;
}

const TensorMeta* tenon_graph::meta_of(const tenon_tensor& tensor) {
  if (tensor.is_undefined() || tensor.is_symbolic()) return nullptr;
  return new_meta(tensor.dtype(), tenon::tensor::claimed_device(tensor.device()),
                  tensor.size_span(), tensor.strides());
}

uint32_t tenon_graph::add_input(tenon_tensor* tensor, std::string_view name, KnownValues* known) {
  constexpr const char* kFunction = "tenon_graph_add_input";
  check_open(kFunction);
  std::string checked = checked_name(kFunction, inputs_, name, 'x');
  const TensorMeta* meta = tensor != nullptr ? meta_of(*tensor) : nullptr;
  const auto number = static_cast<uint32_t>(inputs_.size());
  inputs_.push_back({std::move(checked), static_cast<uint32_t>(values_.size())});
  const uint32_t value = add_value({TENON_GRAPH_VALUE_INPUT, number, 0, meta, tensor_type()});
  if (tensor != nullptr) describe(value, *tensor, known);
  return value;
}

uint32_t tenon_graph::add_attribute(tenon_tensor& tensor, std::string_view name,
                                    KnownValues* known) {
  constexpr const char* kFunction = "tenon_graph_add_attribute";
  check_open(kFunction);
  TENON_CHECK_ARG(!tensor.is_undefined(), kFunction,
                  ": tensor must be defined, got the undefined tensor");
  const auto number = static_cast<uint32_t>(attributes_.size());
  attributes_.push_back({checked_name(kFunction, attributes_, name, 'w'),
                         tenon::tensor::TensorPtr::share(&tensor),
                         static_cast<uint32_t>(values_.size())});
  const uint32_t value =
      add_value({TENON_GRAPH_VALUE_ATTRIBUTE, number, 0, meta_of(tensor), tensor_type()});
  describe(value, tensor, known);
  return value;
}

uint32_t tenon_graph::add_element(int64_t list, int64_t index) {
  constexpr const char* kFunction = "tenon_graph_add_element";
  check_open(kFunction);
  TENON_CHECK_INDEX(list >= 0 && static_cast<uint64_t>(list) < values_.size(), kFunction,
                    ": list must be a value of the graph, got ", list);
  TENON_CHECK_INDEX(index >= 0 && index < UINT32_MAX, kFunction, ": index must be >= 0, got ",
                    index);
  const Value& value = values_[static_cast<size_t>(list)];
  TENON_CHECK_TYPE(value.type != nullptr && value.type->kind == TENON_TYPE_LIST, kFunction,
                   ": list must be a list of tensors, got value ", list);
  return add_value({TENON_GRAPH_VALUE_ELEMENT, static_cast<uint32_t>(list),
                    static_cast<uint32_t>(index), nullptr, value.type->elements[0]});
}

uint32_t tenon_graph::capture(tenon_tensor& tensor, KnownValues* known) {
  if (known != nullptr) {
    // Another argument of the call, or another thread, may have added it in the meantime.
    const uint32_t value = known->tensors.find(tensor);
    if (value != tenon::graph::IdentityMap::kUnknown) return value;
  } else {
    for (const Attribute& attribute : attributes_) {
      if (attribute.tensor.get() == &tensor) return attribute.value;
    }
  }
  const uint32_t value = add_attribute(tensor, {}, known);
  if (known != nullptr) known->tensors.set(tensor, value);
  return value;
}

void tenon_graph::capture_all(StagedCall& call, KnownValues* known) {
  while (!call.captured.empty()) {
    tenon_value* place = call.captured.back();
    TENON_DCHECK(place->tag == TENON_TAG_TENSOR && place->as.tensor != nullptr);
    const uint32_t value = capture(*place->as.tensor, known);
    call.captured.pop_back();
    value_::clear(place);
    *place = tenon_value_of_number(TENON_TAG_REF, value);
  }
  for (value_::OwnedValue& each : call.held) held_.push_back(std::move(each));
  call.held.clear();
}

StagedCall tenon_graph::stage(const tenon_op* op, std::span<const tenon_value> args,
                              KnownValues* known) {
  StagedCall call;
  call.op = op;
  call.nargs = static_cast<uint32_t>(args.size());
  call.args = arena_.make<tenon_value>(args.size());
  Stager stager(*this, arena_, known, &call);
  for (size_t i = 0; i < args.size(); ++i) stager.copy(args[i], &call.args[i]);
  return call;
}

uint32_t tenon_graph::push_node(const StagedCall& call, size_t nresults) {
  const auto first = static_cast<uint32_t>(values_.size());
  nodes_.push_back({.op = call.op,
                    .args = call.args,
                    .nargs = call.nargs,
                    .first_value = first,
                    .nresults = static_cast<uint32_t>(nresults)});
  return first;
}

uint32_t tenon_graph::commit(StagedCall call, std::span<const tenon_value> results,
                             KnownValues* known) {
  TENON_DCHECK(call.op != nullptr && known != nullptr);
  check_open(call.op->name());
  capture_all(call, known);
  const auto number = static_cast<uint32_t>(nodes_.size());
  const uint32_t first = push_node(call, results.size());
  for (uint32_t i = 0; i < results.size(); ++i) {
    const tenon_value& result = results[i];
    const bool is_tensor = result.tag == TENON_TAG_TENSOR && result.as.tensor != nullptr;
    const TensorMeta* meta = is_tensor ? meta_of(*result.as.tensor) : nullptr;
    const uint32_t value = add_value({TENON_GRAPH_VALUE_RESULT, number, i, meta, type_of(result)});
    if (is_tensor && !result.as.tensor->is_undefined()) {
      known->tensors.set(*result.as.tensor, value);
    }
  }
  for (uint32_t i = 0; i < results.size(); ++i) {
    const tenon_value& result = results[i];
    if (is_symbol_tag(result.tag)) SymbolMap(*this, *known).set(*result.as.symbol, first + i);
    if (result.tag == TENON_TAG_TENSOR && result.as.tensor != nullptr) {
      describe(first + i, *result.as.tensor, known);
    }
    if (result.tag != TENON_TAG_TENSOR_LIST) continue;
    for (uint32_t k = 0; k < result.count; ++k) {
      tenon_tensor* element = value_::tensors(result)[k];
      if (element == nullptr || element->is_undefined()) continue;
      const uint32_t value =
          add_value({TENON_GRAPH_VALUE_ELEMENT, first + i, k, meta_of(*element), tensor_type()});
      known->tensors.set(*element, value);
      describe(value, *element, known);
    }
  }
  return first;
}

// Throws TENON_ERROR_INDEX for a reference to a value that does not exist.
void tenon_graph::check_references(const tenon_value& value) const {
  if (value.tag == TENON_TAG_REF) {
    TENON_CHECK_INDEX(value.as.i >= 0 && static_cast<uint64_t>(value.as.i) < values_.size(),
                      "graph: an argument or output must be an earlier value, got ",
                      value_::print(value));
  } else if (value_::is_value_list(value.tag)) {
    for (uint64_t i = 0; i < value_::element_count(value); ++i) {
      check_references(value_::elements(value)[i]);
    }
  }
}

bool tenon_graph::matches(const tenon_value& value, const Type& type) const {
  const Type& plain = *schema::unwrap_optional(&type);
  if (value.tag == TENON_TAG_REF) {
    TENON_DCHECK(static_cast<uint64_t>(value.as.i) < values_.size());
    const Type* its = values_[static_cast<size_t>(value.as.i)].type;
    if (its == nullptr || schema::is_subtype(schema::unwrap_optional(its), &type)) return true;
    // A size or function, which is known only in runs, matches like a plain number of its type.
    const uint16_t tag = number_tag(value);
    if (tag == TENON_TAG_NONE) return false;
    tenon_value number = tenon_value_of_number(tag, 1);
    return tenon::dispatch::value_matches(number, type);
  }
  if (plain.kind == TENON_TYPE_TENSOR && is_number(value.tag)) return true;
  if (plain.kind == TENON_TYPE_LIST && value.tag == TENON_TAG_LIST) {
    for (uint32_t i = 0; i < value.count; ++i) {
      if (!matches(value_::elements(value)[i], *plain.elements[0])) return false;
    }
    return true;
  }
  return tenon::dispatch::value_matches(value, type);
}

uint32_t tenon_graph::append(const tenon_op* op, std::span<const tenon_value> args) {
  constexpr const char* kFunction = "tenon_graph_append";
  check_open(kFunction);
  const schema::SchemaPtr schema = tenon::dispatch::schema_of(*op);
  TENON_CHECK(schema && !schema->is_vararg() && !schema->is_varret(), TENON_ERROR_NOT_SUPPORTED,
              kFunction, ": ", op->name(),
              " must have a schema with a fixed number of arguments and results, got ",
              schema ? schema->text() : "none");
  const auto wanted = schema->arguments();
  const auto check_count = [&](bool fits) {
    TENON_CHECK_ARG(fits, kFunction, ": ", op->name(), " must have ", wanted.size(),
                    " arguments, got ", args.size());
  };
  check_count(args.size() <= wanted.size());  // before any is read
  std::vector<tenon_value> all(args.begin(), args.end());
  while (all.size() < wanted.size()) {
    const tenon_value* usual = tenon::dispatch::default_value(wanted[all.size()]);
    if (usual == nullptr) break;
    all.push_back(*usual);
  }
  check_count(all.size() == wanted.size());
  StagedCall call = stage(op, all, nullptr);
  for (size_t i = 0; i < all.size(); ++i) {
    check_references(call.args[i]);
    TENON_CHECK_TYPE(matches(call.args[i], *wanted[i].type), kFunction, ": ", op->name(), ": ",
                     wanted[i].name.view(), " must be ", wanted[i].type->text.view(), ", got ",
                     value_::print(call.args[i]));
  }
  capture_all(call, nullptr);
  const auto number = static_cast<uint32_t>(nodes_.size());
  const auto returns = schema->returns();
  const uint32_t first = push_node(call, returns.size());
  for (uint32_t i = 0; i < returns.size(); ++i) {
    add_value({TENON_GRAPH_VALUE_RESULT, number, i, nullptr, returns[i].type});
  }
  return first;
}

tenon_value tenon_graph::hold(const tenon_value& value, KnownValues* known) {
  StagedCall call;
  auto* held = arena_.make<tenon_value>(1);
  Stager(*this, arena_, known, &call).copy(value, held);
  check_references(*held);
  capture_all(call, known);
  return *held;
}

void tenon_graph::add_output(const tenon_value& value, KnownValues* known) {
  check_open("tenon_graph_add_output");
  outputs_.push_back(hold(value, known));
}

const Plan& tenon_graph::plan() {
  const Plan* plan = plan_.load(std::memory_order_acquire);
  if (plan != nullptr) return *plan;
  const auto* fresh = new Plan(*this);
  if (plan_.compare_exchange_strong(plan, fresh, std::memory_order_acq_rel)) return *fresh;
  delete fresh;  // another thread was first
  return *plan;
}

std::vector<int64_t> tenon::graph::users_of(const tenon_graph& graph, uint32_t value) {
  std::vector<int64_t> users;
  const auto look = [&](const tenon_value& argument, size_t user) {
    each_reference(argument, [&](uint32_t used) {
      const Value& its = graph.values()[used];
      const bool names =
          used == value || (its.kind == TENON_GRAPH_VALUE_ELEMENT && its.source == value);
      const auto number = static_cast<int64_t>(user);
      if (names && (users.empty() || users.back() != number)) users.push_back(number);
    });
  };
  const size_t count = graph.nodes().size();
  for (size_t i = 0; i < count; ++i) {
    const Node& node = graph.nodes()[i];
    for (uint32_t a = 0; a < node.nargs; ++a) look(node.args[a], i);
  }
  for (const tenon_value& output : graph.outputs()) look(output, count);
  return users;
}
