// SPDX-License-Identifier: Apache-2.0
#include "dispatch/key_extract.h"

#include "value/object.h"

namespace tenon::dispatch {

namespace {

constexpr int kMaxNesting = 64;  // of lists and dicts: deeper ones are not looked into

bool overrides(const tenon_value& value) noexcept {
  return value.tag == TENON_TAG_OBJECT && value.as.object != nullptr &&
         value.as.object->type()->override != nullptr;
}

tenon_keyset list_keys(const tenon_value& value) noexcept {
  const auto* tensors = static_cast<const tenon_tensor* const*>(value.as.list.data);
  tenon_keyset keys = 0;
  for (uint32_t i = 0; i < value.count; ++i) {
    if (tensors[i] != nullptr) keys |= tensor_keys(tensors[i]);
  }
  return keys;
}

tenon_keyset scan(const tenon_value& value, int depth) noexcept {
  switch (value.tag) {
    case TENON_TAG_TENSOR:
      // Nobody has looked into what a list of anything holds.
      return value.as.tensor != nullptr ? tensor_keys(value.as.tensor) : 0;
    case TENON_TAG_TENSOR_LIST:
      return list_keys(value);
    case TENON_TAG_OBJECT:
      return overrides(value) ? kOverrideBit : 0;
    case TENON_TAG_LIST:
    case TENON_TAG_TUPLE:
    case TENON_TAG_DICT: {
      if (depth == kMaxNesting) return 0;
      const auto* elements = static_cast<const tenon_value*>(value.as.list.data);
      const uint32_t count = value.tag == TENON_TAG_DICT ? 2 * value.count : value.count;
      tenon_keyset keys = 0;
      for (uint32_t i = 0; i < count; ++i) keys |= scan(elements[i], depth + 1);
      return keys;
    }
    default:
      return 0;
  }
}

// Calls `visit` with each set position; stops and returns false when it does.
template <class Visit>
bool each_position(uint64_t positions, Visit visit) noexcept {
  for (; positions != 0; positions &= positions - 1) {
    if (!visit(static_cast<uint32_t>(__builtin_ctzll(positions)))) return false;
  }
  return true;
}

}  // namespace

tenon_keyset scan_value(const tenon_value& value) noexcept { return scan(value, 0); }

bool extract_keys(const Snapshot& snapshot, const tenon_value* args, uint32_t nargs,
                  tenon_keyset* out_keys) noexcept {
  const auto wanted = static_cast<uint32_t>(snapshot.counts);
  const bool vararg = (snapshot.flags & kHasVararg) != 0;
  if (nargs != wanted && !(vararg && nargs > wanted)) return false;
  tenon_keyset keys = 0;
  const bool good = each_position(snapshot.plain,
                                  [&](uint32_t i) {
                                    if (args[i].tag == TENON_TAG_TENSOR) {
                                      keys |= tensor_keys(args[i].as.tensor);
                                      return true;
                                    }
                                    if (overrides(args[i])) keys |= kOverrideBit;
                                    return overrides(args[i]);
                                  }) &&
                    each_position(snapshot.optional & ~snapshot.lists,
                                  [&](uint32_t i) {
                                    if (args[i].tag == TENON_TAG_NONE) return true;
                                    if (args[i].tag == TENON_TAG_TENSOR) {
                                      keys |= tensor_keys(args[i].as.tensor);
                                      return true;
                                    }
                                    if (overrides(args[i])) keys |= kOverrideBit;
                                    return overrides(args[i]);
                                  }) &&
                    each_position(snapshot.lists, [&](uint32_t i) {
                      if (args[i].tag == TENON_TAG_TENSOR_LIST) {
                        keys |= list_keys(args[i]);
                        return true;
                      }
                      if (overrides(args[i])) keys |= kOverrideBit;
                      return overrides(args[i]) ||
                             (args[i].tag == TENON_TAG_NONE && (snapshot.optional >> i & 1) != 0);
                    });
  if (!good) return false;
  each_position(snapshot.scanned, [&](uint32_t i) {
    keys |= scan(args[i], 0);
    return true;
  });
  const uint32_t known = wanted < 64 ? wanted : 64;
  if (vararg || (snapshot.flags & kHasManyArgs) != 0) {
    for (uint32_t i = known; i < nargs; ++i) keys |= scan(args[i], 0);
  }
  *out_keys = keys;
  return true;
}

}  // namespace tenon::dispatch
