// SPDX-License-Identifier: Apache-2.0
#include "autograd/built_in.h"

#include <algorithm>

#include "autograd/formula.h"
#include "autograd/gradient_policy.h"
#include "schema/schema.h"

namespace tenon::autograd {

namespace {

// Gradients flow from tensors to tensors: other operators have nothing to record.
int32_t concerns_tensors(void*, const tenon_schema* schema) {
  const auto holds = [](const schema::Argument& one) { return may_hold_tensors(*one.type); };
  const bool takes = std::ranges::any_of(schema->arguments(), holds) || schema->is_vararg();
  const bool gives = std::ranges::any_of(schema->returns(), holds) || schema->is_mutable();
  return takes && gives ? TENON_SELECT_KERNEL : TENON_SELECT_FALLTHROUGH;
}

dispatch::Explanation explain_unknown(const dispatch::Arguments*) {
  return {
      "it calls on below; the operator has no gradient formula, so that no backward pass gets "
      "through the call",
      false};
}

constexpr dispatch::BuiltIn kBuiltIns[] = {
    {"record_unknown", TENON_KEY_AUTOGRAD, &record_unknown, &concerns_tensors, &explain_unknown},
};

}  // namespace

std::span<const dispatch::BuiltIn> built_ins() noexcept { return kBuiltIns; }

}  // namespace tenon::autograd
