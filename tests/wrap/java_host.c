/* SPDX-License-Identifier: Apache-2.0 */
/* Starts a Java VM in this process and runs the calls of the class `Calls` in it. */
#include <stdio.h>
#include <stdlib.h>

#include <jni.h>

int run_calls(void);
int run_calls(void) {
  char classpath[4096], library[4096];
  JavaVMOption options[] = {{.optionString = classpath}, {.optionString = library}};
  JavaVMInitArgs arguments = {JNI_VERSION_10, 2, options, JNI_FALSE};
  JavaVM* vm = NULL;
  JNIEnv* env = NULL;
  snprintf(classpath, sizeof classpath, "-Djava.class.path=%s", getenv("TENON_TEST_CLASSPATH"));
  snprintf(library, sizeof library, "-Dtenon.library.path=%s", getenv("TENON_LIB_DIR"));
  if (JNI_CreateJavaVM(&vm, (void**)&env, &arguments) != JNI_OK) return -1;
  const jclass calls = (*env)->FindClass(env, "Calls");
  const jmethodID run = calls ? (*env)->GetStaticMethodID(env, calls, "run", "()I") : NULL;
  int failures = run ? (*env)->CallStaticIntMethod(env, calls, run) : -1;
  if ((*env)->ExceptionCheck(env)) {
    (*env)->ExceptionDescribe(env);
    failures = -1;
  }
  (*vm)->DestroyJavaVM(vm);
  return failures;
}
