// SPDX-License-Identifier: Apache-2.0
// What the hand-written natives share: the virtual machine, references from C to Java objects, and
// the layout of one call.
#pragma once

#include <jni.h>

#include <atomic>
#include <cstdint>

#include "tenon/tenon.h"

namespace tenon::java {

/// A Java object that C refers to: a number in a table kept by Java. C holds the node's address as
/// `ctx`, `self` or payload; its deleter puts the node into a queue and Java frees the object
/// later, so that no deleter needs a running virtual machine. Java reads `id` by address.
struct Ref {
  Ref* next;
  int32_t id;
  int32_t reserved;
};

/// What Java code is told that C enters, read by address.
struct Upcall {
  const tenon_op* op;
  tenon_keyset keys;
  tenon_stack* stack;             ///< has the error, also where there are no arguments and results
  const void* subject = nullptr;  ///< of a handler that runs for no operator: what it is given
};

/// One call from Java, in memory of the calling thread: arguments and results follow.
struct CallBlock {
  tenon_stack stack;
  tenon_frame frame;
};

/// A call with some tensors and the defaults of the rest, in memory of Java's. `count` values
/// follow, of which those of the tensors are empty.
struct Lane {
  const tenon_op* op;
  uint32_t count;
  uint32_t results;  ///< kReturnsTensor, kMayBeAbsent
  const tenon_value* values() const { return reinterpret_cast<const tenon_value*>(this + 1); }
};
constexpr uint32_t kMostLaneValues = 16;

/// The low bits of an operator's address in the fixed calls.
constexpr uint32_t kReturnsTensor = 1;
constexpr uint32_t kMayBeAbsent = 2;  ///< `Tensor?`

/// The machine; set once when the library is loaded.
extern JavaVM* g_vm;
/// The class of the natives; a global reference.
extern jclass g_natives;
/// Set by a shutdown hook: from then on no foreign code enters Java.
extern std::atomic<bool> g_closed;
/// Number of nodes in the queue of dropped references.
extern std::atomic<int64_t> g_dropped;
/// Grows with each definition that comes or goes; what Java caches of a schema is checked against
/// it.
extern std::atomic<int64_t> g_definitions;

/// Returns the calling thread's environment, attaching the thread as a daemon when it is foreign:
/// it is detached when it ends. NULL when the machine is going down or refuses.
JNIEnv* environment();

/// Makes a reference node; NULL when memory is short.
Ref* new_ref(int32_t id);
/// The deleter of all references: only enqueues.
void drop_ref(void* ref);
/// Moves up to `capacity` ids of dropped references to `out_ids` and returns how many.
int32_t take_dropped(int32_t* out_ids, int32_t capacity);

/// Finds the methods that kernels enter Java through; false with an exception pending.
bool bind_bridge(JNIEnv* env, jclass bridge);
/// Has Java bind the bridge, where nothing of it was used yet; false when it cannot be.
bool open_bridge(JNIEnv* env);
/// The one boxed kernel of all Java lambdas; `ctx` is a Ref.
tenon_status call_java_kernel(void* ctx, const tenon_op* op, tenon_keyset keys, tenon_stack* stack);
/// The one selector of Java fallbacks; `ctx` is the kernel's Ref.
int32_t call_java_select(void* ctx, const tenon_schema* schema);

/// How C enters Java kernels where the Foreign Function API has made a way, which costs a third of
/// JNI's; NULL: by JNI. Never throws.
using EntryStub = int32_t(int32_t id, Upcall* upcall);
extern std::atomic<EntryStub*> g_entry;

/// Has Java asked to make that way, once, when JNI has entered kernels so many times; 0: never.
void count_upcalls(int32_t count);

/// The handlers of all Java objects that override operators or run them on wrapper tensors.
tenon_status call_java_override(void* self, const tenon_op* op, tenon_keyset keys,
                                tenon_stack* stack);
tenon_status call_java_dispatch(void* self, const tenon_op* op, tenon_keyset keys,
                                tenon_stack* stack);
/// What calls all Java functions that were passed as values; `self` is a Ref.
tenon_status call_java_function(void* self, tenon_stack* stack);
/// Beside the kinds of modes, what Handlers.java takes.
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
/// In the place of an object's number: warnings go to the logger.
constexpr int32_t kLogger = -1;
/// The one handler of warnings; `ctx` is a Ref, or NULL for the logger.
tenon_status call_java_warning(void* ctx, const char* category, const char* message,
                               const char* op);
/// The one gradient formula of all Java functions; `ctx` is a Ref.
tenon_status call_java_backward(const tenon_backward_call* call);
/// The same for hooks, for tasks at the end of a pass, and for functions with their own gradient.
tenon_status call_java_hook(tenon_hook_call* call);
tenon_status call_java_done(void* ctx);
tenon_status call_java_forward(void* ctx, tenon_function_context* context, tenon_stack* stack);
/// For setups of formulas, and for the jvp of these and of functions.
tenon_status call_java_setup(void* ctx, tenon_function_context* context, const tenon_stack* call);
tenon_status call_java_jvp(void* ctx, tenon_function_context* context, const tenon_value* tangents,
                           tenon_value* out_tangents);
/// For hooks of saved tensors, and of new nodes.
tenon_status call_java_pack(void* ctx, tenon_tensor* tensor, tenon_value* out_packed);
tenon_status call_java_unpack(void* ctx, const tenon_value* packed, tenon_tensor** out_tensor);
tenon_status call_java_created(void* ctx, tenon_node* node);
/// The one batching rule of all Java functions that are one; `ctx` is a Ref.
tenon_status call_java_vmap_rule(void* ctx, const tenon_op* op, const tenon_vmap_info* info,
                                 const int64_t* in_dims, tenon_stack* stack, tenon_value* out_dims);
tenon_status call_java_function_backward(const tenon_backward_call* call);
/// The native method that runs a pass of Java over a graph; `pass` is a Ref.
jint JNICALL rewrite_graph(JNIEnv* env, jclass, jlong graph, jlong pass, jlong out);
/// Enters the handler of object `id`; what it throws ends in the call's stack.
tenon_status call_bridge_handle(JNIEnv* env, jint kind, int32_t id, const Upcall* upcall);
/// The error of a call that cannot enter Java.
tenon_status refuse_call(tenon_stack* stack);

/// Natives of the calls (call.cpp), of errors (error.cpp), all others
/// (support.cpp), and their numbers.
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
