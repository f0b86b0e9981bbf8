// SPDX-License-Identifier: Apache-2.0
// The way from C into gradient formulas, hooks and functions of Java.
#include <utility>

#include "runtime.h"

namespace tenon::java {

namespace {

// Enters Java with what a callback is given; an error goes from the stack to the thread's slot.
tenon_status enter(jint kind, void* ctx, const void* subject, tenon_stack* stack) {
  JNIEnv* env = environment();
  const Upcall upcall{nullptr, 0, stack, subject};
  const tenon_status status =
      env == nullptr ? refuse_call(stack)
                     : call_bridge_handle(env, kind, static_cast<Ref*>(ctx)->id, &upcall);
  if (status == TENON_OK) return status;
  return tenon_error_set(std::exchange(stack->error, nullptr));
}

tenon_status enter(jint kind, void* ctx, const void* subject) {
  tenon_stack stack{};
  return enter(kind, ctx, subject, &stack);
}

}  // namespace

tenon_status call_java_backward(const tenon_backward_call* call) {
  return enter(kBackward, call->ctx, call);
}

tenon_status call_java_hook(tenon_hook_call* call) { return enter(kHook, call->ctx, call); }

tenon_status call_java_done(void* ctx) { return enter(kDone, ctx, nullptr); }

tenon_status call_java_forward(void* ctx, tenon_function_context* context, tenon_stack* stack) {
  return enter(kForward, ctx, context, stack);
}

tenon_status call_java_function_backward(const tenon_backward_call* call) {
  return enter(kFunctionBackward, call->ctx, call);
}

}  // namespace tenon::java
