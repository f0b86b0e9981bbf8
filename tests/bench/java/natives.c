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

JNIEXPORT void JNICALL Java_dev_tenon_bench_Natives_callLambda(JNIEnv* env, jclass type,
                                                               jint count) {
  tenon_stack stack = {args, NULL, 2, 0, NULL, {0, 0}};
  jint i;
  (void)type;
  for (i = 0; i < count; ++i) {
    if (tenon_op_call(op, &stack) != TENON_OK) {
      fail(env, tenon_error_message(tenon_error_peek()));
      return;
    }
  }
}
