// SPDX-License-Identifier: Apache-2.0
// Passes that call a caller's function for each call.
#include "base/check.h"
#include "graph/frames.h"
#include "graph/passes.h"
#include "graph/rewrite.h"

namespace tenon::graph {

namespace {

class CallbackPass {
 public:
  CallbackPass(const Graph& from, tenon_graph_rewrite_fn function, void* ctx)
      : from_(from), function_(function), ctx_(ctx), rewrite_(from) {}

  GraphPtr run() {
    const size_t count = from_.nodes().size();  // fixed: the function may record into it
    for (size_t i = 0; i < count; ++i) {
      try {
        look(i);
      } catch (const Error& error) {
        error.object()->add_note(print_node(from_, i));
        throw;
      }
    }
    return rewrite_.finish();
  }

 private:
  void look(size_t number) {
    const Node node = from_.nodes()[number];
    std::vector<tenon_value> args(node.args, node.args + node.nargs);
    for (tenon_value& arg : args) arg = rewrite_.mapped(arg);
    std::vector<tenon_value> results(node.nresults);
    const size_t first = rewrite_.to().nodes().size();
    const tenon_status status = function_(ctx_, &from_, static_cast<int64_t>(number), args.data(),
                                          &rewrite_.to(), results.data());
    if (status == TENON_DECLINED) {
      TENON_CHECK(rewrite_.to().nodes().size() == first, TENON_ERROR_STATE,
                  "tenon_graph_rewrite: a function that keeps a call (TENON_DECLINED) must not "
                  "append other calls, got ",
                  rewrite_.to().nodes().size() - first);
      return rewrite_.keep(node);
    }
    if (status != TENON_OK) {
      throw Error(base::adopt_current_error("tenon_graph_rewrite", "function", status, true));
    }
    rewrite_.to().copy_frames(node, first);
    for (uint32_t r = 0; r < node.nresults; ++r) {
      rewrite_.stand(node.first_value + r, results[r]);
    }
  }

  const Graph& from_;
  const tenon_graph_rewrite_fn function_;
  void* const ctx_;
  Rewrite rewrite_;
};

}  // namespace

GraphPtr rewrite_by(const Graph& graph, tenon_graph_rewrite_fn function, void* ctx) {
  return CallbackPass(graph, function, ctx).run();
}

}  // namespace tenon::graph
