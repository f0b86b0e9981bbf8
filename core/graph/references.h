// SPDX-License-Identifier: Apache-2.0
// The values that an argument or output of a graph names.
#pragma once

#include "value/value.h"

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

}  // namespace tenon::graph
