// SPDX-License-Identifier: Apache-2.0
// All other natives: references, memory, buffers, DLPack, and the layout that Java checks.
#if defined(__linux__)
#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

#include <cerrno>
#include <cstddef>
#include <cstdlib>

#include "runtime.h"

namespace tenon::java {

namespace {

jlong JNICALL new_reference(JNIEnv*, jclass, jint id) { return address(new_ref(id)); }

void JNICALL drop_reference(JNIEnv*, jclass, jlong node) { drop_ref(pointer<Ref>(node)); }

jint JNICALL dropped_references(JNIEnv*, jclass, jlong ids, jint capacity) {
  return take_dropped(pointer<int32_t>(ids), capacity);
}

jlong JNICALL allocate(JNIEnv*, jclass, jlong size) {
  return address(std::calloc(1, static_cast<size_t>(size)));
}

void JNICALL release(JNIEnv*, jclass, jlong memory) { std::free(pointer<void>(memory)); }

jlong JNICALL buffer_address(JNIEnv* env, jclass, jobject buffer) {
  return address(env->GetDirectBufferAddress(buffer));
}

jobject JNICALL new_buffer(JNIEnv* env, jclass, jlong data, jlong size) {
  return env->NewDirectByteBuffer(pointer<void>(data), size);
}

jboolean JNICALL fence_process(JNIEnv*, jclass) {
#if defined(__linux__) && defined(SYS_membarrier)
  const auto ask = [](int command) { return syscall(SYS_membarrier, command, 0, 0) == 0; };
  if (ask(MEMBARRIER_CMD_PRIVATE_EXPEDITED)) return JNI_TRUE;
  // A process must register before its first fence.
  if (errno == EPERM && ask(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED) &&
      ask(MEMBARRIER_CMD_PRIVATE_EXPEDITED)) {
    return JNI_TRUE;
  }
#endif
  return JNI_FALSE;
}

jlong JNICALL tensor_bytes(JNIEnv*, jclass, jlong handle) {
  const tenon_tensor* tensor = pointer<tenon_tensor>(handle);
  const int64_t size = tenon_dtype_size(tenon_tensor_dtype(tensor));
  tenon_device device;
  tenon_tensor_device(tensor, &device);
  return device.type == TENON_DEVICE_META ? 0 : size * tenon_tensor_numel(tensor);
}

// DLPack's managed structs, with the fields that their deleters need.
struct VersionedDLPack {
  uint32_t version[2];
  void* manager_ctx;
  void (*deleter)(VersionedDLPack* self);
};

struct LegacyDLPack {
  struct {
    void* data;
    int32_t device[2];
    int32_t ndim;
    uint32_t dtype;
    int64_t* shape;
    int64_t* strides;
    uint64_t byte_offset;
  } tensor;
  void* manager_ctx;
  void (*deleter)(LegacyDLPack* self);
};

template <typename Managed>
void JNICALL delete_dlpack(JNIEnv*, jclass, jlong address) {
  Managed* managed = pointer<Managed>(address);
  if (managed->deleter != nullptr) managed->deleter(managed);
}

void JNICALL bind(JNIEnv* env, jclass, jclass bridge) { bind_bridge(env, bridge); }

void JNICALL link_after(JNIEnv*, jclass, jint count) { count_upcalls(count); }

void JNICALL enter_by(JNIEnv*, jclass, jlong stub) { g_entry.store(pointer<EntryStub>(stub)); }

void JNICALL close_gate(JNIEnv*, jclass) { g_closed.store(true, std::memory_order_release); }

template <typename T>
jlong function(T* f) {
  return static_cast<jlong>(reinterpret_cast<intptr_t>(f));
}

// Returns addresses of functions and counters, then sizes and offsets, in the order of
// Addresses.java.
jlongArray JNICALL layout(JNIEnv* env, jclass) {
  const jlong words[] = {
      function(&call_java_kernel),
      function(&call_java_select),
      function(&drop_ref),
      address(&g_dropped),
      address(&g_definitions),
      function(&call_java_override),
      function(&call_java_dispatch),
      function(&call_java_function),
      function(&call_java_warning),
      function(&call_java_backward),
      function(&call_java_hook),
      function(&call_java_done),
      function(&call_java_forward),
      function(&call_java_function_backward),
      function(&call_java_setup),
      function(&call_java_jvp),
      function(&call_java_pack),
      function(&call_java_unpack),
      function(&call_java_created),
      function(&call_java_vmap_rule),
      sizeof(tenon_value),
      offsetof(tenon_value, flags),
      offsetof(tenon_value, count),
      offsetof(tenon_value, as),
      sizeof(tenon_stack),
      offsetof(tenon_stack, rets),
      offsetof(tenon_stack, nargs),
      offsetof(tenon_stack, nrets),
      offsetof(tenon_stack, error),
      sizeof(tenon_frame),
      offsetof(tenon_frame, ctx),
      offsetof(tenon_frame, keys),
      offsetof(tenon_frame, leave_word),
      offsetof(tenon_frame, leave_value),
      offsetof(CallBlock, frame),
      offsetof(Upcall, keys),
      offsetof(Upcall, stack),
      offsetof(Upcall, subject),
      offsetof(Ref, id),
      offsetof(CallTemplate, count),
      offsetof(CallTemplate, results),
      sizeof(CallTemplate),
      sizeof(tenon_kernel),
      offsetof(tenon_kernel, boxed),
      offsetof(tenon_kernel, ctx),
      offsetof(tenon_kernel, deleter),
      offsetof(tenon_kernel, schema),
      offsetof(tenon_kernel, language),
      offsetof(tenon_kernel, policy),
      offsetof(tenon_kernel, name),
      offsetof(tenon_kernel, file),
      offsetof(tenon_kernel, line),
      sizeof(tenon_define_options),
      offsetof(tenon_define_options, tag_count),
      offsetof(tenon_define_options, tags),
      offsetof(tenon_define_options, file),
      offsetof(tenon_define_options, line),
      sizeof(tenon_tensor_info),
      offsetof(tenon_tensor_info, sizes),
      offsetof(tenon_tensor_info, strides),
      offsetof(tenon_tensor_info, numel),
      offsetof(tenon_tensor_info, storage_offset),
      offsetof(tenon_tensor_info, ndim),
      offsetof(tenon_tensor_info, dtype),
      offsetof(tenon_tensor_info, device),
      offsetof(tenon_tensor_info, flags),
      sizeof(tenon_argument_info),
      offsetof(tenon_argument_info, flags),
      offsetof(tenon_argument_info, name),
      offsetof(tenon_argument_info, type),
      offsetof(tenon_argument_info, type_text),
      offsetof(tenon_argument_info, alias_text),
      offsetof(tenon_argument_info, default_value),
      offsetof(tenon_argument_info, list_size),
      offsetof(tenon_argument_info, aliased_argument),
      sizeof(tenon_object_type),
      offsetof(tenon_object_type, language),
      offsetof(tenon_object_type, name),
      offsetof(tenon_object_type, base),
      offsetof(tenon_object_type, release),
      offsetof(tenon_object_type, override),
      offsetof(tenon_object_type, dispatch),
      offsetof(tenon_object_type, call),
      sizeof(tenon_slot_info),
      offsetof(tenon_slot_info, provenance),
      offsetof(tenon_slot_info, key),
      offsetof(tenon_slot_info, source_key),
      offsetof(tenon_slot_info, fallthrough),
      offsetof(tenon_slot_info, language),
      offsetof(tenon_slot_info, name),
      offsetof(tenon_slot_info, file),
      offsetof(tenon_slot_info, line),
      offsetof(tenon_slot_info, typed),
      sizeof(tenon_profile_span),
      offsetof(tenon_profile_span, op),
      offsetof(tenon_profile_span, keys),
      offsetof(tenon_profile_span, key),
      offsetof(tenon_profile_span, redispatch),
      offsetof(tenon_profile_span, language),
      offsetof(tenon_profile_span, depth),
      offsetof(tenon_profile_span, parent),
      offsetof(tenon_profile_span, begin_ns),
      offsetof(tenon_profile_span, end_ns),
      offsetof(tenon_profile_span, kernel),
      offsetof(tenon_profile_span, file),
      offsetof(tenon_profile_span, line),
      offsetof(tenon_profile_span, status),
      sizeof(tenon_key_guard),
      sizeof(tenon_wrapper_options),
      offsetof(tenon_wrapper_options, ndim),
      offsetof(tenon_wrapper_options, sizes),
      offsetof(tenon_wrapper_options, strides),
      offsetof(tenon_wrapper_options, storage_offset),
      offsetof(tenon_wrapper_options, dtype),
      offsetof(tenon_wrapper_options, device),
      offsetof(tenon_wrapper_options, keys),
      offsetof(tenon_wrapper_options, alias_of),
      sizeof(tenon_formula),
      offsetof(tenon_formula, gradient),
      offsetof(tenon_formula, backward),
      offsetof(tenon_formula, saves),
      offsetof(tenon_formula, ctx),
      offsetof(tenon_formula, deleter),
      offsetof(tenon_formula, language),
      offsetof(tenon_formula, name),
      offsetof(tenon_formula, file),
      offsetof(tenon_formula, line),
      offsetof(tenon_backward_call, grads),
      offsetof(tenon_backward_call, saved),
      offsetof(tenon_backward_call, needs),
      offsetof(tenon_backward_call, out_grads),
      offsetof(tenon_backward_call, noutputs),
      offsetof(tenon_backward_call, nsaved),
      offsetof(tenon_backward_call, ninputs),
      sizeof(tenon_backward_options),
      offsetof(tenon_backward_options, flags),
      offsetof(tenon_backward_options, outputs),
      offsetof(tenon_backward_options, grads),
      offsetof(tenon_backward_options, inputs),
      offsetof(tenon_backward_options, noutputs),
      offsetof(tenon_backward_options, ninputs),
      offsetof(tenon_backward_call, context),
      sizeof(tenon_hook_options),
      offsetof(tenon_hook_options, kind),
      offsetof(tenon_hook_options, fn),
      offsetof(tenon_hook_options, ctx),
      offsetof(tenon_hook_options, deleter),
      offsetof(tenon_hook_options, language),
      offsetof(tenon_hook_call, tensor),
      offsetof(tenon_hook_call, grads),
      offsetof(tenon_hook_call, outputs),
      offsetof(tenon_hook_call, out_grads),
      offsetof(tenon_hook_call, ngrads),
      offsetof(tenon_hook_call, noutputs),
      offsetof(tenon_hook_call, replaces),
      sizeof(tenon_function_type),
      offsetof(tenon_function_type, flags),
      offsetof(tenon_function_type, name),
      offsetof(tenon_function_type, forward),
      offsetof(tenon_function_type, backward),
      offsetof(tenon_function_type, ctx),
      offsetof(tenon_function_type, deleter),
      offsetof(tenon_function_type, language),
      offsetof(tenon_function_type, jvp),
      offsetof(tenon_formula, setup),
      offsetof(tenon_formula, jvp),
      sizeof(tenon_saved_hooks),
      offsetof(tenon_saved_hooks, language),
      offsetof(tenon_saved_hooks, pack),
      offsetof(tenon_saved_hooks, unpack),
      offsetof(tenon_saved_hooks, ctx),
      offsetof(tenon_saved_hooks, deleter),
      sizeof(tenon_autocast_state),
      offsetof(tenon_autocast_state, flags),
      offsetof(tenon_autocast_state, dtype),
      sizeof(tenon_autocast_guard),
      sizeof(tenon_fake_guard),
      sizeof(tenon_shape_guard),
      offsetof(tenon_shape_guard, line),
      offsetof(tenon_shape_guard, text),
      offsetof(tenon_shape_guard, file),
      offsetof(tenon_shape_guard, op),
      offsetof(tenon_shape_guard, owner),
      sizeof(tenon_symbolic_options),
      offsetof(tenon_symbolic_options, dtype),
      offsetof(tenon_symbolic_options, device),
      offsetof(tenon_symbolic_options, ndim),
      offsetof(tenon_symbolic_options, sizes),
      offsetof(tenon_symbolic_options, strides),
      sizeof(tenon_graph_guard),
      sizeof(tenon_cast_rule),
      offsetof(tenon_cast_rule, kind),
      offsetof(tenon_cast_rule, device_type),
      offsetof(tenon_cast_rule, dtype),
      offsetof(tenon_cast_rule, advice),
      offsetof(tenon_cast_rule, language),
      offsetof(tenon_cast_rule, file),
      offsetof(tenon_cast_rule, line),
      sizeof(tenon_vmap_options),
      offsetof(tenon_vmap_options, randomness),
      offsetof(tenon_vmap_options, name),
      offsetof(tenon_vmap_options, in_dims),
      offsetof(tenon_vmap_options, out_dims),
      offsetof(tenon_vmap_options, nin_dims),
      offsetof(tenon_vmap_options, nout_dims),
      offsetof(tenon_vmap_options, chunk_size),
      offsetof(tenon_vmap_info, randomness),
      offsetof(tenon_vmap_info, batch_size),
      offsetof(tenon_vmap_info, ntensors),
      sizeof(tenon_vmap_rule),
      offsetof(tenon_vmap_rule, fn),
      offsetof(tenon_vmap_rule, ctx),
      offsetof(tenon_vmap_rule, deleter),
      offsetof(tenon_vmap_rule, language),
      offsetof(tenon_vmap_rule, name),
      offsetof(tenon_vmap_rule, file),
      offsetof(tenon_vmap_rule, line),
      sizeof(tenon_graph_node),
      offsetof(tenon_graph_node, nargs),
      offsetof(tenon_graph_node, op),
      offsetof(tenon_graph_node, args),
      offsetof(tenon_graph_node, first_result),
      offsetof(tenon_graph_node, nresults),
  };
  constexpr jsize count = sizeof(words) / sizeof(words[0]);
  jlongArray array = env->NewLongArray(count);
  if (array != nullptr) env->SetLongArrayRegion(array, 0, count, words);
  return array;
}

}  // namespace

const JNINativeMethod kSupportMethods[] = {
    native("newReference", "(I)J", reinterpret_cast<void*>(&new_reference)),
    native("dropReference", "(J)V", reinterpret_cast<void*>(&drop_reference)),
    native("droppedReferences", "(JI)I", reinterpret_cast<void*>(&dropped_references)),
    native("allocate", "(J)J", reinterpret_cast<void*>(&allocate)),
    native("free", "(J)V", reinterpret_cast<void*>(&release)),
    native("bufferAddress", "(Ljava/nio/Buffer;)J", reinterpret_cast<void*>(&buffer_address)),
    native("newBuffer", "(JJ)Ljava/nio/ByteBuffer;", reinterpret_cast<void*>(&new_buffer)),
    native("fenceProcess", "()Z", reinterpret_cast<void*>(&fence_process)),
    native("tensorBytes", "(J)J", reinterpret_cast<void*>(&tensor_bytes)),
    native("deleteDLPack", "(J)V", reinterpret_cast<void*>(&delete_dlpack<VersionedDLPack>)),
    native("deleteLegacyDLPack", "(J)V", reinterpret_cast<void*>(&delete_dlpack<LegacyDLPack>)),
    native("bind", "(Ljava/lang/Class;)V", reinterpret_cast<void*>(&bind)),
    native("linkAfter", "(I)V", reinterpret_cast<void*>(&link_after)),
    native("enterBy", "(J)V", reinterpret_cast<void*>(&enter_by)),
    native("closeGate", "()V", reinterpret_cast<void*>(&close_gate)),
    native("rewriteGraph", "(JJJ)I", reinterpret_cast<void*>(&rewrite_graph)),
    native("layout", "()[J", reinterpret_cast<void*>(&layout)),
};
const int kSupportMethodCount = sizeof(kSupportMethods) / sizeof(kSupportMethods[0]);

}  // namespace tenon::java
