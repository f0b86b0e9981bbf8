// SPDX-License-Identifier: Apache-2.0
#include "graph/define.h"

#include "base/check.h"
#include "dispatch/kernel_guard.h"
#include "graph/plan.h"

namespace tenon::graph {

namespace {

tenon_status run_graph(void* ctx, const tenon_op*, tenon_keyset, tenon_stack* stack) {
  return dispatch::guard_kernel(stack, [&] {
    static_cast<Graph*>(ctx)->plan().run(stack);
    return TENON_OK;
  });
}

// Returns the schema of the operator, such as "ns::name(Tensor x0, Tensor x1) -> (Tensor, Tensor)".
std::string schema_text(const Graph& graph, std::string_view name) {
  std::string text = base::concat(name, '(');
  for (size_t i = 0; i < graph.inputs().size(); ++i) {
    base::append(text, i == 0 ? "Tensor " : ", Tensor ");
    base::append(text, graph.inputs()[i].name);
  }
  text += ") -> ";
  const size_t count = graph.outputs().size();
  if (count != 1) text += '(';
  for (size_t i = 0; i < count; ++i) {
    const tenon_value& output = graph.outputs()[i];
    const bool is_reference = output.tag == TENON_TAG_REF;
    const schema::Type* type =
        is_reference ? graph.values()[static_cast<size_t>(output.as.i)].type : nullptr;
    TENON_CHECK(type != nullptr, TENON_ERROR_NOT_SUPPORTED, "tenon_graph_define: ", name,
                ": output ", i, " must be a tensor, got ", value::print(output));
    if (i != 0) text += ", ";
    text += type->text.view();
  }
  if (count != 1) text += ')';
  return text;
}

}  // namespace

const tenon_op* define_graph(Graph& graph, dispatch::Library* library, std::string_view name) {
  const tenon_op* op = dispatch::define(library, schema_text(graph, name), {});
  tenon_kernel description{};
  description.struct_size = sizeof description;
  description.boxed = &run_graph;
  description.flags = TENON_KERNEL_SYMBOLIC;  // only calls of the graph read sizes
  graph.retain();
  description.ctx = &graph;  // taken over, even on failure
  description.deleter = [](void* ctx) { static_cast<Graph*>(ctx)->release(); };
  description.language = TENON_LANGUAGE_CPP;
  description.name = "run_graph";
  dispatch::implement(library, name, TENON_KEY_COMPOSITE_IMPLICIT_AUTOGRAD,
                      dispatch::make_kernel(description));
  return op;
}

}  // namespace tenon::graph
