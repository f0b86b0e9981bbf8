// SPDX-License-Identifier: Apache-2.0
// Graph passes written in Java.
#include <vector>

#include "runtime.h"

namespace tenon::java {

namespace {

/// A running pass.
struct RunningPass {
  int32_t id;                      // id of the pass
  std::vector<tenon_value> owned;  // replacements of the last call's results

  void clear() {
    for (tenon_value& value : owned) tenon_value_clear(&value);
    owned.clear();
  }
  ~RunningPass() { clear(); }
};

tenon_status look(void* ctx, const tenon_graph* from, int64_t node, const tenon_value* args,
                  tenon_graph* to, tenon_value* results) {
  auto* running = static_cast<RunningPass*>(ctx);
  running->clear();
  JNIEnv* env = environment();
  tenon_stack stack{};
  if (env == nullptr) {
    refuse_call(&stack);
    return tenon_error_set(stack.error);
  }
  tenon_graph_node described{};
  described.struct_size = sizeof described;
  const tenon_status found = tenon_graph_get_node(from, node, &described);
  if (found != TENON_OK) return found;
  int64_t is_replaced = 0;
  // In the layout that GraphCall.java reads.
  const int64_t subject[] = {
      address(described.op), address(args),      address(to),          address(results), node,
      described.nargs,       described.nresults, address(&is_replaced)};
  const Upcall upcall{nullptr, 0, &stack, subject};
  const tenon_status status = call_bridge_handle(env, kGraphPass, running->id, &upcall);
  if (status != TENON_OK) return tenon_error_set(stack.error);
  if (is_replaced == 0) return TENON_DECLINED;
  // C reads them after this function has returned.
  running->owned.assign(results, results + described.nresults);
  for (int64_t i = 0; i < described.nresults; ++i) {
    results[i].flags &= static_cast<uint16_t>(~TENON_VALUE_OWNED);
  }
  return TENON_OK;
}

}  // namespace

jint JNICALL rewrite_graph(JNIEnv*, jclass, jlong graph, jlong pass, jlong out) {
  RunningPass running{pointer<Ref>(pass)->id, {}};
  return tenon_graph_rewrite(pointer<tenon_graph>(graph), &look, &running,
                             pointer<tenon_graph*>(out));
}

}  // namespace tenon::java
