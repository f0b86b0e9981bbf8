// SPDX-License-Identifier: Apache-2.0
// Calls from Java to operators. A Java kernel need not be entered through C: it is marked as
// running in a frame in Java's memory, and Java calls it and leaves the frame.
#include <pthread.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdlib>
#include <utility>

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

// Return value of call_tensors for an operator without results. Not an address, and even.
constexpr jlong kNoResult = 2;

// Return value of the general calls if Java must call a Java kernel. No status is negative.
constexpr jint kJavaKernel = -1;

// The signature with N tensors, M values and, if `returns` is set, one tensor result; see
// tenon/kernel.h.
template <size_t N, size_t M = 0>
constexpr uint64_t signature(bool returns) {
  uint64_t hash = 0xcbf29ce484222325u;
  const auto add = [&](char letter) {
    hash = (hash ^ static_cast<unsigned char>(letter)) * 0x100000001b3u;
  };
  for (size_t i = 0; i < N; ++i) add('T');
  for (size_t i = 0; i < M; ++i) add('v');
  add('>');
  if (returns) add('T');
  return hash;
}
static_assert(signature<0>(false) == 0xaf63b34c8601a6e1u);
static_assert(signature<1>(true) == 0x6c62fe19e196c2e9u);
static_assert(signature<2>(true) == 0xa3775cfad220a37fu);
static_assert(signature<2, 1>(true) == 0x75248d31ac81c403u);

template <size_t N>
using Tensors = std::array<tenon_tensor*, N>;

template <size_t N>
const tenon_entry* begin(const tenon_op* op, const Tensors<N>& tensors, tenon_frame* frame) {
  if constexpr (N == 1) {
    return tenon_frame_begin1(op, tensors[0], frame);
  } else if constexpr (N == 2) {
    return tenon_frame_begin2(op, tensors[0], tensors[1], frame);
  } else if constexpr (N == 3) {
    return tenon_frame_begin3(op, tensors[0], tensors[1], tensors[2], frame);
  } else {
    return tenon_frame_begin_n(op, tensors.data(), N, frame);
  }
}

// Returns the error for a typed kernel that succeeded without writing its tensor result.
[[gnu::noinline, gnu::cold]] jlong refuse_null(const tenon_op* op) {
  const tenon_value result = tenon_value_of_tensor(nullptr);
  if (tenon_op_check_results(op, &result, 1) == TENON_OK) {  // redefined during the call
    tenon_error_raise(TENON_ERROR_TYPE, "call: result 0 must be Tensor, got NULL");
  }
  return 0;
}

// Leaves the frame. `result` is the kernel's result if the operator has one.
jlong end(tenon_frame* frame, tenon_status status, tenon_tensor* result, uint32_t results) {
  if (status != TENON_OK) [[unlikely]] {
    tenon_frame_end(frame, status);
    return 0;
  }
  tenon_frame_leave(frame);
  if (result != nullptr) [[likely]]
    return address(result);
  return results == kReturnsTensor ? refuse_null(frame->op) : kNoResult;
}

template <size_t>
using Handle = tenon_tensor*;
template <size_t>
using Boxed = const tenon_value*;

// `defaults` are the J values after the tensors.
template <size_t... I, size_t... J>
jlong call_typed(const tenon_entry* entry, tenon_frame* frame, const Tensors<sizeof...(I)>& tensors,
                 [[maybe_unused]] const tenon_value* defaults, uint32_t results,
                 std::index_sequence<I...>, std::index_sequence<J...>) {
  if (results == 0) {
    using Fn = tenon_status (*)(const tenon_frame*, Handle<I>..., Boxed<J>...);
    const auto kernel = reinterpret_cast<Fn>(entry->typed);
    return end(frame, kernel(frame, tensors[I]..., &defaults[J]...), nullptr, results);
  }
  using Fn = tenon_status (*)(const tenon_frame*, Handle<I>..., Boxed<J>..., tenon_tensor**);
  const auto kernel = reinterpret_cast<Fn>(entry->typed);
  tenon_tensor* result = nullptr;
  const tenon_status status = kernel(frame, tensors[I]..., &defaults[J]..., &result);
  return end(frame, status, result, results);
}

// Calls a boxed kernel with the complete values at `args`.
jlong call_boxed(tenon_frame* frame, tenon_value* args, uint32_t count, uint32_t results) {
  tenon_value result{};
  tenon_stack stack{args, &result, count, results != 0 ? 1u : 0u, nullptr, {0, 0}};
  const tenon_status status = tenon_frame_end(frame, tenon_frame_call(frame, &stack));
  if (status != TENON_OK) return 0;
  if (results == 0 || (result.tag == TENON_TAG_NONE && results != kReturnsTensor)) {
    return kNoResult;
  }
  if (result.tag == TENON_TAG_TENSOR) {
    return address((result.flags & TENON_VALUE_OWNED) != 0 ? result.as.tensor
                                                           : tenon_tensor_retain(result.as.tensor));
  }
  tenon_value_clear(&result);  // the operator was redefined during the call
  tenon_error_raise(TENON_ERROR_TYPE,
                    "call: the operator must return one Tensor, got another type");
  return 0;
}

template <size_t N>
[[gnu::noinline]] jlong call_boxed(tenon_frame* frame, const Tensors<N>& tensors,
                                   uint32_t results) {
  std::array<tenon_value, N> args;
  for (size_t i = 0; i < N; ++i) args[i] = tenon_value_of_tensor(tensors[i]);
  return call_boxed(frame, args.data(), N, results);
}

// Calls with N tensors and at most one tensor result. `word` is the operator's address, plus
// kReturnsTensor and kMayBeAbsent. Returns the new reference; kNoResult; or 0 with an error in the
// slot.
template <size_t N>
jlong call_tensors(jlong word, const Tensors<N>& tensors) {
  const auto results = static_cast<uint32_t>(word & 3);
  tenon_frame frame;
  const tenon_entry* entry = begin(pointer<const tenon_op>(word & ~jlong{3}), tensors, &frame);
  if (entry == nullptr) [[unlikely]]
    return 0;
  if (entry->signature == (results != 0 ? signature<N>(true) : signature<N>(false))) [[likely]] {
    return call_typed(entry, &frame, tensors, nullptr, results, std::make_index_sequence<N>(),
                      std::index_sequence<>());
  }
  return call_boxed(&frame, tensors, results);
}

template <size_t N>
[[gnu::noinline]] jlong call_template_boxed(tenon_frame* frame, const CallTemplate* preset,
                                            const Tensors<N>& tensors) {
  std::array<tenon_value, kMostTemplateValues> args;
  for (size_t i = 0; i < N; ++i) args[i] = tenon_value_of_tensor(tensors[i]);
  std::copy(preset->values() + N, preset->values() + preset->count, args.begin() + N);
  return call_boxed(frame, args.data(), preset->count, preset->results);
}

// Like call_tensors, with the defaults of a template after the tensors. A typed kernel receives the
// address of up to two boxed defaults in the template, such as `alpha` of add or `dtype` of sum.
template <size_t N>
jlong call_template(jlong preset_address, const Tensors<N>& tensors) {
  const CallTemplate* preset = pointer<const CallTemplate>(preset_address);
  tenon_frame frame;
  const tenon_entry* entry = begin(preset->op, tensors, &frame);
  if (entry == nullptr) [[unlikely]]
    return 0;
  const bool returns = preset->results != 0;
  const auto typed = [&](auto values) {
    return call_typed(entry, &frame, tensors, preset->values() + N, preset->results,
                      std::make_index_sequence<N>(), values);
  };
  if (entry->signature == (returns ? signature<N, 1>(true) : signature<N, 1>(false))) [[likely]]
    return typed(std::make_index_sequence<1>());
  if (entry->signature == (returns ? signature<N, 2>(true) : signature<N, 2>(false)))
    return typed(std::make_index_sequence<2>());
  return call_template_boxed(&frame, preset, tensors);
}

tenon_tensor* tensor(jlong handle) { return pointer<tenon_tensor>(handle); }

jlong JNICALL call1(JNIEnv*, jclass, jlong op, jlong a) { return call_tensors<1>(op, {tensor(a)}); }

jlong JNICALL call2(JNIEnv*, jclass, jlong op, jlong a, jlong b) {
  return call_tensors<2>(op, {tensor(a), tensor(b)});
}

jlong JNICALL call3(JNIEnv*, jclass, jlong op, jlong a, jlong b, jlong c) {
  return call_tensors<3>(op, {tensor(a), tensor(b), tensor(c)});
}

jlong JNICALL call4(JNIEnv*, jclass, jlong op, jlong a, jlong b, jlong c, jlong d) {
  return call_tensors<4>(op, {tensor(a), tensor(b), tensor(c), tensor(d)});
}

jlong JNICALL call_template1(JNIEnv*, jclass, jlong preset, jlong a) {
  return call_template<1>(preset, {tensor(a)});
}

jlong JNICALL call_template2(JNIEnv*, jclass, jlong preset, jlong a, jlong b) {
  return call_template<2>(preset, {tensor(a), tensor(b)});
}

jlong JNICALL call_template3(JNIEnv*, jclass, jlong preset, jlong a, jlong b, jlong c) {
  return call_template<3>(preset, {tensor(a), tensor(b), tensor(c)});
}

// ---- Calls that Java begins and whose kernels it calls itself --------------------------------

// Return value of a begin function if the call must go through C. Not an address.
constexpr jlong kByC = 1;

// A thread's frames for Java kernels that Java calls directly. They are stored in C, which accesses
// its thread-local data directly, while Java would need a chain of loads. Java returns a frame by
// storing its address in `next`, the first field of the block.
struct alignas(4096) Frames {
  tenon_frame* next;
  tenon_frame* reserved[7];
  std::array<tenon_frame, 63> frames;
};
static_assert(sizeof(Frames) == 4096 && offsetof(Frames, next) == 0);

#if defined(__linux__) && defined(__GLIBC__)
[[gnu::tls_model("initial-exec")]]
#endif
thread_local Frames* t_frames = nullptr;

pthread_key_t g_frames_key;
pthread_once_t g_frames_once = PTHREAD_ONCE_INIT;
bool g_frames_ready = false;

void free_frames(void* frames) {
  t_frames = nullptr;
  std::free(frames);
}

Frames* make_frames() {
  pthread_once(&g_frames_once,
               [] { g_frames_ready = pthread_key_create(&g_frames_key, free_frames) == 0; });
  if (!g_frames_ready) return nullptr;
  void* memory = std::aligned_alloc(alignof(Frames), sizeof(Frames));
  if (memory == nullptr) return nullptr;
  if (pthread_setspecific(g_frames_key, memory) != 0) {
    std::free(memory);
    return nullptr;
  }
  t_frames = static_cast<Frames*>(memory);
  t_frames->next = t_frames->frames.data();
  return t_frames;
}

// Begins a call in a frame of this thread. Returns a frame in which a Java kernel runs, which Java
// leaves and returns; kByC; or 0 with an error in the slot.
template <size_t N>
jlong begin_tensors(jlong op, const Tensors<N>& tensors) {
  Frames* frames = t_frames != nullptr ? t_frames : make_frames();
  if (frames == nullptr || frames->next == frames->frames.end()) [[unlikely]]
    return kByC;
  tenon_frame* frame = frames->next++;
  const tenon_entry* entry = begin(pointer<const tenon_op>(op), tensors, frame);
  if (entry != nullptr && is_java(entry)) [[likely]]
    return address(frame);
  frames->next = frame;
  if (entry == nullptr) return 0;
  tenon_frame_leave(frame);
  return kByC;
}

jlong JNICALL begin2(JNIEnv*, jclass, jlong op, jlong a, jlong b) {
  return begin_tensors<2>(op, {tensor(a), tensor(b)});
}

jlong JNICALL begin4(JNIEnv*, jclass, jlong op, jlong a, jlong b, jlong c, jlong d) {
  return begin_tensors<4>(op, {tensor(a), tensor(b), tensor(c), tensor(d)});
}

// Returns 0 with the results written, a status with an error in the slot, or kJavaKernel with the
// frame still entered.
jint finish(const tenon_entry* entry, CallBlock* block) {
  if (entry == nullptr) return slot_status();
  if (is_java(entry)) return kJavaKernel;
  return tenon_frame_end(&block->frame, tenon_frame_call(&block->frame, &block->stack));
}

bool is_carrier(const tenon_tensor* tensor) {
  return tensor != nullptr && tenon_carrier_value(tensor) != nullptr;
}

bool has_carrier(const tenon_stack& stack) {
  return std::any_of(stack.rets, stack.rets + stack.nrets, [](const tenon_value& value) {
    if (value.tag == TENON_TAG_TENSOR) return is_carrier(value.as.tensor);
    if (value.tag != TENON_TAG_TENSOR_LIST) return false;
    const auto* tensors = static_cast<tenon_tensor* const*>(value.as.list.data);
    return std::any_of(tensors, tensors + value.count, is_carrier);
  });
}

jint JNICALL call(JNIEnv*, jclass, jlong op, jlong block_address, jboolean direct) {
  const tenon_op* o = pointer<tenon_op>(op);
  CallBlock* block = pointer<CallBlock>(block_address);
  if (!direct) {
    const tenon_status status = tenon_op_call_fast(o, &block->stack);
    // Tells Overrides.java whether the results may contain carriers.
    block->frame.keys = status == TENON_OK && has_carrier(block->stack) ? ~tenon_keyset{0} : 0;
    return status;
  }
  return finish(tenon_frame_begin_boxed(o, block->stack.args, block->stack.nargs, &block->frame),
                block);
}

jlong JNICALL bind_arguments(JNIEnv*, jclass, jlong op, jlong positional, jint positional_count,
                             jlong names, jlong named, jint named_count, jlong values, jint count) {
  const tenon_op* o = pointer<tenon_op>(op);
  tenon_schema* schema = nullptr;
  if (tenon_op_copy_schema(o, &schema) != TENON_OK) return 0;
  int64_t bound = tenon_schema_argument_count(schema);
  if ((tenon_schema_flags(schema) & TENON_SCHEMA_VARARG) != 0) {
    bound = std::max<int64_t>(bound, positional_count);
  }
  tenon_status status = TENON_OK;
  if (bound != count) {
    status = tenon_error_raise(TENON_ERROR_STATE,
                               "call: the operator was redefined while it was called");
  } else {
    status = tenon_schema_bind(schema, pointer<tenon_value>(positional), positional_count,
                               pointer<const char* const>(names), pointer<tenon_value>(named),
                               named_count, pointer<tenon_value>(values));
  }
  if (status == TENON_OK) return address(schema);
  tenon_schema_release(schema);
  return 0;
}

jint JNICALL redispatch(JNIEnv*, jclass, jlong op, jlong keys, jlong block_address,
                        jboolean direct) {
  const tenon_op* o = pointer<tenon_op>(op);
  CallBlock* block = pointer<CallBlock>(block_address);
  const auto set = static_cast<tenon_keyset>(keys);
  // Keys that Java chose may select a kernel that cannot read the tensors.
  const tenon_status fits = tenon_op_check_keys(o, set, block->stack.args, block->stack.nargs);
  if (fits != TENON_OK) return fits;
  if (!direct) {  // count and tags are checked; the error stays in the stack
    const tenon_status status = tenon_op_redispatch(o, set, &block->stack);
    if (status != TENON_OK) tenon_error_set(block->stack.error);
    return status;
  }
  const tenon_status checked = tenon_op_check_arguments(o, block->stack.args, block->stack.nargs);
  if (checked != TENON_OK) return checked;
  return finish(tenon_frame_begin_keys(o, set, &block->frame), block);
}

}  // namespace

const JNINativeMethod kCallMethods[] = {
    native("call1", "(JJ)J", reinterpret_cast<void*>(&call1)),
    native("call2", "(JJJ)J", reinterpret_cast<void*>(&call2)),
    native("call3", "(JJJJ)J", reinterpret_cast<void*>(&call3)),
    native("call4", "(JJJJJ)J", reinterpret_cast<void*>(&call4)),
    native("callTemplate1", "(JJ)J", reinterpret_cast<void*>(&call_template1)),
    native("callTemplate2", "(JJJ)J", reinterpret_cast<void*>(&call_template2)),
    native("callTemplate3", "(JJJJ)J", reinterpret_cast<void*>(&call_template3)),
    native("begin2", "(JJJ)J", reinterpret_cast<void*>(&begin2)),
    native("begin4", "(JJJJJ)J", reinterpret_cast<void*>(&begin4)),
    native("call", "(JJZ)I", reinterpret_cast<void*>(&call)),
    native("bindArguments", "(JJIJJIJI)J", reinterpret_cast<void*>(&bind_arguments)),
    native("redispatch", "(JJJZ)I", reinterpret_cast<void*>(&redispatch)),
};
const int kCallMethodCount = sizeof(kCallMethods) / sizeof(kCallMethods[0]);

}  // namespace tenon::java
