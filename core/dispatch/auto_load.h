// SPDX-License-Identifier: Apache-2.0
// Loading the plugins that ship with the library when they are first missed. core/plugin defines
// it.
#pragma once

#include <string_view>

#include "base/error.h"
#include "tenon/common.h"

struct tenon_op;

namespace tenon::dispatch {

/// After a failed lookup in a namespace: loads what ships for it, unless that was tried before.
/// Returns the reason of an earlier or present failure. The caller holds no lock, is in no pick and
/// looks again: another thread may have loaded it meanwhile.
base::ErrorPtr load_for_namespace(std::string_view ns);

/// The same after a call of an operator found no kernel for a key. True when something new was
/// loaded; `out_cause` gets the reason of a failure.
bool load_for_kernel(const tenon_op& op, tenon_key key, base::ErrorPtr* out_cause);

}  // namespace tenon::dispatch
