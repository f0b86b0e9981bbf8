// SPDX-License-Identifier: Apache-2.0
// The routine of operators that are second names of others.
#include "kernels/common/call.h"

namespace tenon::kernels {
namespace {

void run_synonym(const Call& call) {
  tenon_value result = call.call_target(call.args);
  if (call.form.is_functional()) {
    call.results[0] = result;
  } else {
    tenon_value_clear(&result);
  }
}

}  // namespace

constinit const Family kSynonym{.name = "synonym",
                                .run = &run_synonym,
                                .key = TENON_KEY_COMPOSITE_IMPLICIT_AUTOGRAD,
                                .leaf = false};

}  // namespace tenon::kernels
