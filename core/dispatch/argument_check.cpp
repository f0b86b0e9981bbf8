// SPDX-License-Identifier: Apache-2.0
#include "dispatch/argument_check.h"

#include <algorithm>

#include "dispatch/argument_plan.h"
#include "schema/printer.h"
#include "tensor/tensor.h"
#include "value/object.h"
#include "value/value.h"

namespace tenon::dispatch {

namespace {

using base::ErrorObject;
using base::ErrorPtr;
using schema::Argument;
using schema::Schema;
using schema::Type;
using value::elements;
using value::holds_texts;

ErrorPtr type_error(std::string_view message) {
  return ErrorPtr::adopt(ErrorObject::make(TENON_ERROR_TYPE, {}, message));
}

bool elements_match(const tenon_value& value, const Type& type) noexcept {
  for (uint32_t i = 0; i < value.count; ++i) {
    if (!value_matches(elements(value)[i], type)) return false;
  }
  return true;
}

// Returns the index of the first NULL element, or the number of elements if there is none.
size_t first_absent(const tenon_value& tensor_list) noexcept {
  const auto* tensors = value::tensors(tensor_list);
  return static_cast<size_t>(std::find(tensors, tensors + tensor_list.count, nullptr) - tensors);
}

bool all_present(const tenon_value& tensor_list) noexcept {
  return first_absent(tensor_list) == tensor_list.count;
}

bool tuple_matches(const tenon_value& value, const Type& type) noexcept {
  if (value.tag != TENON_TAG_TUPLE || value.count != type.elements.size()) return false;
  for (uint32_t i = 0; i < value.count; ++i) {
    if (!value_matches(elements(value)[i], *type.elements[i])) return false;
  }
  return true;
}

bool dict_matches(const tenon_value& value, const Type& type) noexcept {
  if (value.tag != TENON_TAG_DICT) return false;
  for (uint64_t i = 0; i < value::element_count(value); ++i) {
    if (!value_matches(elements(value)[i], *type.elements[i % 2])) return false;
  }
  return true;
}

bool is_instance(const tenon_value& value, const Type& type) noexcept {
  return value.tag == TENON_TAG_OBJECT && value::is_a(value.as.object->type(), type.text.view());
}

// Objects that override operators are accepted for every type.
bool overrides(const tenon_value& value) noexcept {
  return value.tag == TENON_TAG_OBJECT && value.as.object->type()->override != nullptr;
}

// Returns true if the tag of a value needs a handle or elements, but the pointer is NULL.
bool lacks_handle(const tenon_value& value) noexcept {
  switch (value.tag) {
    case TENON_TAG_GENERATOR:
    case TENON_TAG_TENSOR:
    case TENON_TAG_STORAGE:
    case TENON_TAG_FUNCTION:
    case TENON_TAG_OBJECT:
    case TENON_TAG_SYMINT:
    case TENON_TAG_SYMFLOAT:
    case TENON_TAG_SYMBOOL:
      return value.as.words[0] == 0;
    case TENON_TAG_INT_LIST:
    case TENON_TAG_FLOAT_LIST:
    case TENON_TAG_BOOL_LIST:
    case TENON_TAG_TENSOR_LIST:
    case TENON_TAG_LIST:
    case TENON_TAG_TUPLE:
    case TENON_TAG_DICT:
      return value.as.list.data == nullptr && value.count != 0;
    default:
      return false;
  }
}

bool kind_matches(const tenon_value& value, const Type& type) noexcept {
  const ArgumentPlan plan = plan_argument(type);
  if (value.tag < kPlanTags && (plan >> value.tag & 1) != 0) {
    if (value.tag == TENON_TAG_TENSOR_LIST && (plan & kAbsentForbidden) != 0) {
      return all_present(value);
    }
    return holds_texts(value);
  }
  if (value.tag == TENON_TAG_STRING && (plan & kMayBeText) != 0) return holds_texts(value);
  switch (type.kind) {
    case TENON_TYPE_GENERATOR:
      return value.tag == TENON_TAG_GENERATOR;
    case TENON_TYPE_STORAGE:
      return value.tag == TENON_TAG_STORAGE;
    case TENON_TYPE_FUNCTION:
      return value.tag == TENON_TAG_FUNCTION;
    case TENON_TYPE_QUANTIZER:
    case TENON_TYPE_CAPSULE:
      return value.tag == TENON_TAG_OBJECT;
    case TENON_TYPE_CLASS:
      return is_instance(value, type);
    case TENON_TYPE_OPTIONAL:
      return value_matches(value, *type.elements[0]);
    case TENON_TYPE_LIST:
      // A list type with a dedicated tag matches by that tag, above, or not at all.
      return value.tag == TENON_TAG_LIST && (plan & kEveryTag) == 0 &&
             elements_match(value, *type.elements[0]);
    case TENON_TYPE_TUPLE:
      return tuple_matches(value, type);
    case TENON_TYPE_DICT:
      return dict_matches(value, type);
    case TENON_TYPE_UNION:
      for (const Type* element : type.elements) {
        if (value_matches(value, *element)) return true;
      }
      return false;
    default:
      return false;  // decided by the tag above; or Future, Await, RRef, which values cannot hold
  }
}

// Returns the type that element `i` of a list, tuple or dict of type `type` must have; NULL if
// `type` is the type of other values.
const Type* type_of_element(const Type& type, uint16_t tag, uint64_t i) {
  switch (type.kind) {
    case TENON_TYPE_ANY:
    case TENON_TYPE_VARIABLE:
      return &type;
    case TENON_TYPE_LIST:
      return tag == TENON_TAG_LIST ? type.elements[0] : nullptr;
    case TENON_TYPE_TUPLE:
      return tag == TENON_TAG_TUPLE ? type.elements[i] : nullptr;
    case TENON_TYPE_DICT:
      return tag == TENON_TAG_DICT ? type.elements[i % 2] : nullptr;
    default:
      return nullptr;
  }
}

std::string element_label(uint16_t tag, uint64_t i) {
  if (tag != TENON_TAG_DICT) return base::concat("element ", i);
  return base::concat(i % 2 == 0 ? "key " : "value ", i / 2);
}

std::string argument_label(const Argument& argument, size_t index, const char* what) {
  if (!argument.name.empty()) return std::string(argument.name.view());
  return base::concat(what, " ", index);
}

ErrorPtr count_error(const tenon_op& op, const char* what, size_t expected, bool at_least,
                     uint32_t actual, const Schema& schema) {
  return type_error(base::concat(op.name(), ": number of ", what, " must be ",
                                 at_least ? "at least " : "", expected, ", got ", actual,
                                 "; schema: ", schema.text()));
}

// Returns the argument that a return must be, by its annotation; -1 if none.
int64_t written_argument(const Schema& schema, size_t index) {
  const Argument& result = schema.returns()[index];
  if (!result.is_written()) return -1;
  return schema.aliased_argument(index);
}

}  // namespace

bool value_matches(const tenon_value& value, const Type& type) noexcept {
  return !lacks_handle(value) && (kind_matches(value, type) || overrides(value));
}

bool is_exact_float(int64_t number) noexcept {
  const auto converted = static_cast<double>(number);
  // 2^63 is a double but not an int64: converting it back would be undefined.
  return converted < 0x1p63 && static_cast<int64_t>(converted) == number;
}

const char* actual_type(const tenon_value& value) noexcept {
  if (lacks_handle(value)) return "NULL";
  if (value.tag == TENON_TAG_OBJECT) return value.as.object->type()->name;
  if (value.tag == TENON_TAG_NONE) return "None";
  return value::tag_name(value.tag);
}

std::string describe_actual(const tenon_value& value, const Type& type, int depth) {
  if (value.tag == TENON_TAG_STRING && !holds_texts(value)) return "bytes that are not UTF-8";
  const Type& wanted = *schema::unwrap_optional(&type);
  std::string actual = actual_type(value);
  if (value.tag == TENON_TAG_INT && !is_exact_float(value.as.i)) {
    return base::concat(actual, ' ', value.as.i);
  }
  if (value.tag == TENON_TAG_TENSOR_LIST && wanted.kind == TENON_TYPE_LIST &&
      wanted.elements[0]->kind == TENON_TYPE_TENSOR) {
    return base::concat(actual, " (element ", first_absent(value), " is absent)");
  }
  if (!value::is_value_list(value.tag) || depth == value::kMaxNesting) return actual;
  if (value.tag == TENON_TAG_TUPLE && wanted.kind == TENON_TYPE_TUPLE &&
      value.count != wanted.elements.size()) {
    return base::concat(actual, " of ", value.count);
  }
  for (uint64_t i = 0; i < value::element_count(value); ++i) {
    const tenon_value& element = elements(value)[i];
    const Type* element_type = type_of_element(wanted, value.tag, i);
    if (element_type == nullptr || value_matches(element, *element_type)) continue;
    return base::concat(actual, " (", element_label(value.tag, i), " is ",
                        describe_actual(element, *element_type, depth + 1), ')');
  }
  return actual;
}

std::string mismatch_message(const Schema& schema, const Argument& argument,
                             const tenon_value& actual, std::optional<size_t> position) {
  const std::string place = position ? base::concat(" at position ", *position) : std::string();
  return base::concat(schema.name().full(), ": ",
                      argument_label(argument, position.value_or(0), "argument"), " must be ",
                      schema::print_type(argument), ", got ",
                      describe_actual(actual, *argument.type), place, "; schema: ", schema.text());
}

ErrorPtr compare_arguments(const tenon_op& op, const Schema* schema, const tenon_value* args,
                           uint32_t nargs) {
  if (schema == nullptr) {
    return ErrorPtr::adopt(
        ErrorObject::make(TENON_ERROR_NOT_FOUND, {},
                          base::concat(op.name(), ": operator must be defined, got none")));
  }
  const auto& arguments = schema->arguments();
  const bool good_count =
      schema->is_vararg() ? nargs >= arguments.size() : nargs == arguments.size();
  if (!good_count) {
    return count_error(op, "arguments", arguments.size(), schema->is_vararg(), nargs, *schema);
  }
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (value_matches(args[i], *arguments[i].type)) continue;
    return type_error(mismatch_message(*schema, arguments[i], args[i], i));
  }
  for (uint32_t i = static_cast<uint32_t>(arguments.size()); i < nargs; ++i) {
    if (holds_texts(args[i])) continue;
    return type_error(base::concat(op.name(), ": argument ", i, " must be Any, got ",
                                   describe_actual(args[i], *schema::simple_type(TENON_TYPE_ANY)),
                                   "; schema: ", schema->text()));
  }
  return {};
}

ErrorPtr compare_results(const tenon_op& op, const Schema& schema, const tenon_value* args,
                         uint32_t nargs, tenon_value* rets, uint32_t nrets) {
  const auto& returns = schema.returns();
  const bool good_count = schema.is_varret() ? nrets >= returns.size() : nrets == returns.size();
  if (!good_count) {
    return count_error(op, "results", returns.size(), schema.is_varret(), nrets, schema);
  }
  for (size_t i = 0; i < returns.size(); ++i) {
    tenon_value& ret = rets[i];
    const int64_t source = args != nullptr ? written_argument(schema, i) : -1;
    if (source >= 0 && source < nargs && args[source].tag == TENON_TAG_TENSOR) {
      if (ret.tag == TENON_TAG_NONE) {
        ret = args[source];
        ret.flags = TENON_VALUE_OWNED;
        ret.as.tensor->retain();
      } else if (ret.tag == TENON_TAG_TENSOR && ret.as.tensor != args[source].as.tensor) {
        return type_error(base::concat(
            op.name(), ": ", argument_label(returns[i], i, "result"), " must be argument ",
            schema.arguments()[static_cast<size_t>(source)].name.view(), ", got another tensor"));
      }
    }
    const Type& type = *returns[i].type;
    if (is_null_tensor(ret) && type.kind == TENON_TYPE_OPTIONAL) {
      if (args != nullptr) ret = tenon_value{};  // callers see only one kind of absence
      continue;
    }
    if (!value_matches(ret, type)) {
      return type_error(base::concat(op.name(), ": ", argument_label(returns[i], i, "result"),
                                     " must be ", schema::print_type(returns[i]), ", got ",
                                     describe_actual(ret, type), "; schema: ", schema.text()));
    }
    if (ret.tag == TENON_TAG_TENSOR && (ret.flags & TENON_VALUE_OWNED) == 0) {
      ret = tenon_value{};
      return type_error(base::concat(op.name(), ": ", argument_label(returns[i], i, "result"),
                                     " must be owned, got a tensor without TENON_VALUE_OWNED"));
    }
  }
  return {};
}

ErrorPtr null_result_error(const tenon_op& op, const Schema& schema, size_t index) {
  const Argument& result = schema.returns()[index];
  return type_error(base::concat(op.name(), ": ", argument_label(result, index, "result"),
                                 " must be ", schema::print_type(result),
                                 ", got NULL; schema: ", schema.text()));
}

uint64_t result_word(const Schema& schema) noexcept {
  const auto& returns = schema.returns();
  const uint64_t high = uint64_t{returns.size()} << 32;
  if (schema.is_varret()) return high | kCheckResults;
  if (returns.empty()) return high | kNoResults;
  if (returns.size() != 1) return high | kCheckResults;
  if (returns[0].is_written()) {
    const int64_t source = written_argument(schema, 0);
    const bool plain =
        source >= 0 && source <= 0xffff && returns[0].type->kind == TENON_TYPE_TENSOR &&
        schema.arguments()[static_cast<size_t>(source)].type->kind == TENON_TYPE_TENSOR;
    return high | (plain ? kWrittenResult | static_cast<uint64_t>(source) << 16 : kCheckResults);
  }
  switch (returns[0].type->kind) {
    case TENON_TYPE_TENSOR:
      return high | TENON_TAG_TENSOR | uint64_t{TENON_VALUE_OWNED} << 16;
    case TENON_TYPE_INT:
      return high | TENON_TAG_INT;
    case TENON_TYPE_FLOAT:
      return high | TENON_TAG_FLOAT;
    case TENON_TYPE_BOOL:
      return high | TENON_TAG_BOOL;
    default:
      return high | kCheckResults;
  }
}

}  // namespace tenon::dispatch
