// SPDX-License-Identifier: Apache-2.0
// ArgumentPlan: what a call checks of one argument. Compiled once from the argument's type, so that
// no call walks a schema.
#pragma once

#include <cstdint>

#include "schema/type.h"
#include "tenon/value.h"

namespace tenon::dispatch {

/// Bit n, for n below kPlanTags, is set if every value with tag n is valid, apart from NULL
/// tensors, kAbsentForbidden and texts inside of untyped values. The other bits are flags. Values
/// with other tags need value_matches().
using ArgumentPlan = uint64_t;

constexpr ArgumentPlan plan_tag(uint32_t tag) { return ArgumentPlan{1} << tag; }
constexpr uint32_t kPlanTags = 48;  // tags from here on are unknown
constexpr ArgumentPlan kEveryTag = (plan_tag(TENON_TAG_OBJECT + 1) - 1) |
                                   (plan_tag(TENON_TAG_DICT + 1) - plan_tag(TENON_TAG_INT_LIST));
constexpr ArgumentPlan kCarriesKeys = ArgumentPlan{1} << 63;      // may hold tensors
constexpr ArgumentPlan kScanned = ArgumentPlan{1} << 62;          // tensors may be nested inside
constexpr ArgumentPlan kAbsentForbidden = ArgumentPlan{1} << 61;  // a tensor list without NULL
constexpr ArgumentPlan kWritten = ArgumentPlan{1} << 60;          // written by the operator
constexpr ArgumentPlan kMayBeText = ArgumentPlan{1} << 59;        // STRING allowed, if UTF-8

/// Returns the plan of an argument of a type.
ArgumentPlan plan_argument(const schema::Type& type);

}  // namespace tenon::dispatch
