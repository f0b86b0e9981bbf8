// SPDX-License-Identifier: Apache-2.0
// Shared by the hand-written natives: the virtual machine, references from C to Java objects, and
// the layout of a call.
#pragma once

#include <jni.h>

#include <atomic>
#include <cstdint>

#include "tenon/tenon.h"

namespace tenon::java {

/// A Java object that C refers to, as a number in a table kept by Java. C holds the node's address
/// as `ctx`, `self` or payload. The deleter only puts the node into a queue, and Java frees the
/// object later, so that a deleter needs no running virtual machine. Java reads `id` by address.
struct Ref {
  Ref* next;
  int32_t id;
  int32_t reserved;
};

/// Arguments of a call from C to Java, read by address.
struct Upcall {
  const tenon_op* op;
  tenon_keyset keys;
  tenon_stack* stack;             ///< holds the error, even if there are no arguments and results
  const void* subject = nullptr;  ///< argument of a handler that does not run for an operator
};

/// A call from Java, in memory of the calling thread; arguments and results follow.
struct CallBlock {
  tenon_stack stack;
  tenon_frame frame;
};

/// A call with some tensors and defaults for the other arguments, in Java's memory. `count` values
/// follow; those of the tensors are empty.
struct CallTemplate {
  const tenon_op* op;
  uint32_t count;
  uint32_t results;  ///< kReturnsTensor, kMayBeAbsent
  const tenon_value* values() const { return reinterpret_cast<const tenon_value*>(this + 1); }
};
constexpr uint32_t kMostTemplateValues = 16;

/// Low bits of an operator's address in the fixed calls.
constexpr uint32_t kReturnsTensor = 1;
constexpr uint32_t kMayBeAbsent = 2;  ///< `Tensor?`

/// The virtual machine, set once when the library is loaded.
extern JavaVM* g_vm;
/// The class of the natives; a global reference.
extern jclass g_natives;
/// Set by a shutdown hook: no foreign code enters Java afterwards.
extern std::atomic<bool> g_closed;
/// Number of nodes in the queue of dropped references.
extern std::atomic<int64_t> g_dropped;
/// Incremented whenever a definition is added or removed. Java validates its cached schemas with
/// it.
extern std::atomic<int64_t> g_definitions;

/// Returns the calling thread's environment. A foreign thread is attached as a daemon, and detached
/// when it ends. Returns NULL if the virtual machine is shutting down or refuses.
JNIEnv* environment();

/// Makes a reference node, or returns NULL if memory is short.
Ref* new_ref(int32_t id);
/// The deleter of all references, which only enqueues.
void drop_ref(void* ref);
/// Moves up to `capacity` ids of dropped references to `out_ids` and returns their number.
int32_t take_dropped(int32_t* out_ids, int32_t capacity);

/// Finds the methods through which kernels enter Java. Returns false with an exception pending.
bool bind_bridge(JNIEnv* env, jclass bridge);
/// Makes Java bind the bridge if it was not used yet. Returns false if that fails.
bool open_bridge(JNIEnv* env);
/// The boxed kernel of all Java lambdas; `ctx` is a Ref.
tenon_status call_java_kernel(void* ctx, const tenon_op* op, tenon_keyset keys, tenon_stack* stack);
/// The selector of all Java fallbacks; `ctx` is the kernel's Ref.
int32_t call_java_select(void* ctx, const tenon_schema* schema);

/// A function through which C enters Java kernels at a third of JNI's cost, made by the Foreign
/// Function API. NULL: C uses JNI. Never throws.
using EntryStub = int32_t(int32_t id, Upcall* upcall);
extern std::atomic<EntryStub*> g_entry;

/// Makes Java create that function after JNI has entered kernels `count` times; 0: never.
void count_upcalls(int32_t count);

/// The handlers of all Java objects that override operators or run them on wrapper tensors.
tenon_status call_java_override(void* self, const tenon_op* op, tenon_keyset keys,
                                tenon_stack* stack);
tenon_status call_java_dispatch(void* self, const tenon_op* op, tenon_keyset keys,
                                tenon_stack* stack);
/// Calls Java functions that were passed as values; `self` is a Ref.
tenon_status call_java_function(void* self, tenon_stack* stack);
/// An additional kind of Handlers.java, besides the kinds of modes.
constexpr uint32_t kFunctionCall = 2;
constexpr jint kWarning = 3;
constexpr jint kBackward = 4;
constexpr jint kHook = 5;
constexpr jint kDone = 6;
constexpr jint kForward = 7;
constexpr jint kFunctionBackward = 8;
constexpr jint kSetup = 9;
constexpr jint kJvp = 10;
constexpr jint kPack = 11;
constexpr jint kUnpack = 12;
constexpr jint kCreated = 13;
constexpr jint kVmapRule = 14;
constexpr jint kGraphPass = 15;
/// Used in place of an object's id: warnings go to the logger.
constexpr int32_t kLogger = -1;
/// The handler of all warnings; `ctx` is a Ref, or NULL for the logger.
tenon_status call_java_warning(void* ctx, const char* category, const char* message,
                               const char* op);
/// The gradient formula of all Java functions; `ctx` is a Ref.
tenon_status call_java_backward(const tenon_backward_call* call);
/// Callbacks of hooks, of tasks at the end of a pass, and of custom functions.
tenon_status call_java_hook(tenon_hook_call* call);
tenon_status call_java_done(void* ctx);
tenon_status call_java_forward(void* ctx, tenon_function_context* context, tenon_stack* stack);
/// Callbacks of formulas' setups, and of the jvp of formulas and functions.
tenon_status call_java_setup(void* ctx, tenon_function_context* context, const tenon_stack* call);
tenon_status call_java_jvp(void* ctx, tenon_function_context* context, const tenon_value* tangents,
                           tenon_value* out_tangents);
/// Callbacks of saved-tensor hooks and creation hooks.
tenon_status call_java_pack(void* ctx, tenon_tensor* tensor, tenon_value* out_packed);
tenon_status call_java_unpack(void* ctx, const tenon_value* packed, tenon_tensor** out_tensor);
tenon_status call_java_created(void* ctx, tenon_node* node);
/// The batching rule of all Java rules; `ctx` is a Ref.
tenon_status call_java_vmap_rule(void* ctx, const tenon_op* op, const tenon_vmap_info* info,
                                 const int64_t* in_dims, tenon_stack* stack, tenon_value* out_dims);
tenon_status call_java_function_backward(const tenon_backward_call* call);
/// The native method that runs a Java pass over a graph; `pass` is a Ref.
jint JNICALL rewrite_graph(JNIEnv* env, jclass, jlong graph, jlong pass, jlong out);
/// Calls the handler of object `id`. Its exception is stored in the call's stack.
tenon_status call_bridge_handle(JNIEnv* env, jint kind, int32_t id, const Upcall* upcall);
/// Stores the error of a call that cannot enter Java.
tenon_status refuse_call(tenon_stack* stack);

/// Natives of the calls (call.cpp), of errors (error.cpp) and all others (support.cpp), and their
/// numbers.
extern const JNINativeMethod kCallMethods[];
extern const int kCallMethodCount;
extern const JNINativeMethod kErrorMethods[];
extern const int kErrorMethodCount;
extern const JNINativeMethod kSupportMethods[];
extern const int kSupportMethodCount;

inline JNINativeMethod native(const char* name, const char* signature, void* function) {
  return {const_cast<char*>(name), const_cast<char*>(signature), function};
}

template <typename T>
T* pointer(jlong address) {
  return reinterpret_cast<T*>(static_cast<intptr_t>(address));
}

template <typename T>
jlong address(T* pointer) {
  return static_cast<jlong>(reinterpret_cast<intptr_t>(pointer));
}

}  // namespace tenon::java
