// SPDX-License-Identifier: Apache-2.0
#include "transform/built_in.h"

#include "transform/batch_loop.h"

namespace tenon::transform {

namespace {

dispatch::Explanation explain_each(const dispatch::Arguments*) {
  return {
      "it calls the operator below the vmap once for each example, as the operator has no batching "
      "rule",
      true};
}

constexpr dispatch::BuiltIn kBuiltIns[] = {
    {"batch_each", TENON_KEY_BATCHED, &batch_each, nullptr, &explain_each},
};

}  // namespace

std::span<const dispatch::BuiltIn> built_ins() noexcept { return kBuiltIns; }

}  // namespace tenon::transform
