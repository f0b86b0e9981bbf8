// SPDX-License-Identifier: Apache-2.0
// Calls from C into Java kernels: one trampoline and one static method, with ids instead of
// objects. Callers must have no Java exception pending: an operator call may enter Java, and JNI
// forbids that with a pending exception.
#include "runtime.h"

#include <pthread.h>

namespace tenon::java {

std::atomic<EntryStub*> g_entry{nullptr};

namespace {

jclass g_bridge = nullptr;  // global references, never freed
jclass g_stack_overflow = nullptr;
jmethodID g_dispatch = nullptr;
jmethodID g_fail = nullptr;
jmethodID g_select = nullptr;
jmethodID g_link = nullptr;
jmethodID g_handle = nullptr;

// Number of calls through JNI until Java is asked for an entry stub; 0 or less: never.
std::atomic<int32_t> g_until_link{0};

// The part of the calling thread's stack in which the stub may be entered. No exception may leave
// the stub, so a stack overflow must not occur in its own frames. The size is 0 until JNI has
// entered Java once, which also attaches the thread.
struct StackRoom {
  uintptr_t low;
  uintptr_t size;
};
constexpr uintptr_t kReserve = 256 * 1024;
#if defined(__linux__) && defined(__GLIBC__)
[[gnu::tls_model("initial-exec")]]
#endif
thread_local StackRoom t_room{0, 0};

bool has_room() {
  const auto here = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
  return here - t_room.low < t_room.size;
}

void measure_stack() {
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return;
  void* low = nullptr;
  size_t size = 0;
  pthread_attr_getstack(&attributes, &low, &size);
  pthread_attr_destroy(&attributes);
  if (size > kReserve) t_room = {reinterpret_cast<uintptr_t>(low) + kReserve, size - kReserve};
}

// Asks Java for the stub when the count is reached. Two threads may ask at once; Java links only
// once.
void link_when_due(JNIEnv* env) {
  const int32_t left = g_until_link.load(std::memory_order_relaxed);
  if (left <= 0) return;
  g_until_link.store(left - 1, std::memory_order_relaxed);
  if (left > 1) return;
  env->CallStaticVoidMethodA(g_bridge, g_link, nullptr);
  // If there is not enough memory for linking, C keeps using JNI.
  if (env->ExceptionCheck()) env->ExceptionClear();
}

bool is_overflow(JNIEnv* env, jthrowable thrown) {
  return thrown != nullptr && env->IsInstanceOf(thrown, g_stack_overflow);
}

// Handles an exception of the bridge itself, mostly a stack overflow in its last frames. The stack
// has been unwound by now, so Java can try again to convert it to an error.
tenon_status fail_with_pending(JNIEnv* env, tenon_stack* stack) {
  jthrowable thrown = env->ExceptionOccurred();
  env->ExceptionClear();
  jvalue args[2];
  args[0].l = thrown;
  args[1].j = address(stack);
  const jint status = env->CallStaticIntMethodA(g_bridge, g_fail, args);
  jthrowable again = env->ExceptionOccurred();
  env->ExceptionClear();
  // An overflow may occur anywhere, for example in the initializer of a class, and then surfaces as
  // an exception of another type.
  const bool overflowed = is_overflow(env, thrown) || is_overflow(env, again);
  const bool failed = again != nullptr;
  env->DeleteLocalRef(thrown);
  env->DeleteLocalRef(again);
  if (!failed) return status;
  tenon_error_release(stack->error);
  if (overflowed) {
    // Even after unwinding there is no room for Java: the thread has a small C stack.
    stack->error = tenon_error_new(TENON_ERROR_RECURSION, "StackOverflowError",
                                   "Java kernel: the thread's stack must have room for Java, got "
                                   "too little left of it");
    return TENON_ERROR_RECURSION;
  }
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
  g_link = env->GetStaticMethodID(bridge, "link", "()V");
  if (g_link == nullptr) return false;
  g_handle = env->GetStaticMethodID(bridge, "handle", "(IIJ)I");
  if (g_handle == nullptr) return false;
  jclass overflow = env->FindClass("java/lang/StackOverflowError");
  if (overflow == nullptr) return false;
  g_stack_overflow = static_cast<jclass>(env->NewGlobalRef(overflow));
  env->DeleteLocalRef(overflow);
  g_bridge = static_cast<jclass>(env->NewGlobalRef(bridge));
  return g_bridge != nullptr && g_stack_overflow != nullptr;
}

bool open_bridge(JNIEnv* env) {
  // Initialising a class waits for a thread that is already doing so.
  jmethodID open = env->GetStaticMethodID(g_natives, "openBridge", "()V");
  if (open != nullptr) env->CallStaticVoidMethodA(g_natives, open, nullptr);
  // Java code that uses the bridge gets the initializer's exception again.
  if (env->ExceptionCheck()) env->ExceptionClear();
  return g_bridge != nullptr;
}

void count_upcalls(int32_t count) { g_until_link.store(count, std::memory_order_relaxed); }

tenon_status refuse_call(tenon_stack* stack) {
  stack->error = tenon_error_new(TENON_ERROR_STATE, nullptr,
                                 "Java kernel: the Java virtual machine must be running, got one "
                                 "that is shut down or refuses the thread");
  return TENON_ERROR_STATE;
}

tenon_status call_bridge_handle(JNIEnv* env, jint kind, int32_t id, const Upcall* upcall) {
  jvalue args[3];
  args[0].i = kind;
  args[1].i = id;
  args[2].j = address(upcall);
  const jint status = env->CallStaticIntMethodA(g_bridge, g_handle, args);
  return env->ExceptionCheck() ? fail_with_pending(env, upcall->stack) : status;
}

tenon_status call_java_kernel(void* ctx, const tenon_op* op, tenon_keyset keys,
                              tenon_stack* stack) {
  Upcall upcall{op, keys, stack};
  const int32_t id = static_cast<Ref*>(ctx)->id;
  EntryStub* entry = g_entry.load(std::memory_order_acquire);
  if (entry != nullptr && has_room() && !g_closed.load(std::memory_order_acquire)) {
    return entry(id, &upcall);
  }
  JNIEnv* env = environment();
  if (env == nullptr) return refuse_call(stack);
  if (entry != nullptr) {
    if (t_room.size == 0) measure_stack();
  } else {
    link_when_due(env);
  }
  jvalue args[2];
  args[0].i = id;
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
