// SPDX-License-Identifier: Apache-2.0
// The way from C into gradient formulas of Java.
#include "runtime.h"

namespace tenon::java {

tenon_status call_java_backward(const tenon_backward_call* call) {
  tenon_stack stack{};
  JNIEnv* env = environment();
  if (env == nullptr) {
    refuse_call(&stack);
    return tenon_error_set(stack.error);
  }
  const Upcall upcall{nullptr, 0, &stack, call};
  const tenon_status status =
      call_bridge_handle(env, kBackward, static_cast<Ref*>(call->ctx)->id, &upcall);
  return status == TENON_OK ? status : tenon_error_set(stack.error);
}

}  // namespace tenon::java
