// SPDX-License-Identifier: Apache-2.0
// The name of the operator that autocast itself calls.
#pragma once

namespace tenon::autocast {

inline constexpr const char* kToCopy = "aten::_to_copy";

}  // namespace tenon::autocast
