// SPDX-License-Identifier: Apache-2.0
// Queries about aliasing between the arguments and returns of a schema.
#include "schema/alias.h"

#include <algorithm>
#include <vector>

#include "base/check.h"

namespace tenon::schema {
namespace {

using Types = std::vector<const Type*>;

const Argument& at(const Schema& schema, SchemaPosition place) {
  const auto& list =
      place.side == SchemaPosition::kArgument ? schema.arguments() : schema.returns();
  TENON_CHECK_INDEX(place.index >= 0 && place.index < static_cast<int64_t>(list.size()),
                    schema.name().full(), ": index of ",
                    place.side == SchemaPosition::kArgument ? "an argument" : "a return",
                    " must be in [0, ", list.size(), "), got ", place.index);
  return list[static_cast<size_t>(place.index)];
}

// Returns the types through which a value of `type` may alias others; empty for plain values.
Types aliasing_types(const Type* type) {
  switch (type->kind) {
    case TENON_TYPE_TENSOR:
    case TENON_TYPE_LIST:
    case TENON_TYPE_DICT:
    case TENON_TYPE_CLASS:
    case TENON_TYPE_ANY:
      return {type};
    case TENON_TYPE_OPTIONAL:
      return aliasing_types(type->elements[0]);
    case TENON_TYPE_UNION:
    case TENON_TYPE_TUPLE: {
      Types types;
      for (const Type* element : type->elements) {
        const Types inner = aliasing_types(element);
        types.insert(types.end(), inner.begin(), inner.end());
      }
      if (type->kind == TENON_TYPE_UNION || types.empty()) return types;
      return {tuple_type(types)};  // a tuple has no identity: only its elements alias
    }
    default:
      return {};
  }
}

void add_contained(const Type* type, Types& types) {
  for (const Type* element : type->elements) {
    if (std::find(types.begin(), types.end(), element) != types.end()) continue;
    types.push_back(element);
    add_contained(element, types);
  }
}

Types contained_types(const Types& types) {
  Types contained;
  for (const Type* type : types) add_contained(type, contained);
  return contained;
}

bool meet(const Types& a, const Types& b) {
  return std::any_of(a.begin(), a.end(), [&b](const Type* type) {
    return std::find(b.begin(), b.end(), type) != b.end();
  });
}

bool share_set_after(const Argument& a, const Argument& b) {
  if (a.alias == nullptr || b.alias == nullptr) return false;
  const auto& other = b.alias->after;
  return std::any_of(a.alias->after.begin(), a.alias->after.end(), [&other](InternedString set) {
    return std::find(other.begin(), other.end(), set) != other.end();
  });
}

bool becomes_wildcard(const Argument& argument) {
  return argument.alias != nullptr && argument.alias->is_wildcard_after();
}

}  // namespace

bool is_aliasing(const Schema& schema, SchemaPosition place) {
  return at(schema, place).alias != nullptr;
}

bool is_mutable(const Schema& schema, SchemaPosition place) {
  return at(schema, place).is_written();
}

bool is_mutable(const Schema& schema, std::string_view argument) {
  const int64_t index = schema.find_argument(argument);
  TENON_CHECK(index >= 0, TENON_ERROR_NOT_FOUND, schema.name().full(),
              ": argument name must be one of the schema's, got '", argument, "'");
  return is_mutable(schema, {SchemaPosition::kArgument, index});
}

bool may_alias(const Schema& schema, SchemaPosition a, SchemaPosition b) {
  const Argument& left = at(schema, a);
  const Argument& right = at(schema, b);
  return share_set_after(left, right) &&
         meet(aliasing_types(left.type), aliasing_types(right.type));
}

bool may_contain_alias(const Schema& schema, SchemaPosition a, SchemaPosition b,
                       bool bidirectional) {
  if (may_alias(schema, a, b)) return true;
  const Argument& left = at(schema, a);
  const Argument& right = at(schema, b);
  const Types left_types = aliasing_types(left.type);
  const Types right_types = aliasing_types(right.type);
  const Types left_contained = contained_types(left_types);
  const Types right_contained = contained_types(right_types);
  // A value in the wildcard set may have become an element of any container whose type can hold it.
  if (becomes_wildcard(right) && meet(right_types, left_contained)) return true;
  if (bidirectional && becomes_wildcard(left) && meet(left_types, right_contained)) return true;
  return meet(left_contained, right_contained);
}

}  // namespace tenon::schema
