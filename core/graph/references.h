// SPDX-License-Identifier: Apache-2.0
// References to values in the arguments and outputs of a graph, and their replacement.
#pragma once

#include "graph/arena.h"
#include "value/value.h"

struct tenon_graph;

namespace tenon::graph {

template <class Use>
void each_reference(const tenon_value& value, Use&& use) {
  if (value.tag == TENON_TAG_REF) {
    use(static_cast<uint32_t>(value.as.i));
  } else if (value::is_value_list(value.tag)) {
    for (uint64_t i = 0; i < value::element_count(value); ++i) {
      each_reference(value::elements(value)[i], use);
    }
  }
}

/// Returns the value with each reference replaced by `replacement(number)`; new lists are in the
/// arena.
template <class Replacement>
tenon_value with_references(const tenon_value& value, Arena& arena, Replacement&& replacement) {
  if (value.tag == TENON_TAG_REF) return replacement(static_cast<uint32_t>(value.as.i));
  if (!value::is_value_list(value.tag)) return value;
  const uint64_t count = value::element_count(value);
  auto* elements = arena.make<tenon_value>(count);
  for (uint64_t i = 0; i < count; ++i) {
    elements[i] = with_references(value::elements(value)[i], arena, replacement);
  }
  return tenon_value_of_elements(value.tag, elements, value.count);
}

/// Returns a reference to a value of a graph, for use as an argument.
inline tenon_value reference(uint32_t value) noexcept {
  return tenon_value_of_number(TENON_TAG_REF, value);
}

/// Returns true for the tag of a number, which is accepted where a schema requires a tensor.
inline bool is_number(uint16_t tag) noexcept {
  return tag >= TENON_TAG_BOOL && tag <= TENON_TAG_COMPLEX;
}

/// See tenon_graph_list_users.
std::vector<int64_t> users_of(const tenon_graph& graph, uint32_t value);

}  // namespace tenon::graph
