// SPDX-License-Identifier: Apache-2.0
#include "value/object.h"

#include <cstddef>
#include <utility>

#include "base/check.h"
#include "base/live_count.h"
#include "base/read_struct.h"
#include "value/value.h"

namespace {

// The size that every version of the struct has.
constexpr size_t kTypeBytes = offsetof(tenon_object_type, reserved);
constexpr std::string_view kClassPrefix = "__torch__.torch.classes.";

}  // namespace

tenon_object* tenon_object::make(const tenon_object_type* type, void* self) {
  TENON_CHECK_ARG(type != nullptr, "tenon_object_new: type must be given, got NULL");
  tenon::base::check_struct("tenon_object_new", kTypeBytes, *type, kTypeBytes);
  TENON_CHECK_ARG(type->name != nullptr, "tenon_object_new: type must have a name, got NULL");
  auto* object = new tenon_object(type, self);
  tenon::base::count_live(TENON_HANDLE_OBJECT, 1);
  if (type->retain != nullptr) type->retain(self);
  return object;
}

void tenon_object::destroy(tenon_object* object) noexcept {
  TENON_DCHECK(object->type_->struct_size >= kTypeBytes);  // the type outlives its objects
  if (object->type_->release != nullptr) object->type_->release(object->self_);
  tenon::base::count_live(TENON_HANDLE_OBJECT, -1);
  delete object;
}

namespace tenon::value {

tenon_status call_object(Object& object, tenon_stack* stack) {
  TENON_CHECK_TYPE(is_callable(&object),
                   "tenon_object_call: object must be a function, got one of ",
                   object.type()->name);
  const base::ErrorObject* before = base::peek_current_error();
  const tenon_status status = object.type()->call(object.self(), stack);
  // If the function succeeded, an error that it left in the stack has been handled.
  auto error = base::ErrorPtr::adopt(std::exchange(stack->error, nullptr));
  if (status == TENON_OK) return status;
  if (!error) {
    const bool raised = base::peek_current_error() != before;
    error = base::adopt_current_error(object.type()->name, "function", status, raised);
  }
  for (uint32_t i = 0; i < stack->nrets; ++i) clear(&stack->rets[i]);
  return base::set_current_error(std::move(error));
}

bool is_a(const tenon_object_type* type, std::string_view class_name) noexcept {
  std::string_view short_name = class_name;
  if (short_name.substr(0, kClassPrefix.size()) == kClassPrefix) {
    short_name.remove_prefix(kClassPrefix.size());
  }
  for (; type != nullptr; type = type->base) {
    if (type->name != nullptr && (class_name == type->name || short_name == type->name))
      return true;
  }
  return false;
}

}  // namespace tenon::value
