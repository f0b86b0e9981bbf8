// SPDX-License-Identifier: Apache-2.0
#include "fake/dynamic_size.h"

#include "base/check.h"
#include "fake/mode.h"
#include "symbol/symbolic_value.h"

namespace tenon::fake {

tenon_value new_dynamic_size(int64_t min, int64_t max) {
  constexpr const char* kNewSize = "tenon_fake_new_size";
  TENON_CHECK(running() != nullptr, TENON_ERROR_STATE, kNewSize,
              ": must be called from a fake kernel while it runs on fake tensors, got a call "
              "outside of one");
  TENON_CHECK_ARG(min >= 0 && max >= min, kNewSize, ": bounds must satisfy 0 <= min <= max, got ",
                  min, " and ", max);
  symbol::VariableOptions options;
  options.range = {min, max};
  const symbol::ShapeEnvPtr env = thread_shape_env();
  return symbol::value_of_word(base::word_of(env->new_variable(options)));
}

}  // namespace tenon::fake
