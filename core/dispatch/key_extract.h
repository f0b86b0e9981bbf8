// SPDX-License-Identifier: Apache-2.0
// Key extraction: which keys a call's arguments carry, one rule from the schema for all kinds of
// call.
#pragma once

#include <cstdint>

#include "dispatch/key_set.h"
#include "dispatch/snapshot.h"
#include "tenon/value.h"
#include "tensor/tensor.h"

namespace tenon::dispatch {

/// Keys of all arguments, for any snapshot. False when the count or the tag at a position of a
/// tensor type differs from the schema. Touches no reference count.
bool extract_keys(const Snapshot& snapshot, const tenon_value* args, uint32_t nargs,
                  tenon_keyset* out_keys) noexcept;

constexpr tenon_keyset kOverrideBit = functionality_bit(TENON_FUNCTIONALITY_OVERRIDE);

/// Keys of one value of any kind, lists, tuples and dicts included.
tenon_keyset scan_value(const tenon_value& value) noexcept;

inline tenon_keyset tensor_keys(const tenon_tensor* tensor) noexcept { return tensor->keys(); }

/// The same for operators whose first one to three arguments are all their tensors (`kind`, not 0).
/// False means only that the careful way has to look.
[[gnu::always_inline]] inline bool extract_plain_keys(const Snapshot& snapshot,
                                                      const tenon_value* args,
                                                      tenon_keyset* out_keys) noexcept {
  if (args[0].tag != TENON_TAG_TENSOR) return false;
  tenon_keyset keys = tensor_keys(args[0].as.tensor);
  if (snapshot.kind == 2) [[likely]] {
    if (args[1].tag != TENON_TAG_TENSOR) return false;
    keys |= tensor_keys(args[1].as.tensor);
  } else if (snapshot.kind == 3) {
    if (args[1].tag != TENON_TAG_TENSOR || args[2].tag != TENON_TAG_TENSOR) return false;
    keys |= tensor_keys(args[1].as.tensor) | tensor_keys(args[2].as.tensor);
  }
  *out_keys = keys;
  return true;
}

}  // namespace tenon::dispatch
