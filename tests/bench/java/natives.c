/* SPDX-License-Identifier: Apache-2.0 */
/* The natives of Natives.java. */
#include <jni.h>

#include <tenon/tenon.h>

static const tenon_op* op;
static tenon_value args[2];

static void fail(JNIEnv* env, const char* message) {
  (*env)->ThrowNew(env, (*env)->FindClass(env, "java/lang/IllegalStateException"), message);
}

JNIEXPORT jlong JNICALL Java_dev_tenon_bench_Natives_noop(JNIEnv* env, jclass type, jlong a,
                                                          jlong b) {
  (void)env, (void)type;
  return a + b;
}

JNIEXPORT void JNICALL Java_dev_tenon_bench_Natives_upcall(JNIEnv* env, jclass type, jint count) {
  const jmethodID visited = (*env)->GetStaticMethodID(env, type, "visited", "(JJ)V");
  jvalue values[2];
  jint i;
  if (visited == NULL) return;
  values[0].j = 1;
  values[1].j = 2;
  for (i = 0; i < count; ++i) {
    (*env)->CallStaticVoidMethodA(env, type, visited, values);
    if ((*env)->ExceptionCheck(env)) return;
  }
}

JNIEXPORT void JNICALL Java_dev_tenon_bench_Natives_prepare(JNIEnv* env, jclass type,
                                                            jstring name) {
  const char* text = (*env)->GetStringUTFChars(env, name, NULL);
  const int64_t size = 1;
  int i;
  (void)type;
  if (text == NULL) return;
  if (tenon_op_find(text, &op) != TENON_OK) fail(env, tenon_error_message(tenon_error_peek()));
  (*env)->ReleaseStringUTFChars(env, name, text);
  for (i = 0; i < 2; ++i) {
    args[i].tag = TENON_TAG_TENSOR;
    if (args[i].as.tensor == NULL &&
        tenon_tensor_new(TENON_DTYPE_F32, NULL, 1, &size, NULL, &args[i].as.tensor) != TENON_OK) {
      fail(env, "no tensor");
    }
  }
}

JNIEXPORT jlong JNICALL Java_dev_tenon_bench_Natives_operator(JNIEnv* env, jclass type,
                                                              jstring name) {
  const char* text = (*env)->GetStringUTFChars(env, name, NULL);
  const tenon_op* found = NULL;
  (void)type;
  if (text == NULL) return 0;
  if (tenon_op_find(text, &found) != TENON_OK) fail(env, tenon_error_message(tenon_error_peek()));
  (*env)->ReleaseStringUTFChars(env, name, text);
  return (jlong)(intptr_t)found;
}

JNIEXPORT jlong JNICALL Java_dev_tenon_bench_Natives_tensor(JNIEnv* env, jclass type, jint index) {
  (void)env, (void)type;
  return (jlong)(intptr_t)args[index].as.tensor;
}

JNIEXPORT jint JNICALL Java_dev_tenon_bench_Natives_typed(JNIEnv* env, jclass type, jlong op,
                                                          jlong a, jlong b) {
  typedef tenon_status (*typed_fn)(const tenon_frame*, tenon_tensor*, tenon_tensor*);
  tenon_tensor* first = (tenon_tensor*)(intptr_t)a;
  tenon_tensor* second = (tenon_tensor*)(intptr_t)b;
  tenon_frame frame;
  const tenon_entry* entry =
      tenon_frame_begin2((const tenon_op*)(intptr_t)op, first, second, &frame);
  tenon_status status;
  (void)type;
  if (entry == NULL || entry->signature != UINT64_C(0x6cbb2419e1e17951)) { /* TT> */
    fail(env, "no typed kernel");
    return 0;
  }
  status = ((typed_fn)entry->typed)(&frame, first, second);
  if (status != TENON_OK) return tenon_frame_end(&frame, status);
  __atomic_store_n(frame.leave_word, frame.leave_value, __ATOMIC_RELEASE);
  return TENON_OK;
}

JNIEXPORT void JNICALL Java_dev_tenon_bench_Natives_callLambda(JNIEnv* env, jclass type,
                                                               jint count) {
  tenon_stack stack = {args, NULL, 2, 0, NULL, {0, 0}};
  jint i;
  (void)type;
  for (i = 0; i < count; ++i) {
    if (tenon_op_call_fast(op, &stack) != TENON_OK) {
      fail(env, tenon_error_message(tenon_error_peek()));
      return;
    }
  }
}
