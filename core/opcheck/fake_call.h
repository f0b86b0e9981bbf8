// SPDX-License-Identifier: Apache-2.0
// Calls of an operator with fake tensors in place of real ones, inside a new fake mode.
#pragma once

#include "dispatch/key_tls.h"
#include "fake/mode.h"
#include "opcheck/sample.h"

namespace tenon::opcheck {

/// RAII: puts the calling thread into a fake mode.
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

/// Returns true if the sizes of an operator's results are data-dependent, so they cannot be
/// compared.
bool has_dynamic_shape(const tenon_op& op);

/// Compares the results of the same call on real and on fake tensors: their metadata, and which
/// arguments they are or share memory with. Returns a report, or "" if they agree.
std::string compare_calls(const Sample& real, const Sample& fake);

}  // namespace tenon::opcheck
