// SPDX-License-Identifier: Apache-2.0
// Schema types: one shared, immutable object per distinct type, so that equal types are one
// address.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/interned_string.h"
#include "tenon/schema.h"

/// A schema type. Lives for ever; made by the functions below.
struct tenon_type {
  uint32_t kind;                            // TENON_TYPE_*
  tenon::base::InternedString text;         // as printed, such as "int[]?"
  std::vector<const tenon_type*> elements;  // of a compound type
  // T? and T[] once they were asked for: these two, asked for most, then take no lock.
  mutable std::atomic<const tenon_type*> optional{nullptr};
  mutable std::atomic<const tenon_type*> list{nullptr};
};

namespace tenon::schema {

using Type = ::tenon_type;

/// A simple type, TENON_TYPE_TENSOR to TENON_TYPE_CAPSULE or TENON_TYPE_FUNCTION.
const Type* simple_type(uint32_t kind);
/// The simple type that schemas call `name` ("Tensor", "ScalarType"), NULL when there is none.
const Type* find_simple_type(std::string_view name);
/// A class by its full name, such as "__torch__.torch.classes.rnn.CellParamsBase".
const Type* class_type(std::string_view name);
/// A type variable such as `t`.
const Type* variable_type(std::string_view name);
/// T?; an optional of an optional is the optional itself.
const Type* optional_type(const Type* element);
const Type* list_type(const Type* element);
const Type* tuple_type(std::span<const Type* const> elements);
const Type* dict_type(const Type* key, const Type* value);
/// A union; of one type it is that type, of two with None it is an optional.
const Type* union_type(std::span<const Type* const> elements);
/// Future(T), Await(T) or RRef(T).
const Type* wrapper_type(uint32_t kind, const Type* element);

/// The type without its `?`.
inline const Type* unwrap_optional(const Type* type) {
  return type->kind == TENON_TYPE_OPTIONAL ? type->elements[0] : type;
}

/// The type with ScalarType, Layout, MemoryFormat, DeviceIndex and SymInt replaced by int, SymFloat
/// by float and SymBool by bool, at every depth: what kernels and old callers cannot tell apart.
const Type* lowered_type(const Type* type);

/// Tells whether each value of `type` is one of `super`: int of Scalar, T of T?, anything of Any.
bool is_subtype(const Type* type, const Type* super);

}  // namespace tenon::schema
