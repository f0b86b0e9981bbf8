// SPDX-License-Identifier: Apache-2.0
#include "dispatch/carry_results.h"

#include <vector>

#include "base/concat.h"
#include "dispatch/argument_check.h"
#include "dispatch/dispatch_key.h"
#include "value/carrier.h"
#include "value/value.h"

namespace tenon::dispatch {

namespace {

using base::ErrorObject;
using base::ErrorPtr;
using schema::Type;
using tensor::TensorPtr;

bool is_tensor(const Type& type) {
  if (type.kind == TENON_TYPE_OPTIONAL) return is_tensor(*type.elements[0]);
  return type.kind == TENON_TYPE_TENSOR;
}

bool is_tensor_list(const Type& type) {
  if (type.kind == TENON_TYPE_OPTIONAL) return is_tensor_list(*type.elements[0]);
  return type.kind == TENON_TYPE_LIST && is_tensor(*type.elements[0]);
}

bool is_handle(const tenon_value& value) {
  return value.tag == TENON_TAG_TENSOR || value.tag == TENON_TAG_STORAGE ||
         value.tag == TENON_TAG_GENERATOR || value.tag == TENON_TAG_OBJECT ||
         value.tag == TENON_TAG_FUNCTION;
}

// Moves the value of a result into a carrier, which takes its place.
void carry(tenon_value* ret) {
  const bool owned = (ret->flags & TENON_VALUE_OWNED) != 0;
  const tenon_value taken = owned ? *ret : value::copy(*ret);
  *ret = tenon_value{};
  ret->as.tensor = value::new_carrier_of(taken).detach();
  ret->tag = TENON_TAG_TENSOR;
  ret->flags = TENON_VALUE_OWNED;
}

// Turns a list or tuple into a Tensor[], with carriers for elements that are not tensors.
void carry_elements(tenon_value* ret) {
  const tenon_value* elements = value::elements(*ret);
  std::vector<TensorPtr> owners;
  std::vector<tenon_tensor*> tensors;
  for (uint32_t i = 0; i < ret->count; ++i) {
    if (elements[i].tag == TENON_TAG_NONE) {
      tensors.push_back(nullptr);
      continue;
    }
    owners.push_back(elements[i].tag == TENON_TAG_TENSOR ? TensorPtr::share(elements[i].as.tensor)
                                                         : value::new_carrier(elements[i]));
    tensors.push_back(owners.back().get());
  }
  tenon_value list =
      value::new_list(TENON_TAG_TENSOR_LIST, tensors.data(), static_cast<int64_t>(tensors.size()));
  value::clear(ret);
  *ret = list;
}

// Returns the argument that a return must be, by its annotation; NULL if none.
const tenon_value* written_argument(const schema::Schema& schema, size_t index,
                                    const tenon_stack& stack) {
  if (!schema.returns()[index].is_written()) return nullptr;
  const int64_t source = schema.aliased_argument(index);
  return source >= 0 && source < stack.nargs ? &stack.args[source] : nullptr;
}

// Makes an in-place operator on an object return its argument, also if a handler returned the
// object itself or nothing. Returns false for any other result.
bool return_argument(const tenon_value& argument, tenon_value* ret) {
  const value::Object* object = value::object_in(argument);
  if (ret->tag != TENON_TAG_NONE && (object == nullptr || value::object_in(*ret) != object)) {
    return false;
  }
  const tenon_value kept = value::copy(argument);
  value::clear(ret);
  *ret = kept;
  return true;
}

}  // namespace

bool may_return_anything(const Kernel& kernel) noexcept {
  return !is_alias(kernel.key) && kernel.key != TENON_KEY_UNDEFINED &&
         functionality_of(kernel.key) >= TENON_FUNCTIONALITY_OVERRIDE;
}

ErrorPtr carry_results(const tenon_op& op, const schema::Schema& schema, tenon_stack* stack) {
  for (uint32_t i = 0; i < stack->nrets; ++i) {
    tenon_value& ret = stack->rets[i];
    if (is_handle(ret) && (ret.flags & TENON_VALUE_OWNED) == 0) {
      const char* name = value::tag_name(ret.tag);
      ret = tenon_value{};
      return ErrorPtr::adopt(
          ErrorObject::make(TENON_ERROR_TYPE, {},
                            base::concat(op.name(), ": result ", i, " must be owned, got a ", name,
                                         " without TENON_VALUE_OWNED")));
    }
    if (i >= schema.returns().size()) continue;
    if (is_null_tensor(ret)) {
      if (schema.returns()[i].type->kind != TENON_TYPE_OPTIONAL) {
        return null_result_error(op, schema, i);
      }
      ret = tenon_value{};
    }
    const tenon_value* argument = written_argument(schema, i, *stack);
    if (argument != nullptr && return_argument(*argument, &ret)) {
      if (ret.tag == TENON_TAG_TENSOR) continue;
    }
    const Type& type = *schema.returns()[i].type;
    if (ret.tag == TENON_TAG_NONE && type.kind == TENON_TYPE_OPTIONAL) continue;
    if (is_tensor(type)) {
      if (ret.tag != TENON_TAG_TENSOR) carry(&ret);
    } else if (is_tensor_list(type)) {
      if (ret.tag == TENON_TAG_LIST || ret.tag == TENON_TAG_TUPLE) carry_elements(&ret);
    }
  }
  return {};
}

}  // namespace tenon::dispatch
