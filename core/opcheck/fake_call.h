// SPDX-License-Identifier: Apache-2.0
// FakeCall: an operator called with fake tensors in the place of real ones, in a mode of its own.
#pragma once

#include "dispatch/key_tls.h"
#include "fake/mode.h"
#include "opcheck/sample.h"

namespace tenon::opcheck {

/// Has the calling thread make fake tensors while it lives.
class InFakeMode {
 public:
  explicit InFakeMode(fake::ModePtr mode)
      : outer_(fake::exchange_thread_mode(std::move(mode))),
        guard_(dispatch::KeyGuard::include(fake::kFake)) {}
  ~InFakeMode() { fake::exchange_thread_mode(std::move(outer_)); }
  InFakeMode(const InFakeMode&) = delete;
  InFakeMode& operator=(const InFakeMode&) = delete;

 private:
  fake::ModePtr outer_;
  const dispatch::KeyGuard guard_;
};

/// Whether elements tell the sizes of an operator's results: there is nothing to compare then.
bool has_dynamic_shape(const tenon_op& op);

/// Whether results of the same call on fake tensors are described as the real ones, and are or
/// share memory of the same arguments; a report else.
std::string compare_calls(const Sample& real, const Sample& fake);

}  // namespace tenon::opcheck
