// SPDX-License-Identifier: Apache-2.0
// Schema types. Types are interned: equal types are one immutable object with one address.
#include "schema/type.h"

#include <algorithm>
#include <mutex>
#include <string>
#include <unordered_map>

#include "base/check.h"
#include "base/concat.h"
#include "base/fork.h"

namespace tenon::schema {
namespace {

using base::InternedString;

struct SimpleName {
  const char* name;
  uint32_t kind;
};

// The first name of a kind is the one that is printed.
constexpr SimpleName kSimpleNames[] = {
    {"Tensor", TENON_TYPE_TENSOR},
    {"int", TENON_TYPE_INT},
    {"float", TENON_TYPE_FLOAT},
    {"bool", TENON_TYPE_BOOL},
    {"complex", TENON_TYPE_COMPLEX},
    {"Scalar", TENON_TYPE_SCALAR},
    {"str", TENON_TYPE_STRING},
    {"ScalarType", TENON_TYPE_DTYPE},
    {"Layout", TENON_TYPE_LAYOUT},
    {"MemoryFormat", TENON_TYPE_MEMORY_FORMAT},
    {"Device", TENON_TYPE_DEVICE},
    {"DeviceIndex", TENON_TYPE_DEVICE_INDEX},
    {"Stream", TENON_TYPE_STREAM},
    {"Generator", TENON_TYPE_GENERATOR},
    {"Storage", TENON_TYPE_STORAGE},
    {"SymInt", TENON_TYPE_SYMINT},
    {"SymFloat", TENON_TYPE_SYMFLOAT},
    {"SymBool", TENON_TYPE_SYMBOOL},
    {"NoneType", TENON_TYPE_NONE},
    {"Any", TENON_TYPE_ANY},
    {"QScheme", TENON_TYPE_QSCHEME},
    {"Quantizer", TENON_TYPE_QUANTIZER},
    {"Capsule", TENON_TYPE_CAPSULE},
    {"Function", TENON_TYPE_FUNCTION},
    {"None", TENON_TYPE_NONE},
    {"Dimname", TENON_TYPE_STRING},
    {"ConstQuantizerPtr", TENON_TYPE_INT},
};
constexpr uint32_t kSimpleKinds = TENON_TYPE_FUNCTION + 1;

struct Table {
  std::mutex mutex;
  std::unordered_map<std::string, const Type*> compounds;  // by kind and text
  const Type* simple[kSimpleKinds] = {};
  std::unordered_map<std::string_view, const Type*> names;

  Table() {
    base::hold_across_fork(mutex, base::ForkOrder::kTypes);
    for (const SimpleName& entry : kSimpleNames) {
      const Type*& type = simple[entry.kind];
      if (type == nullptr) type = new Type{entry.kind, InternedString(entry.name), {}};
      names.emplace(entry.name, type);
    }
  }
};

Table& table() { return base::singleton<Table, base::ForkOrder::kTypes>(); }

const Type* compound(uint32_t kind, std::string text, std::vector<const Type*> elements) {
  Table& types = table();
  // The key includes the kind, because a class may have the name of a type variable.
  std::string key = base::concat(kind, ' ', text);
  std::lock_guard lock(types.mutex);
  auto [found, added] = types.compounds.try_emplace(std::move(key), nullptr);
  TENON_DCHECK(added || found->second->elements == elements);  // equal texts are equal types
  if (added) {
    try {
      found->second = new Type{kind, InternedString(text), std::move(elements)};
    } catch (...) {
      types.compounds.erase(found);
      throw;
    }
  }
  return found->second;
}

std::string list_text(std::string_view before, std::span<const Type* const> types) {
  std::string text(before);
  text += '(';
  for (size_t i = 0; i < types.size(); ++i) {
    if (i > 0) text += ", ";
    text += types[i]->text.view();
  }
  text += ')';
  return text;
}

}  // namespace

const Type* simple_type(uint32_t kind) {
  const Type* type = kind < kSimpleKinds ? table().simple[kind] : nullptr;
  if (type == nullptr) fail(TENON_ERROR_INTERNAL, "no simple schema type has number ", kind);
  return type;
}

const Type* find_simple_type(std::string_view name) {
  const auto& names = table().names;
  const auto found = names.find(name);
  return found == names.end() ? nullptr : found->second;
}

const Type* class_type(std::string_view name) {
  return compound(TENON_TYPE_CLASS, std::string(name), {});
}

const Type* variable_type(std::string_view name) {
  return compound(TENON_TYPE_VARIABLE, std::string(name), {});
}

const Type* optional_type(const Type* element) {
  if (element->kind == TENON_TYPE_OPTIONAL) return element;
  if (const Type* known = element->optional.load(std::memory_order_acquire)) return known;
  const Type* made =
      compound(TENON_TYPE_OPTIONAL, base::concat(element->text.view(), '?'), {element});
  element->optional.store(made, std::memory_order_release);
  return made;
}

const Type* list_type(const Type* element) {
  if (const Type* known = element->list.load(std::memory_order_acquire)) return known;
  const Type* made = compound(TENON_TYPE_LIST, base::concat(element->text.view(), "[]"), {element});
  element->list.store(made, std::memory_order_release);
  return made;
}

const Type* tuple_type(std::span<const Type* const> elements) {
  return compound(TENON_TYPE_TUPLE, list_text("", elements), {elements.begin(), elements.end()});
}

const Type* dict_type(const Type* key, const Type* value) {
  return compound(TENON_TYPE_DICT,
                  base::concat("Dict(", key->text.view(), ", ", value->text.view(), ')'),
                  {key, value});
}

const Type* union_type(std::span<const Type* const> elements) {
  std::vector<const Type*> distinct;
  for (const Type* type : elements) {
    if (std::find(distinct.begin(), distinct.end(), type) == distinct.end()) {
      distinct.push_back(type);
    }
  }
  if (distinct.size() == 1) return distinct[0];
  const Type* none = simple_type(TENON_TYPE_NONE);
  if (distinct.size() == 2 && distinct[1] == none) return optional_type(distinct[0]);
  if (distinct.size() == 2 && distinct[0] == none) return optional_type(distinct[1]);
  TENON_DCHECK(!distinct.empty());
  std::string text = list_text("Union", distinct);
  return compound(TENON_TYPE_UNION, std::move(text), std::move(distinct));
}

const Type* wrapper_type(uint32_t kind, const Type* element) {
  TENON_DCHECK(kind == TENON_TYPE_FUTURE || kind == TENON_TYPE_AWAIT || kind == TENON_TYPE_RREF);
  const char* name = kind == TENON_TYPE_FUTURE  ? "Future("
                     : kind == TENON_TYPE_AWAIT ? "Await("
                                                : "RRef(";
  return compound(kind, base::concat(name, element->text.view(), ')'), {element});
}

const Type* lowered_type(const Type* type) {
  switch (type->kind) {
    case TENON_TYPE_DTYPE:
    case TENON_TYPE_LAYOUT:
    case TENON_TYPE_MEMORY_FORMAT:
    case TENON_TYPE_DEVICE_INDEX:
    case TENON_TYPE_SYMINT:
      return simple_type(TENON_TYPE_INT);
    case TENON_TYPE_SYMFLOAT:
      return simple_type(TENON_TYPE_FLOAT);
    case TENON_TYPE_SYMBOOL:
      return simple_type(TENON_TYPE_BOOL);
    default:
      break;
  }
  if (type->elements.empty()) return type;
  std::vector<const Type*> lowered;
  lowered.reserve(type->elements.size());
  for (const Type* element : type->elements) lowered.push_back(lowered_type(element));
  if (lowered == type->elements) return type;
  switch (type->kind) {
    case TENON_TYPE_OPTIONAL:
      return optional_type(lowered[0]);
    case TENON_TYPE_LIST:
      return list_type(lowered[0]);
    case TENON_TYPE_TUPLE:
      return tuple_type(lowered);
    case TENON_TYPE_DICT:
      return dict_type(lowered[0], lowered[1]);
    case TENON_TYPE_UNION:
      return union_type(lowered);
    default:
      return wrapper_type(type->kind, lowered[0]);
  }
}

bool is_subtype(const Type* type, const Type* super) {
  if (type == super || super->kind == TENON_TYPE_ANY) return true;
  const auto below_super = [super](const Type* element) { return is_subtype(element, super); };
  switch (type->kind) {  // the cases of `type` take precedence
    case TENON_TYPE_UNION:
      return std::all_of(type->elements.begin(), type->elements.end(), below_super);
    case TENON_TYPE_OPTIONAL:
      return is_subtype(simple_type(TENON_TYPE_NONE), super) && below_super(type->elements[0]);
    default:
      break;
  }
  switch (super->kind) {
    case TENON_TYPE_UNION:
      return std::any_of(super->elements.begin(), super->elements.end(),
                         [type](const Type* element) { return is_subtype(type, element); });
    case TENON_TYPE_OPTIONAL:
      return type->kind == TENON_TYPE_NONE || is_subtype(type, super->elements[0]);
    case TENON_TYPE_SCALAR:
      return type->kind == TENON_TYPE_INT || type->kind == TENON_TYPE_FLOAT ||
             type->kind == TENON_TYPE_COMPLEX;
    case TENON_TYPE_TUPLE:
    case TENON_TYPE_FUTURE:
    case TENON_TYPE_AWAIT:
    case TENON_TYPE_RREF:
      return type->kind == super->kind &&
             std::equal(type->elements.begin(), type->elements.end(), super->elements.begin(),
                        super->elements.end(), is_subtype);
    default:
      return false;  // lists and dicts are mutable, so they match only exactly
  }
}

}  // namespace tenon::schema
