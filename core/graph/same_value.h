// SPDX-License-Identifier: Apache-2.0
// Equality of values as graphs hold them.
#pragma once

#include <cstring>

#include "value/value.h"

namespace tenon::graph {

/// Returns true if two values are equal bit for bit; handles compare by address.
inline bool same_value(const tenon_value& a, const tenon_value& b) noexcept {
  if (a.tag != b.tag || a.count != b.count) return false;
  const auto same_bytes = [&](size_t size) {
    return size == 0 || std::memcmp(a.as.list.data, b.as.list.data, size) == 0;
  };
  switch (a.tag) {
    case TENON_TAG_NONE:
      return true;
    case TENON_TAG_STRING:
    case TENON_TAG_BOOL_LIST:
      return same_bytes(a.count);
    case TENON_TAG_INT_LIST:
    case TENON_TAG_FLOAT_LIST:
      return same_bytes(a.count * sizeof(int64_t));
    case TENON_TAG_COMPLEX:
    case TENON_TAG_STREAM:
      return std::memcmp(&a.as, &b.as, sizeof a.as) == 0;
    case TENON_TAG_DEVICE:
      return a.as.device.type == b.as.device.type && a.as.device.index == b.as.device.index;
    default:
      break;
  }
  if (!value::is_value_list(a.tag)) return a.as.words[0] == b.as.words[0];
  for (uint64_t i = 0; i < value::element_count(a); ++i) {
    if (!same_value(value::elements(a)[i], value::elements(b)[i])) return false;
  }
  return true;
}

}  // namespace tenon::graph
