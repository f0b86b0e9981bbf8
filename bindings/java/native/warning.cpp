// SPDX-License-Identifier: Apache-2.0
// Calls from C into the warning handler: a Java object, or the logger if none was set.
#include <cstring>

#include "runtime.h"

namespace tenon::java {

namespace {

tenon_value borrowed_text(const char* text) {
  return tenon_value_of_string(text, static_cast<uint32_t>(std::strlen(text)));
}

}  // namespace

tenon_status call_java_warning(void* ctx, const char* category, const char* message,
                               const char* op) {
  JNIEnv* env = environment();
  // The virtual machine has ended, so there is no handler to call.
  if (env == nullptr || !open_bridge(env)) return TENON_OK;
  tenon_value texts[] = {borrowed_text(category), borrowed_text(message), borrowed_text(op)};
  tenon_stack stack{};
  stack.args = texts;
  stack.nargs = 3;
  const Upcall upcall{nullptr, 0, &stack};
  const int32_t id = ctx != nullptr ? static_cast<Ref*>(ctx)->id : kLogger;
  const tenon_status status = call_bridge_handle(env, kWarning, id, &upcall);
  return status == TENON_OK ? status : tenon_error_set(stack.error);
}

}  // namespace tenon::java
