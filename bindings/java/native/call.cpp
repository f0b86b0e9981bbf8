// SPDX-License-Identifier: Apache-2.0
// Calls from Java into operators. A kernel of Java's own is not entered through C: the native hands
// its id back, with the frame still marked as running, and Java calls it and leaves the frame.
#include <cstddef>

#include "runtime.h"

namespace tenon::java {

static_assert(sizeof(tenon_value) == 24 && offsetof(tenon_value, as) == 8);
static_assert(sizeof(tenon_stack) == 48 && sizeof(tenon_frame) == 64);
static_assert(sizeof(CallBlock) == 112);

namespace {

jint slot_status() {
  const tenon_error* error = tenon_error_peek();
  return error == nullptr ? TENON_ERROR_INTERNAL : tenon_error_code(error);
}

bool is_java(const tenon_entry* entry) { return entry->boxed == &call_java_kernel; }

int32_t kernel_id(const tenon_entry* entry) { return static_cast<Ref*>(entry->ctx)->id; }

// What call_tensors returns for an operator without results: no address, and even.
constexpr jlong kNoResult = 2;

// Calls with N tensors and at most one tensor as the result. Returns the new reference; kNoResult
// when `results` is 0; 0 with an error in the slot; or id * 2 + 1 of a Java kernel, the frame not
// left (handles are even). Not `direct`: all goes through C, and no frame is needed.
template <int N>
jlong call_tensors(const tenon_op* op, tenon_tensor* const (&tensors)[N], tenon_frame* frame,
                   uint32_t results, bool direct) {
  tenon_value args[N];
  for (int i = 0; i < N; ++i) {
    args[i].tag = TENON_TAG_TENSOR;
    args[i].flags = 0;
    args[i].count = 0;
    args[i].as.words[1] = 0;
    args[i].as.tensor = tensors[i];
  }
  tenon_value result{};
  tenon_stack stack{args, &result, N, results, nullptr, {0, 0}};
  tenon_status status;
  if (direct) {
    const tenon_entry* entry = tenon_op_resolve(op, args, N, frame);
    if (entry == nullptr) return 0;
    if (is_java(entry)) return static_cast<jlong>(kernel_id(entry)) * 2 + 1;
    status = tenon_op_end(frame, tenon_op_invoke(entry, frame, &stack));
  } else {
    status = tenon_op_call(op, &stack);
  }
  if (status != TENON_OK) return 0;
  if (results == 0) return kNoResult;
  if (result.tag == TENON_TAG_TENSOR) {
    return address((result.flags & TENON_VALUE_OWNED) != 0 ? result.as.tensor
                                                           : tenon_tensor_retain(result.as.tensor));
  }
  tenon_value_clear(&result);  // the operator was defined anew under our feet
  tenon_error_raise(TENON_ERROR_TYPE,
                    "call: the operator must return one Tensor, got another type");
  return 0;
}

jlong JNICALL call1(JNIEnv*, jclass, jlong op, jlong a, jlong frame, jint results,
                    jboolean direct) {
  return call_tensors<1>(pointer<tenon_op>(op), {pointer<tenon_tensor>(a)},
                         pointer<tenon_frame>(frame), static_cast<uint32_t>(results), direct);
}

jlong JNICALL call2(JNIEnv*, jclass, jlong op, jlong a, jlong b, jlong frame, jint results,
                    jboolean direct) {
  return call_tensors<2>(pointer<tenon_op>(op),
                         {pointer<tenon_tensor>(a), pointer<tenon_tensor>(b)},
                         pointer<tenon_frame>(frame), static_cast<uint32_t>(results), direct);
}

jlong JNICALL call3(JNIEnv*, jclass, jlong op, jlong a, jlong b, jlong c, jlong frame, jint results,
                    jboolean direct) {
  return call_tensors<3>(
      pointer<tenon_op>(op),
      {pointer<tenon_tensor>(a), pointer<tenon_tensor>(b), pointer<tenon_tensor>(c)},
      pointer<tenon_frame>(frame), static_cast<uint32_t>(results), direct);
}

jlong JNICALL call4(JNIEnv*, jclass, jlong op, jlong a, jlong b, jlong c, jlong d, jlong frame,
                    jint results, jboolean direct) {
  return call_tensors<4>(pointer<tenon_op>(op),
                         {pointer<tenon_tensor>(a), pointer<tenon_tensor>(b),
                          pointer<tenon_tensor>(c), pointer<tenon_tensor>(d)},
                         pointer<tenon_frame>(frame), static_cast<uint32_t>(results), direct);
}

// Returns 0 with the results written, a status with an error in the slot, or -1 - id of a Java
// kernel, the frame not left.
jint finish(const tenon_entry* entry, CallBlock* block) {
  if (entry == nullptr) return slot_status();
  if (is_java(entry)) return -1 - kernel_id(entry);
  return tenon_op_end(&block->frame, tenon_op_invoke(entry, &block->frame, &block->stack));
}

jint JNICALL call(JNIEnv*, jclass, jlong op, jlong block_address, jboolean direct) {
  const tenon_op* o = pointer<tenon_op>(op);
  CallBlock* block = pointer<CallBlock>(block_address);
  if (!direct) return tenon_op_call(o, &block->stack);
  return finish(tenon_op_resolve(o, block->stack.args, block->stack.nargs, &block->frame), block);
}

jint JNICALL redispatch(JNIEnv*, jclass, jlong op, jlong keys, jlong block_address,
                        jboolean direct) {
  const tenon_op* o = pointer<tenon_op>(op);
  CallBlock* block = pointer<CallBlock>(block_address);
  const auto set = static_cast<tenon_keyset>(keys);
  if (!direct) {  // counts and tags are checked, and the error stays in the stack
    const tenon_status status = tenon_op_redispatch(o, set, &block->stack);
    if (status != TENON_OK) tenon_error_set(block->stack.error);
    return status;
  }
  const tenon_status checked = tenon_op_check_arguments(o, block->stack.args, block->stack.nargs);
  if (checked != TENON_OK) return checked;
  return finish(tenon_op_begin_keys(o, set, &block->frame), block);
}

jlong JNICALL new_reference(JNIEnv*, jclass, jint id) { return address(new_ref(id)); }

void JNICALL drop_reference(JNIEnv*, jclass, jlong node) { drop_ref(pointer<Ref>(node)); }

jint JNICALL dropped_references(JNIEnv*, jclass, jlong ids, jint capacity) {
  return take_dropped(pointer<int32_t>(ids), capacity);
}

jlong JNICALL buffer_address(JNIEnv* env, jclass, jobject buffer) {
  return address(env->GetDirectBufferAddress(buffer));
}

jobject JNICALL new_buffer(JNIEnv* env, jclass, jlong data, jlong size) {
  return env->NewDirectByteBuffer(pointer<void>(data), size);
}

jlong JNICALL tensor_bytes(JNIEnv*, jclass, jlong handle) {
  const tenon_tensor* tensor = pointer<tenon_tensor>(handle);
  const int64_t size = tenon_dtype_size(tenon_tensor_dtype(tensor));
  tenon_device device;
  tenon_tensor_device(tensor, &device);
  return device.type == TENON_DEVICE_META ? 0 : size * tenon_tensor_numel(tensor);
}

// The managed structs of DLPack, as far as their deleters need.
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

void JNICALL close_gate(JNIEnv*, jclass) { g_closed.store(true, std::memory_order_release); }

template <typename T>
jlong function(T* f) {
  return static_cast<jlong>(reinterpret_cast<intptr_t>(f));
}

// Addresses of functions and counters, then sizes and offsets, in the order that Native.java reads.
jlongArray JNICALL layout(JNIEnv* env, jclass) {
  const jlong words[] = {
      function(&call_java_kernel),
      function(&call_java_select),
      function(&drop_ref),
      address(&g_dropped),
      address(&g_definitions),
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
      offsetof(tenon_frame, keys),
      offsetof(tenon_frame, leave_word),
      offsetof(tenon_frame, leave_value),
      offsetof(CallBlock, frame),
      offsetof(Upcall, keys),
      offsetof(Upcall, stack),
      offsetof(Ref, id),
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
      sizeof(tenon_error_frame),
      offsetof(tenon_error_frame, line),
      offsetof(tenon_error_frame, function),
      offsetof(tenon_error_frame, file),
      sizeof(tenon_object_type),
      offsetof(tenon_object_type, language),
      offsetof(tenon_object_type, name),
      offsetof(tenon_object_type, release),
      sizeof(tenon_slot_info),
      offsetof(tenon_slot_info, provenance),
      offsetof(tenon_slot_info, key),
      offsetof(tenon_slot_info, source_key),
      offsetof(tenon_slot_info, fallthrough),
      offsetof(tenon_slot_info, language),
      offsetof(tenon_slot_info, name),
      offsetof(tenon_slot_info, file),
      offsetof(tenon_slot_info, line),
      sizeof(tenon_key_guard),
  };
  constexpr jsize count = sizeof(words) / sizeof(words[0]);
  jlongArray array = env->NewLongArray(count);
  if (array != nullptr) env->SetLongArrayRegion(array, 0, count, words);
  return array;
}

JNINativeMethod native(const char* name, const char* signature, void* function) {
  return {const_cast<char*>(name), const_cast<char*>(signature), function};
}

}  // namespace

const JNINativeMethod kCallMethods[] = {
    native("call1", "(JJJIZ)J", reinterpret_cast<void*>(&call1)),
    native("call2", "(JJJJIZ)J", reinterpret_cast<void*>(&call2)),
    native("call3", "(JJJJJIZ)J", reinterpret_cast<void*>(&call3)),
    native("call4", "(JJJJJJIZ)J", reinterpret_cast<void*>(&call4)),
    native("call", "(JJZ)I", reinterpret_cast<void*>(&call)),
    native("redispatch", "(JJJZ)I", reinterpret_cast<void*>(&redispatch)),
    native("newReference", "(I)J", reinterpret_cast<void*>(&new_reference)),
    native("dropReference", "(J)V", reinterpret_cast<void*>(&drop_reference)),
    native("droppedReferences", "(JI)I", reinterpret_cast<void*>(&dropped_references)),
    native("bufferAddress", "(Ljava/nio/Buffer;)J", reinterpret_cast<void*>(&buffer_address)),
    native("newBuffer", "(JJ)Ljava/nio/ByteBuffer;", reinterpret_cast<void*>(&new_buffer)),
    native("tensorBytes", "(J)J", reinterpret_cast<void*>(&tensor_bytes)),
    native("deleteDLPack", "(J)V", reinterpret_cast<void*>(&delete_dlpack<VersionedDLPack>)),
    native("deleteLegacyDLPack", "(J)V", reinterpret_cast<void*>(&delete_dlpack<LegacyDLPack>)),
    native("bind", "(Ljava/lang/Class;)V", reinterpret_cast<void*>(&bind)),
    native("closeGate", "()V", reinterpret_cast<void*>(&close_gate)),
    native("layout", "()[J", reinterpret_cast<void*>(&layout)),
};
const int kCallMethodCount = sizeof(kCallMethods) / sizeof(kCallMethods[0]);

}  // namespace tenon::java
