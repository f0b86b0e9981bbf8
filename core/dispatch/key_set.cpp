// SPDX-License-Identifier: Apache-2.0
#include "dispatch/key_set.h"

#include <algorithm>

namespace tenon::dispatch {

namespace {

// Returns the lowest functionality that a key covers; alias keys cover several.
uint32_t lowest_functionality(tenon_key key) {
  switch (key) {
    case TENON_KEY_AUTOGRAD:
      return TENON_FUNCTIONALITY_AUTOGRAD;
    case TENON_KEY_AUTOCAST:
      return TENON_FUNCTIONALITY_AUTOCAST;
    case TENON_KEY_BATCHED_DECOMPOSITION:
      return TENON_FUNCTIONALITY_BATCHED;
    case TENON_KEY_COMPOSITE_IMPLICIT_AUTOGRAD:
    case TENON_KEY_COMPOSITE_EXPLICIT_AUTOGRAD:
    case TENON_KEY_COMPOSITE_EXPLICIT_AUTOGRAD_NON_FUNCTIONAL:
    case TENON_KEY_UNDEFINED:
      return TENON_FUNCTIONALITY_DENSE;
    default:
      return std::min(functionality_of(key), kFunctionalityCount - 1);
  }
}

}  // namespace

tenon_keyset keyset_of(tenon_key key) {
  const uint32_t functionality = functionality_of(key);
  tenon_keyset keys = functionality_bit(functionality);
  if (is_per_backend(functionality)) keys |= backend_bit(backend_of(key));
  return keys;
}

bool has_key(tenon_keyset keys, tenon_key key) {
  if (!is_runtime_key(key)) return false;
  const tenon_keyset wanted = keyset_of(key);
  return (keys & wanted) == wanted;
}

tenon_key highest_key(tenon_keyset keys) {
  const tenon_keyset functionalities = keys & kFunctionalityMask;
  if (functionalities == 0) return TENON_KEY_UNDEFINED;
  const uint32_t functionality =
      63 - static_cast<uint32_t>(__builtin_clzll(functionalities)) - kBackendCount;
  if (!is_per_backend(functionality)) return functionality;
  const uint32_t backends = static_cast<uint32_t>(keys & kBackendMask) | 1;
  return make_key(functionality, 31 - static_cast<uint32_t>(__builtin_clz(backends)));
}

tenon_keyset keys_below(tenon_key key) {
  const tenon_keyset bit = functionality_bit(lowest_functionality(key));
  return kBackendMask | (bit - 1);
}

tenon_keyset remove_key(tenon_keyset keys, tenon_key key) {
  for (const tenon_key part : expand_key(key)) {
    // Undefined and numbers that are not keys have no bit.
    const uint32_t functionality = functionality_of(part);
    if (functionality >= kFunctionalityCount || backend_of(part) >= kBackendCount) continue;
    keys &= ~functionality_bit(functionality);
  }
  return keys;
}

std::vector<tenon_key> keys_in(tenon_keyset keys) {
  std::vector<tenon_key> found;
  for (uint32_t functionality = kFunctionalityCount; functionality-- > 0;) {
    if ((keys & functionality_bit(functionality)) == 0 || !is_functionality(functionality))
      continue;
    if (!is_per_backend(functionality)) {
      found.push_back(functionality);
      continue;
    }
    for (uint32_t backend = kBackendCount; backend-- > 0;) {
      if ((keys & backend_bit(backend)) == 0) continue;
      if (is_backend(static_cast<int32_t>(backend))) {
        found.push_back(make_key(functionality, backend));
      }
    }
  }
  return found;
}

std::string print_keys(tenon_keyset keys) {
  std::string text = "{";
  for (const tenon_key key : keys_in(keys)) {
    if (text.size() > 1) text += ", ";
    text += key_name(key);
  }
  return text + "}";
}

}  // namespace tenon::dispatch
