// SPDX-License-Identifier: Apache-2.0
// Schema types. Types are interned: equal types are one immutable object with one address.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/interned_string.h"
#include "tenon/schema.h"

/// A schema type. Never freed; made by the functions below.
struct tenon_type {
  uint32_t kind;                            // TENON_TYPE_*
  tenon::base::InternedString text;         // as printed, such as "int[]?"
  std::vector<const tenon_type*> elements;  // element types of a compound type
  // Caches T? and T[], the most frequent compound types, so that later lookups take no lock.
  mutable std::atomic<const tenon_type*> optional{nullptr};
  mutable std::atomic<const tenon_type*> list{nullptr};
};

namespace tenon::schema {

using Type = ::tenon_type;

/// Returns a simple type, TENON_TYPE_TENSOR to TENON_TYPE_CAPSULE or TENON_TYPE_FUNCTION.
const Type* simple_type(uint32_t kind);
/// Returns the simple type that schemas call `name` ("Tensor", "ScalarType"), or NULL.
const Type* find_simple_type(std::string_view name);
/// Returns a class by its full name, such as "__torch__.torch.classes.rnn.CellParamsBase".
const Type* class_type(std::string_view name);
/// Returns a type variable such as `t`.
const Type* variable_type(std::string_view name);
/// Returns T?; the optional of an optional is the optional itself.
const Type* optional_type(const Type* element);
const Type* list_type(const Type* element);
const Type* tuple_type(std::span<const Type* const> elements);
const Type* dict_type(const Type* key, const Type* value);
/// Returns a union; the union of one type is that type, and of a type with None its optional.
const Type* union_type(std::span<const Type* const> elements);
/// Returns Future(T), Await(T) or RRef(T).
const Type* wrapper_type(uint32_t kind, const Type* element);

/// Returns the type without its `?`.
inline const Type* unwrap_optional(const Type* type) {
  return type->kind == TENON_TYPE_OPTIONAL ? type->elements[0] : type;
}

/// Returns the type with ScalarType, Layout, MemoryFormat, DeviceIndex and SymInt replaced by int,
/// SymFloat by float and SymBool by bool, at every depth. Kernels and old callers cannot
/// distinguish these types.
const Type* lowered_type(const Type* type);

/// Returns true if every value of `type` is a value of `super`: an int is a Scalar, a T is a T?,
/// and everything is an Any.
bool is_subtype(const Type* type, const Type* super);

}  // namespace tenon::schema
