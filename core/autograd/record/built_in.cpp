// SPDX-License-Identifier: Apache-2.0
#include "autograd/record/built_in.h"

#include "autograd/record/gradient_policy.h"

namespace tenon::autograd {

namespace {

dispatch::Explanation explain_unknown(const dispatch::Arguments*) {
  return {
      "it redispatches without recording; the operator has no gradient formula, so backward fails "
      "or stops here",
      false};
}

constexpr dispatch::BuiltIn kBuiltIns[] = {
    {"record_unknown", TENON_KEY_AUTOGRAD, &record_unknown, &concerns_tensors, &explain_unknown},
};

}  // namespace

std::span<const dispatch::BuiltIn> built_ins() noexcept { return kBuiltIns; }

}  // namespace tenon::autograd
