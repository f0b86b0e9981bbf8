// SPDX-License-Identifier: Apache-2.0
// Calls from C into handlers of Java objects: overrides, wrapper tensors, modes and functions.
#include "runtime.h"

namespace tenon::java {

namespace {

tenon_status handle(uint32_t kind, void* self, const tenon_op* op, tenon_keyset keys,
                    tenon_stack* stack) {
  JNIEnv* env = environment();
  if (env == nullptr) return refuse_call(stack);
  Upcall upcall{op, keys, stack};
  return call_bridge_handle(env, static_cast<jint>(kind), static_cast<Ref*>(self)->id, &upcall);
}

}  // namespace

tenon_status call_java_override(void* self, const tenon_op* op, tenon_keyset keys,
                                tenon_stack* stack) {
  return handle(TENON_MODE_OVERRIDE, self, op, keys, stack);
}

tenon_status call_java_dispatch(void* self, const tenon_op* op, tenon_keyset keys,
                                tenon_stack* stack) {
  return handle(TENON_MODE_WRAPPER, self, op, keys, stack);
}

tenon_status call_java_function(void* self, tenon_stack* stack) {
  return handle(kFunctionCall, self, nullptr, 0, stack);
}

}  // namespace tenon::java
