// SPDX-License-Identifier: Apache-2.0
// The way from C into Java kernels: one trampoline, one static method, ids instead of objects.
// Callers have no Java exception pending: an operator call may enter Java, for which JNI asks that.
#include "runtime.h"

namespace tenon::java {

namespace {

jclass g_bridge = nullptr;  // a global reference, kept for ever
jmethodID g_dispatch = nullptr;
jmethodID g_fail = nullptr;
jmethodID g_select = nullptr;

tenon_status refuse(tenon_stack* stack) {
  stack->error = tenon_error_new(TENON_ERROR_STATE, nullptr,
                                 "Java kernel: the Java virtual machine must be running, got one "
                                 "that is shut down or refuses the thread");
  return TENON_ERROR_STATE;
}

// What is thrown by the bridge itself, mostly a stack overflow in its last frames: the stack has
// unwound by now, so Java gets a second chance to turn it into an error.
tenon_status fail_with_pending(JNIEnv* env, tenon_stack* stack) {
  jthrowable thrown = env->ExceptionOccurred();
  env->ExceptionClear();
  jvalue args[2];
  args[0].l = thrown;
  args[1].j = address(stack);
  const jint status = env->CallStaticIntMethodA(g_bridge, g_fail, args);
  env->DeleteLocalRef(thrown);
  if (!env->ExceptionCheck()) return status;
  env->ExceptionClear();
  tenon_error_release(stack->error);
  stack->error = tenon_error_new(TENON_ERROR_FOREIGN, "Throwable",
                                 "Java kernel: threw, and threw again while the error was read");
  return TENON_ERROR_FOREIGN;
}

}  // namespace

bool bind_bridge(JNIEnv* env, jclass bridge) {
  g_dispatch = env->GetStaticMethodID(bridge, "dispatch", "(IJ)I");
  if (g_dispatch == nullptr) return false;
  g_fail = env->GetStaticMethodID(bridge, "fail", "(Ljava/lang/Throwable;J)I");
  if (g_fail == nullptr) return false;
  g_select = env->GetStaticMethodID(bridge, "select", "(IJ)I");
  if (g_select == nullptr) return false;
  g_bridge = static_cast<jclass>(env->NewGlobalRef(bridge));
  return g_bridge != nullptr;
}

tenon_status call_java_kernel(void* ctx, const tenon_op* op, tenon_keyset keys,
                              tenon_stack* stack) {
  JNIEnv* env = environment();
  if (env == nullptr) return refuse(stack);
  Upcall upcall{op, keys, stack};
  jvalue args[2];
  args[0].i = static_cast<Ref*>(ctx)->id;
  args[1].j = address(&upcall);
  const jint status = env->CallStaticIntMethodA(g_bridge, g_dispatch, args);
  return env->ExceptionCheck() ? fail_with_pending(env, stack) : status;
}

int32_t call_java_select(void* ctx, const tenon_schema* schema) {
  JNIEnv* env = environment();
  if (env == nullptr) return TENON_SELECT_FALLTHROUGH;
  jvalue args[2];
  args[0].i = static_cast<Ref*>(ctx)->id;
  args[1].j = address(schema);
  const jint choice = env->CallStaticIntMethodA(g_bridge, g_select, args);
  if (!env->ExceptionCheck()) return choice;
  env->ExceptionClear();
  return TENON_SELECT_KERNEL;
}

}  // namespace tenon::java
