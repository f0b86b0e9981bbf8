// SPDX-License-Identifier: Apache-2.0
// Replaces parts of a graph by another graph.
#include "base/check.h"
#include "base/symbol_function.h"
#include "graph/passes.h"
#include "graph/pattern_match.h"
#include "graph/references.h"
#include "graph/rewrite.h"

namespace tenon::graph {

namespace {

void check_replacement(const Graph& pattern, const Graph& replacement) {
  TENON_CHECK_ARG(replacement.inputs().size() == pattern.inputs().size(), kReplacePattern,
                  ": replacement must have the pattern's ", pattern.inputs().size(),
                  " inputs, got ", replacement.inputs().size());
  TENON_CHECK_ARG(replacement.outputs().size() == pattern.outputs().size(), kReplacePattern,
                  ": replacement must have the pattern's ", pattern.outputs().size(),
                  " outputs, got ", replacement.outputs().size());
}

/// Copies the calls of a replacement to the place of one match.
class Copy {
 public:
  Copy(const Graph& replacement, Rewrite& rewrite)
      : from_(replacement), to_(rewrite.to()), made_(replacement.values().size()) {}

  void make(std::span<const tenon_value> inputs, const Node& frames) {
    for (size_t i = 0; i < inputs.size(); ++i) made_[from_.inputs()[i].value] = inputs[i];
    const size_t first = to_.nodes().size();
    for (const Node& node : from_.nodes()) append(node);
    for (Guard guard : from_.guards()) {
      for (tenon_value& operand : guard.operands) operand = mapped(operand);
      to_.add_guard(std::move(guard));
    }
    to_.copy_frames(frames, first);
  }
  tenon_value mapped(const tenon_value& value) {
    return with_references(value, arena_, [this](uint32_t number) { return made(number); });
  }

 private:
  void append(const Node& node) {
    std::vector<tenon_value> args(node.args, node.args + node.nargs);
    for (tenon_value& arg : args) arg = mapped(arg);
    const uint32_t first = to_.append(node.op, args);
    for (uint32_t r = 0; r < node.nresults; ++r) {
      made_[node.first_value + r] = reference(first + r);
    }
  }
  tenon_value made(uint32_t value) {
    if (made_[value].tag != TENON_TAG_NONE) return made_[value];
    return made_[value] = fresh(from_.values()[value]);
  }
  tenon_value fresh(const Value& its) {
    switch (its.kind) {
      case TENON_GRAPH_VALUE_ATTRIBUTE:
        return to_.hold(tenon_value_of_tensor(from_.attributes()[its.source].tensor.get()));
      case TENON_GRAPH_VALUE_SIZE:
        return size(from_.sizes()[its.source]);
      case TENON_GRAPH_VALUE_FUNCTION:
        return function(from_.functions()[its.source]);
      default:
        return reference(to_.add_element(made(its.source).as.i, its.index));
    }
  }
  // Returns a size of the tensor that replaces the one that the size was read from.
  tenon_value size(Size size) {
    const tenon_value of = size.tensor != kUnbound ? made(size.tensor) : tenon_value_of_none();
    TENON_CHECK_ARG(of.tag == TENON_TAG_REF, kReplacePattern, ": ", size.name,
                    " of the replacement must be the size of a tensor of the pattern, got ",
                    value::print(of));
    size.tensor = static_cast<uint32_t>(of.as.i);
    const TensorMeta* meta = to_.values()[size.tensor].meta;
    if (meta != nullptr && static_cast<int64_t>(size.dim) < meta->ndim) {
      return meta->dims != nullptr ? meta->dims[size.dim]
                                   : tenon_value_of_int(meta->sizes[size.dim]);
    }
    size.name.clear();
    return reference(to_.add_size(std::move(size)));
  }
  tenon_value function(const Function& function) {
    const tenon_value a = mapped(function.operands[0]), b = mapped(function.operands[1]);
    if (a.tag == TENON_TAG_INT && b.tag == TENON_TAG_INT) {
      if (const auto known = base::calculate(function.function, a.as.i, b.as.i)) {
        return tenon_value_of_int(*known);
      }
    }
    return reference(to_.add_function(function.function, a, b));
  }

  const Graph& from_;
  Graph& to_;
  std::vector<tenon_value> made_;  // by value of the replacement; NONE if not made yet
  Arena arena_;
};

}  // namespace

GraphPtr replace_pattern(const Graph& graph, const Graph& pattern, const Graph& replacement,
                         uint32_t flags, int64_t* out_count) {
  TENON_CHECK_ARG((flags & ~TENON_GRAPH_IGNORE_LITERALS) == 0, kReplacePattern,
                  ": flags must be TENON_GRAPH_IGNORE_LITERALS or 0, got ", flags);
  check_replacement(pattern, replacement);
  Matcher matcher(graph, pattern, flags != 0);
  const std::vector<Match> matches = matcher.find_all();
  Rewrite rewrite(graph);
  for (size_t i = 0; i < graph.nodes().size(); ++i) {
    if (!matcher.is_matched(i)) rewrite.keep(graph.nodes()[i]);
    if (!matcher.is_place(i)) continue;
    for (const Match& match : matches) {
      if (match.place != i) continue;
      std::vector<tenon_value> inputs = match.inputs;
      for (tenon_value& input : inputs) input = rewrite.mapped(input);
      Copy copy(replacement, rewrite);
      copy.make(inputs, graph.nodes()[match.nodes.back()]);
      for (size_t o = 0; o < pattern.outputs().size(); ++o) {
        const tenon_value made = copy.mapped(replacement.outputs()[o]);
        matcher.each_output_value(match, static_cast<uint32_t>(pattern.outputs()[o].as.i),
                                  [&](uint32_t value) { rewrite.stand(value, made); });
      }
    }
  }
  GraphPtr made = rewrite.finish();
  if (out_count != nullptr) *out_count = static_cast<int64_t>(matches.size());
  return made;
}

}  // namespace tenon::graph
