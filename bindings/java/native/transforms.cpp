// SPDX-License-Identifier: Apache-2.0
// Calls from C into batching rules written in Java.
#include "runtime.h"

namespace tenon::java {

tenon_status call_java_vmap_rule(void* ctx, const tenon_op* op, const tenon_vmap_info* info,
                                 const int64_t* in_dims, tenon_stack* stack,
                                 tenon_value* out_dims) {
  JNIEnv* env = environment();
  if (env == nullptr) return refuse_call(stack);
  const void* const subject[] = {info, in_dims, out_dims};
  const Upcall upcall{op, 0, stack, subject};
  return call_bridge_handle(env, kVmapRule, static_cast<Ref*>(ctx)->id, &upcall);
}

}  // namespace tenon::java
