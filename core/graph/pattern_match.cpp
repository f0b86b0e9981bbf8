// SPDX-License-Identifier: Apache-2.0
// The search goes from users to what they use. Each value has one call that makes it, so that once
// a call of the pattern is matched, the calls that make its arguments are determined, too. Only
// calls of the pattern that no other call uses are tried with several calls of the graph.
#include "graph/pattern_match.h"

#include <algorithm>

#include "base/check.h"
#include "graph/references.h"
#include "graph/same_value.h"

namespace tenon::graph {

namespace {

bool holds_reference(const tenon_value& value) {
  bool holds = false;
  each_reference(value, [&](uint32_t) { holds = true; });
  return holds;
}

}  // namespace

Matcher::Matcher(const Graph& graph, const Graph& pattern, bool ignores_literals)
    : graph_(graph),
      pattern_(pattern),
      ignores_literals_(ignores_literals),
      effects_(graph),
      is_output_(pattern.values().size()),
      users_(graph.values().size()),
      elements_(graph.values().size()),
      moved_to_(graph.nodes().size(), -1),
      is_place_(graph.nodes().size()) {
  check_pattern();
  for (const tenon_value& output : pattern.outputs()) {
    is_output_[static_cast<size_t>(output.as.i)] = 1;
  }
  note_users();
}

void Matcher::check_pattern() const {
  TENON_CHECK_ARG(!pattern_.nodes().empty(), kReplacePattern,
                  ": pattern must contain calls, got none");
  std::vector<uint8_t> used(pattern_.values().size());
  for (const Node& node : pattern_.nodes()) {
    for (uint32_t a = 0; a < node.nargs; ++a) {
      each_reference(node.args[a], [&](uint32_t value) { used[value] = 1; });
    }
  }
  for (const Input& input : pattern_.inputs()) {
    TENON_CHECK_ARG(used[input.value], kReplacePattern, ": input ", input.name,
                    " of the pattern must be used by a call, got none");
  }
  for (size_t i = 0; i < pattern_.outputs().size(); ++i) {
    const tenon_value& output = pattern_.outputs()[i];
    const uint32_t kind = output.tag == TENON_TAG_REF
                              ? pattern_.values()[static_cast<size_t>(output.as.i)].kind
                              : TENON_GRAPH_VALUE_INPUT;
    const bool given = kind == TENON_GRAPH_VALUE_RESULT || kind == TENON_GRAPH_VALUE_ELEMENT;
    TENON_CHECK_ARG(given, kReplacePattern, ": output ", i,
                    " of the pattern must be the result of a call, got ", value::print(output));
  }
}

void Matcher::note_users() {
  const auto end = static_cast<uint32_t>(graph_.nodes().size());
  const auto note = [&](const tenon_value& value, uint32_t user) {
    each_reference(value, [&](uint32_t used) { users_[used].push_back(user); });
  };
  for (uint32_t i = 0; i < end; ++i) {
    const Node& node = graph_.nodes()[i];
    for (uint32_t a = 0; a < node.nargs; ++a) note(node.args[a], i);
  }
  for (const tenon_value& output : graph_.outputs()) note(output, end);
  // Values whose sizes are read, or that numbers are computed from, must stay.
  for (const Size& size : graph_.sizes()) {
    if (size.tensor != kUnbound) users_[size.tensor].push_back(end);
  }
  for (const Function& function : graph_.functions()) {
    for (const tenon_value& operand : function.operands) note(operand, end);
  }
  for (uint32_t value = 0; value < graph_.values().size(); ++value) {
    const Value& its = graph_.values()[value];
    if (its.kind == TENON_GRAPH_VALUE_ELEMENT) elements_[its.source].push_back(value);
  }
}

std::vector<Match> Matcher::find_all() {
  std::vector<Match> matches;
  const auto last = static_cast<uint32_t>(pattern_.nodes().size() - 1);
  for (uint32_t node = 0; node < graph_.nodes().size(); ++node) {
    PartialMatch trial{std::vector<uint32_t>(pattern_.nodes().size(), kNone),
                       std::vector<tenon_value>(pattern_.inputs().size()),
                       std::vector<tenon_value>(pattern_.sizes().size()),
                       std::vector<uint32_t>(pattern_.nodes().size())};
    std::optional<Match> found;
    if (!bind_node(trial, last, node) || !solve(trial, &found)) continue;
    for (const uint32_t each : found->nodes) {
      moved_to_[each] = static_cast<int64_t>(found->place);
    }
    is_place_[found->place] = 1;
    matches.push_back(std::move(*found));
  }
  return matches;
}

// Completes a trial; returns false if that is impossible.
bool Matcher::solve(PartialMatch& trial, std::optional<Match>* found) const {
  for (bool progress = true; progress;) {
    progress = false;
    for (auto i = static_cast<uint32_t>(trial.nodes.size()); i-- > 0;) {
      if (trial.nodes[i] == kNone || trial.compared[i] != 0) continue;
      if (!compare(trial, i)) return false;
      progress = true;
    }
  }
  for (auto i = static_cast<uint32_t>(trial.nodes.size()); i-- > 0;) {
    if (trial.nodes[i] == kNone) return choose(trial, i, found);
  }
  *found = accept(trial);
  return found->has_value();
}

// Tries a call of the pattern that no other call uses with each call of the graph.
bool Matcher::choose(const PartialMatch& trial, uint32_t node, std::optional<Match>* found) const {
  for (uint32_t i = 0; i < graph_.nodes().size(); ++i) {
    if (graph_.nodes()[i].op != pattern_.nodes()[node].op) continue;
    PartialMatch next = trial;
    if (bind_node(next, node, i) && solve(next, found)) return true;
  }
  return false;
}

bool Matcher::is_taken(const PartialMatch& trial, uint32_t node) const {
  return moved_to_[node] >= 0 ||
         std::find(trial.nodes.begin(), trial.nodes.end(), node) != trial.nodes.end();
}

bool Matcher::bind_node(PartialMatch& trial, uint32_t pattern, uint32_t node) const {
  if (trial.nodes[pattern] != kNone) return trial.nodes[pattern] == node;
  const Node &wanted = pattern_.nodes()[pattern], &there = graph_.nodes()[node];
  if (wanted.op != there.op || wanted.nargs != there.nargs || is_taken(trial, node)) return false;
  trial.nodes[pattern] = node;
  return true;
}

bool Matcher::compare(PartialMatch& trial, uint32_t node) const {
  trial.compared[node] = 1;
  const Node &wanted = pattern_.nodes()[node], &there = graph_.nodes()[trial.nodes[node]];
  for (uint32_t a = 0; a < wanted.nargs; ++a) {
    if (!unify(trial, wanted.args[a], there.args[a])) return false;
  }
  return true;
}

bool Matcher::unify(PartialMatch& trial, const tenon_value& pattern,
                    const tenon_value& value) const {
  if (pattern.tag == TENON_TAG_REF) {
    return unify_value(trial, static_cast<uint32_t>(pattern.as.i), value);
  }
  if (!holds_reference(pattern)) {
    return ignores_literals_ ? !holds_reference(value) : same_value(pattern, value);
  }
  const bool are_ints = pattern.tag == TENON_TAG_LIST && value.tag == TENON_TAG_INT_LIST;
  if ((pattern.tag != value.tag && !are_ints) || pattern.count != value.count) return false;
  for (uint64_t i = 0; i < value::element_count(pattern); ++i) {
    const tenon_value element =
        are_ints ? tenon_value_of_int(static_cast<const int64_t*>(value.as.list.data)[i])
                 : value::elements(value)[i];
    if (!unify(trial, value::elements(pattern)[i], element)) return false;
  }
  return true;
}

bool Matcher::unify_value(PartialMatch& trial, uint32_t pattern, const tenon_value& value) const {
  const Value& wanted = pattern_.values()[pattern];
  if (wanted.kind == TENON_GRAPH_VALUE_INPUT) {
    tenon_value& bound = trial.inputs[wanted.source];
    if (bound.tag != TENON_TAG_NONE) return same_value(bound, value);
    if (value.tag != TENON_TAG_REF && !is_number(value.tag)) return false;
    bound = value;
    return true;
  }
  if (wanted.kind == TENON_GRAPH_VALUE_SIZE) return unify_size(trial, wanted.source, value);
  if (wanted.kind == TENON_GRAPH_VALUE_FUNCTION) {
    return unify_function(trial, pattern_.functions()[wanted.source], value);
  }
  if (value.tag != TENON_TAG_REF) return false;
  const Value& there = graph_.values()[static_cast<size_t>(value.as.i)];
  if (there.kind != wanted.kind) return false;
  switch (wanted.kind) {
    case TENON_GRAPH_VALUE_ATTRIBUTE:
      return graph_.attributes()[there.source].tensor ==
             pattern_.attributes()[wanted.source].tensor;
    case TENON_GRAPH_VALUE_ELEMENT:
      return there.index == wanted.index &&
             unify_value(trial, wanted.source, reference(there.source));
    default:
      return there.index == wanted.index && bind_node(trial, wanted.source, there.source);
  }
}

// Matches a size of the pattern with a plain number, or with a size or function of the graph. All
// uses of the size must match the same one.
bool Matcher::unify_size(PartialMatch& trial, uint32_t size, const tenon_value& value) const {
  const bool is_number =
      value.tag == TENON_TAG_INT ||
      (value.tag == TENON_TAG_REF && graph_.is_run_number(static_cast<uint32_t>(value.as.i)));
  if (!is_number) return false;
  tenon_value& bound = trial.sizes[size];
  if (bound.tag != TENON_TAG_NONE) return same_value(bound, value);
  bound = value;
  return true;
}

bool Matcher::unify_function(PartialMatch& trial, const Function& wanted,
                             const tenon_value& value) const {
  if (value.tag != TENON_TAG_REF) return false;
  const Value& its = graph_.values()[static_cast<size_t>(value.as.i)];
  if (its.kind != TENON_GRAPH_VALUE_FUNCTION) return false;
  const Function& there = graph_.functions()[its.source];
  if (wanted.function != there.function) return false;
  for (int i = 0; i < wanted.count(); ++i) {
    if (!unify(trial, wanted.operands[i], there.operands[i])) return false;
  }
  return true;
}

// Returns true if the matched sizes are sizes of the matched inputs.
bool Matcher::has_sizes(const PartialMatch& trial) const {
  for (uint32_t i = 0; i < trial.sizes.size(); ++i) {
    const Size& size = pattern_.sizes()[i];
    if (trial.sizes[i].tag == TENON_TAG_NONE || size.tensor == kUnbound) continue;
    const Value& of = pattern_.values()[size.tensor];
    if (of.kind != TENON_GRAPH_VALUE_INPUT) return false;
    const tenon_value& input = trial.inputs[of.source];
    if (input.tag != TENON_TAG_REF) return false;
    const TensorMeta* meta = graph_.values()[static_cast<size_t>(input.as.i)].meta;
    if (meta == nullptr || static_cast<int64_t>(size.dim) >= meta->ndim) return false;
    const tenon_value known =
        meta->dims != nullptr ? meta->dims[size.dim] : tenon_value_of_int(meta->sizes[size.dim]);
    if (!same_value(known, trial.sizes[i])) return false;
  }
  return true;
}

template <class Use>
void Matcher::each_result(uint32_t number, Use&& use) const {
  const Node& node = graph_.nodes()[number];
  for (uint32_t value = node.first_value; value < node.first_value + node.nresults; ++value) {
    use(value);
    for (const uint32_t element : elements_[value]) use(element);
  }
}

// Returns the value of the pattern that matches a value of the graph, -1 if none.
int64_t Matcher::image(const Match& match, uint32_t value) const {
  const Value& its = graph_.values()[value];
  if (its.kind == TENON_GRAPH_VALUE_RESULT) {
    const auto node = std::find(match.nodes.begin(), match.nodes.end(), its.source);
    if (node == match.nodes.end()) return -1;
    return pattern_.nodes()[static_cast<size_t>(node - match.nodes.begin())].first_value +
           its.index;
  }
  if (its.kind != TENON_GRAPH_VALUE_ELEMENT) return -1;
  const int64_t list = image(match, its.source);
  for (uint32_t i = 0; list >= 0 && i < pattern_.values().size(); ++i) {
    const Value& each = pattern_.values()[i];
    if (each.kind == TENON_GRAPH_VALUE_ELEMENT && each.source == list && each.index == its.index) {
      return i;
    }
  }
  return -1;
}

// Returns true if calls outside of the match may use a result of it: an output of the pattern, or
// an element of one.
bool Matcher::may_leave(const Match& match, uint32_t value) const {
  const int64_t own = image(match, value);
  if (own >= 0 && is_output_[static_cast<size_t>(own)]) return true;
  const Value& its = graph_.values()[value];
  return its.kind == TENON_GRAPH_VALUE_ELEMENT && may_leave(match, its.source);
}

std::optional<Match> Matcher::accept(const PartialMatch& trial) const {
  if (!has_sizes(trial)) return std::nullopt;
  Match match{trial.nodes, trial.inputs, 0};
  const auto [first, last] = std::minmax_element(match.nodes.begin(), match.nodes.end());
  const size_t begin = *first, end = *last;
  if (escapes(match) || is_disturbed(match, begin, end) || !place(match, end)) return std::nullopt;
  return match;
}

bool Matcher::escapes(const Match& match) const {
  bool any = false;
  for (const uint32_t node : match.nodes) {
    each_result(node, [&](uint32_t value) {
      if (may_leave(match, value)) return;
      for (const uint32_t user : users_[value]) {
        any = any || std::find(match.nodes.begin(), match.nodes.end(), user) == match.nodes.end();
      }
    });
  }
  return any;
}

// Returns true if moving the calls of a match next to each other would change results: if another
// call between them writes what they read, or reads what they write.
bool Matcher::is_disturbed(const Match& match, size_t first, size_t last) const {
  bool is_written = false, has_effect = false;
  const auto look = [&](const Node& node, auto&& use) {
    for (uint32_t a = 0; a < node.nargs; ++a) each_reference(node.args[a], use);
    for (uint32_t r = 0; r < node.nresults; ++r) use(node.first_value + r);
  };
  for (const uint32_t number : match.nodes) {
    has_effect = has_effect || effects_.has_effect(number);
    look(graph_.nodes()[number],
         [&](uint32_t value) { is_written = is_written || effects_.is_written(value); });
  }
  if (!is_written && !has_effect) return false;
  for (size_t i = first + 1; i < last; ++i) {
    if (std::find(match.nodes.begin(), match.nodes.end(), i) != match.nodes.end()) continue;
    bool touches = effects_.has_effect(i);
    if (has_effect) {
      look(graph_.nodes()[i],
           [&](uint32_t value) { touches = touches || effects_.is_written(value); });
    }
    if (touches) return true;
  }
  return false;
}

// Returns the node after which a value exists, given the matches so far; -1 if it always exists.
int64_t Matcher::available(uint32_t value) const {
  const Value& its = graph_.values()[value];
  if (its.kind == TENON_GRAPH_VALUE_ELEMENT) return available(its.source);
  if (its.kind == TENON_GRAPH_VALUE_SIZE) {
    const uint32_t tensor = graph_.sizes()[its.source].tensor;
    return tensor != kUnbound ? available(tensor) : -1;
  }
  if (its.kind == TENON_GRAPH_VALUE_FUNCTION) {
    int64_t place = -1;
    for (const tenon_value& operand : graph_.functions()[its.source].operands) {
      each_reference(operand, [&](uint32_t one) { place = std::max(place, available(one)); });
    }
    return place;
  }
  if (its.kind != TENON_GRAPH_VALUE_RESULT) return -1;
  // Results of another match are replaced right after its place: they exist from the next node on.
  return moved_to_[its.source] >= 0 ? moved_to_[its.source] + 1 : its.source;
}

// Finds a place for a replacement: after the values that it uses, before the users of its results.
bool Matcher::place(Match& match, size_t last) const {
  auto place = static_cast<int64_t>(last);
  for (const uint32_t node : match.nodes) {
    each_result(node, [&](uint32_t value) {
      for (const uint32_t user : users_[value]) {
        if (user == graph_.nodes().size()) continue;
        if (std::find(match.nodes.begin(), match.nodes.end(), user) != match.nodes.end()) continue;
        const int64_t used_at = moved_to_[user] >= 0 ? moved_to_[user] : user;
        place = std::min(place, used_at - 1);
      }
    });
  }
  match.place = static_cast<size_t>(place);
  if (place < 0) return false;
  return std::all_of(match.inputs.begin(), match.inputs.end(), [&](const tenon_value& input) {
    if (input.tag != TENON_TAG_REF) return true;
    const auto value = static_cast<uint32_t>(input.as.i);
    // Results of the match itself are removed with it.
    return image(match, value) < 0 && available(value) <= place;
  });
}

}  // namespace tenon::graph
