// SPDX-License-Identifier: Apache-2.0
#include "autograd/record/built_in.h"

#include "autograd/record/gradient_policy.h"

namespace tenon::autograd {

namespace {

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
