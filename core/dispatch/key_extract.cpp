// SPDX-License-Identifier: Apache-2.0
#include "dispatch/key_extract.h"

#include "dispatch/argument_check.h"
#include "value/object.h"
#include "value/value.h"

namespace tenon::dispatch {

namespace {

constexpr int kMaxNesting = 64;  // levels of lists and dicts that are searched

bool may_override(const tenon_value& value) noexcept {
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
      // Elements of untyped lists have not been checked: a tensor may be NULL.
      return value.as.tensor != nullptr ? tensor_keys(value.as.tensor) : 0;
    case TENON_TAG_TENSOR_LIST:
      return list_keys(value);
    case TENON_TAG_OBJECT:
      return may_override(value) ? kOverrideBit : 0;
    case TENON_TAG_LIST:
    case TENON_TAG_TUPLE:
    case TENON_TAG_DICT: {
      if (depth == kMaxNesting) return 0;
      const uint64_t count = value::element_count(value);
      tenon_keyset keys = 0;
      for (uint64_t i = 0; i < count; ++i) keys |= scan(value::elements(value)[i], depth + 1);
      return keys;
    }
    default:
      return 0;
  }
}

bool is_right(const Snapshot& snapshot, const tenon_value& value, uint32_t index,
              Checks checks) noexcept {
  const ArgumentPlan plan = snapshot.plans()[index];
  const bool tag_tells = value.tag < kPlanTags && (plan >> value.tag & 1) != 0;
  if (checks == Checks::kAll) {
    // Fast checks of the values that most calls with string arguments have; these do not need the
    // type.
    if (tag_tells && value.tag <= TENON_TAG_COMPLEX) return true;
    if (tag_tells && value.tag == TENON_TAG_TENSOR) return value.as.tensor != nullptr;
    if (value.tag == TENON_TAG_STRING && (plan & kMayBeText) != 0) return value::holds_texts(value);
    return value_matches(value, *snapshot.schema->arguments()[index].type);
  }
  return tag_tells || (plan & kScanned) != 0 || may_override(value);
}

}  // namespace

tenon_keyset scan_value(const tenon_value& value) noexcept { return scan(value, 0); }

template <Checks checks>
bool extract_keys(const Snapshot& snapshot, const tenon_value* args, uint32_t nargs,
                  tenon_keyset* out_keys) noexcept {
  const uint32_t named = snapshot.nargs();
  const bool vararg = (snapshot.traits & kHasVararg) != 0;
  if (nargs != named && !(vararg && nargs > named)) return false;
  tenon_keyset keys = 0;
  for (uint32_t i = 0; i < named; ++i) {
    const ArgumentPlan plan = snapshot.plans()[i];
    if (checks == Checks::kTensors && (plan & kCarriesKeys) == 0) continue;
    if (!is_right(snapshot, args[i], i, checks)) return false;
    if ((plan & kCarriesKeys) != 0) {
      keys |= scan(args[i], 0);
    } else if (args[i].tag == TENON_TAG_OBJECT || value::is_value_list(args[i].tag)) {
      // An object that overrides operators may replace a value of any type, or an element of a
      // list.
      keys |= scan(args[i], 0) & kOverrideBit;
    }
  }
  for (uint32_t i = named; i < nargs; ++i) {
    if (checks == Checks::kAll && !value::holds_texts(args[i])) return false;
    keys |= scan(args[i], 0);
  }
  *out_keys = keys;
  return true;
}

template bool extract_keys<Checks::kTensors>(const Snapshot&, const tenon_value*, uint32_t,
                                             tenon_keyset*) noexcept;
template bool extract_keys<Checks::kAll>(const Snapshot&, const tenon_value*, uint32_t,
                                         tenon_keyset*) noexcept;

bool any_tracked(const Snapshot& snapshot, const tenon_value* args) noexcept {
  const ArgumentPlan* plan = snapshot.plans();
  for (const tenon_value* end = args + snapshot.looked_at; args != end; ++args, ++plan) {
    if ((*plan & kCarriesKeys) == 0) continue;
    if (args->tag == TENON_TAG_TENSOR) {
      if (args->as.tensor != nullptr && args->as.tensor->may_be_tracked()) return true;
    } else if (args->tag == TENON_TAG_TENSOR_LIST) {
      const auto* tensors = static_cast<const tenon_tensor* const*>(args->as.list.data);
      if (any_tracked(tensors, args->count)) return true;
    } else if ((*plan & kScanned) != 0) {
      return true;  // a tracked tensor may be nested inside
    }
  }
  return (snapshot.traits & kHasVararg) != 0;
}

}  // namespace tenon::dispatch
