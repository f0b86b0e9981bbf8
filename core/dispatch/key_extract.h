// SPDX-License-Identifier: Apache-2.0
// Key extraction: collects the keys that a call's arguments carry, by one rule from the schema for
// all kinds of calls.
#pragma once

#include <cstdint>

#include "dispatch/key_set.h"
#include "dispatch/snapshot.h"
#include "tenon/key.h"
#include "tenon/value.h"
#include "tensor/tensor.h"

namespace tenon::dispatch {

inline tenon_keyset tensor_keys(const tenon_tensor* tensor) noexcept { return tensor->call_keys(); }

/// How closely arguments are checked: only the tags at positions that may hold tensors, or all
/// types.
enum class Checks { kTensors, kAll };

/// Collects the keys of all arguments, for any snapshot and any values. Returns false if the count
/// or what `checks` covers differs from the schema. Touches no reference count.
template <Checks checks>
bool extract_keys(const Snapshot& snapshot, const tenon_value* args, uint32_t nargs,
                  tenon_keyset* out_keys) noexcept;
extern template bool extract_keys<Checks::kTensors>(const Snapshot&, const tenon_value*, uint32_t,
                                                    tenon_keyset*) noexcept;
extern template bool extract_keys<Checks::kAll>(const Snapshot&, const tenon_value*, uint32_t,
                                                tenon_keyset*) noexcept;

/// Returns true if gradients may flow to an argument. The arguments must have been checked.
/// Carrying Autograd is not enough: views carry the key in case they become tracked later, and most
/// never do.
bool any_tracked(const Snapshot& snapshot, const tenon_value* args) noexcept;
/// Like any_tracked() above, for the tensors of a typed call; absent tensors are NULL.
inline bool any_tracked(const tenon_tensor* const* tensors, int64_t count) noexcept {
  for (int64_t i = 0; i < count; ++i) {
    if (tensors[i] != nullptr && tensors[i]->may_be_tracked()) return true;
  }
  return false;
}

constexpr tenon_keyset kOverrideBit = functionality_bit(TENON_FUNCTIONALITY_OVERRIDE);

/// Returns the keys of one value of any kind, including those inside lists, tuples and dicts.
tenon_keyset scan_value(const tenon_value& value) noexcept;

/// Like extract_keys(), but inlined, for operators whose first one to three arguments are all their
/// tensors. `counts` packs the number of arguments (low 32 bits) and of results, limited to `mask`.
/// Returns false if the slow path must examine the arguments.
[[gnu::always_inline]] inline bool extract_plain_keys(const Snapshot& snapshot, uint64_t counts,
                                                      uint64_t mask, const tenon_value* args,
                                                      tenon_keyset* out_keys) noexcept {
  // two plain tensors in front, no other tensors
  if (counts == (snapshot.pair_counts & mask)) [[likely]] {
    if (args[0].tag != TENON_TAG_TENSOR) [[unlikely]] {
      return false;
    }
    if (args[1].tag != TENON_TAG_TENSOR) [[unlikely]] {
      return false;
    }
    *out_keys = tensor_keys(args[0].as.tensor) | tensor_keys(args[1].as.tensor);
    return true;
  }
  // one or three plain tensors in front, no other tensors
  if (counts != (snapshot.counts & mask) || (snapshot.flags & kOneOrThree) == 0) return false;
  if (args[0].tag != TENON_TAG_TENSOR) return false;
  tenon_keyset keys = tensor_keys(args[0].as.tensor);
  if (snapshot.front == 3) {
    if (args[1].tag != TENON_TAG_TENSOR || args[2].tag != TENON_TAG_TENSOR) return false;
    keys |= tensor_keys(args[1].as.tensor) | tensor_keys(args[2].as.tensor);
  }
  *out_keys = keys;
  return true;
}

/// Like extract_plain_keys(), for any mix of tensors, optional tensors, tensor lists and other
/// arguments, whose count has been checked. Returns false if the slow path must examine the
/// arguments.
template <Checks checks>
[[gnu::always_inline]] inline bool scan_keys(const Snapshot& snapshot, const tenon_value* args,
                                             tenon_keyset* out_keys) noexcept {
  tenon_keyset keys = 0;
  const tenon_value* value = args;
  for (const tenon_value* end = args + snapshot.front; value != end; ++value) {
    if (value->tag != TENON_TAG_TENSOR) return false;
    if (checks == Checks::kAll && value->as.tensor == nullptr) return false;
    keys |= tensor_keys(value->as.tensor);
  }
  const uint32_t last = checks == Checks::kAll ? snapshot.nargs() : snapshot.looked_at;
  const ArgumentPlan* plan = snapshot.plans() + snapshot.front;
  for (const tenon_value* end = args + last; value < end; ++value, ++plan) {
    if (checks == Checks::kTensors && (*plan & kCarriesKeys) == 0) continue;
    const uint32_t tag = value->tag;
    if (tag >= kPlanTags || (*plan >> tag & 1) == 0) return false;
    if (tag == TENON_TAG_TENSOR) {
      if (checks == Checks::kAll && value->as.tensor == nullptr) return false;
      keys |= tensor_keys(value->as.tensor);
    } else if (tag == TENON_TAG_TENSOR_LIST) {
      const auto* tensors = static_cast<const tenon_tensor* const*>(value->as.list.data);
      for (const auto* end = tensors + value->count; tensors != end; ++tensors) {
        if (*tensors != nullptr) {
          keys |= tensor_keys(*tensors);
        } else if (checks == Checks::kAll && (*plan & kAbsentForbidden) != 0) {
          return false;
        }
      }
    } else if ((*plan & kScanned) != 0) {
      return false;
    }
  }
  // The slow path decides whether a call that carries Override reaches that key.
  if ((keys & kOverrideBit) != 0) [[unlikely]] {
    return false;
  }
  *out_keys = keys;
  return true;
}

}  // namespace tenon::dispatch
