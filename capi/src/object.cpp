// SPDX-License-Identifier: Apache-2.0
// Objects; see tenon/object.h.
#include "value/object.h"

#include "guard.h"
#include "not_null.h"
#include "stack.h"
#include "tenon/object.h"
#include "value/carrier.h"

extern "C" {

tenon_status tenon_object_new(const tenon_object_type* type, void* self,
                              tenon_object** out_object) {
  TENON_REQUIRE(out_object);
  *out_object = nullptr;
  return tenon::capi::guarded([&] { *out_object = tenon_object::make(type, self); });
}

tenon_object* tenon_object_retain(tenon_object* object) {
  if (object != nullptr) object->retain();
  return object;
}

void tenon_object_release(tenon_object* object) {
  if (object != nullptr) object->release();
}

const tenon_object_type* tenon_object_get_type(const tenon_object* object) {
  TENON_NEVER_NULL(object);
  return object->type();
}

void* tenon_object_self(const tenon_object* object) {
  TENON_NEVER_NULL(object);
  return object->self();
}

tenon_object* tenon_object_of_value(const tenon_value* content) {
  return tenon::value::object_in(*content);
}

tenon_status tenon_object_call(tenon_object* object, tenon_stack* stack) {
  TENON_REQUIRE(object);
  TENON_REQUIRE(stack);
  tenon::capi::assert_stack(stack);
  return tenon::capi::guarded([&] { return tenon::value::call_object(*object, stack); });
}

}  // extern "C"
