// SPDX-License-Identifier: Apache-2.0
// Calls from C into gradient formulas, hooks and functions written in Java.
#include <utility>

#include "runtime.h"

namespace tenon::java {

namespace {

// Calls Java with the arguments of a callback. An error moves from the stack to the thread's slot.
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

// Several arguments are passed as one subject: an array of their addresses.
tenon_status call_java_setup(void* ctx, tenon_function_context* context, const tenon_stack* call) {
  const void* const subject[] = {context, call};
  return enter(kSetup, ctx, subject);
}

tenon_status call_java_jvp(void* ctx, tenon_function_context* context, const tenon_value* tangents,
                           tenon_value* out_tangents) {
  const void* const subject[] = {context, tangents, out_tangents};
  return enter(kJvp, ctx, subject);
}

tenon_status call_java_pack(void* ctx, tenon_tensor* tensor, tenon_value* out_packed) {
  const void* const subject[] = {tensor, out_packed};
  return enter(kPack, ctx, subject);
}

tenon_status call_java_unpack(void* ctx, const tenon_value* packed, tenon_tensor** out_tensor) {
  const void* const subject[] = {packed, out_tensor};
  return enter(kUnpack, ctx, subject);
}

tenon_status call_java_created(void* ctx, tenon_node* node) { return enter(kCreated, ctx, node); }

}  // namespace tenon::java
