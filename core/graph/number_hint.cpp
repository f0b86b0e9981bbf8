// SPDX-License-Identifier: Apache-2.0
#include "graph/number_hint.h"

#include "base/symbol_function.h"

namespace tenon::graph {

namespace {

constexpr uint32_t kMostLeaves = 4096;  // limit for evaluation, which visits each

}  // namespace

std::optional<int64_t> hint_of(const Graph& graph, const tenon_value& number, int64_t more) {
  if (number.tag == TENON_TAG_INT || number.tag == TENON_TAG_BOOL) return number.as.i;
  if (number.tag != TENON_TAG_REF) return std::nullopt;
  const Value& its = graph.values()[static_cast<size_t>(number.as.i)];
  if (its.kind == TENON_GRAPH_VALUE_SIZE) {
    const tenon_value& hint = graph.sizes()[its.source].hint;
    return hint.tag == TENON_TAG_INT ? std::optional(hint.as.i + more) : std::nullopt;
  }
  if (its.kind != TENON_GRAPH_VALUE_FUNCTION) return std::nullopt;
  const Function& function = graph.functions()[its.source];
  if (function.leaves > kMostLeaves) return std::nullopt;
  const bool gives_float =
      function.function >= TENON_SYMBOL_TRUEDIV && function.function <= TENON_SYMBOL_FLOAT;
  const auto a = hint_of(graph, function.operands[0], more);
  const auto b = hint_of(graph, function.operands[1], more);
  return a && b && !gives_float ? base::calculate(function.function, *a, *b) : std::nullopt;
}

std::optional<std::vector<int64_t>> hinted_sizes(const Graph& graph, const TensorMeta& meta,
                                                 int64_t more) {
  if (meta.dims == nullptr) return std::vector<int64_t>(meta.sizes, meta.sizes + meta.ndim);
  std::vector<int64_t> sizes;
  for (int32_t d = 0; d < meta.ndim; ++d) {
    const auto size = hint_of(graph, meta.dims[d], more);
    if (!size) return std::nullopt;
    sizes.push_back(*size);
  }
  return sizes;
}

}  // namespace tenon::graph
