// SPDX-License-Identifier: Apache-2.0
// Loading: registers the natives with their class, starts counting definitions and logs warnings.
#include "runtime.h"

namespace {

using namespace tenon::java;

void count_definition(void*, uint32_t, const tenon_op*) {
  g_definitions.fetch_add(1, std::memory_order_release);
}

}  // namespace

extern "C" JNIEXPORT jint JNICALL JNI_OnLoad(JavaVM* vm, void*) {
  g_vm = vm;
  void* raw = nullptr;
  if (vm->GetEnv(&raw, JNI_VERSION_10) != JNI_OK) return JNI_ERR;
  auto* env = static_cast<JNIEnv*>(raw);
  jclass natives = env->FindClass("dev/tenon/internal/Native");
  if (natives == nullptr) return JNI_ERR;
  if (env->RegisterNatives(natives, kCallMethods, kCallMethodCount) != JNI_OK) return JNI_ERR;
  if (env->RegisterNatives(natives, kErrorMethods, kErrorMethodCount) != JNI_OK) return JNI_ERR;
  if (env->RegisterNatives(natives, kSupportMethods, kSupportMethodCount) != JNI_OK) return JNI_ERR;
  g_natives = static_cast<jclass>(env->NewGlobalRef(natives));
  env->DeleteLocalRef(natives);
  if (g_natives == nullptr) return JNI_ERR;
  if (tenon_registry_add_listener(&count_definition, nullptr, nullptr, nullptr) != TENON_OK ||
      tenon_warning_set_default_handler(&call_java_warning, nullptr, nullptr) != TENON_OK) {
    tenon_error_release(tenon_error_take());
    return JNI_ERR;
  }
  return JNI_VERSION_10;
}
