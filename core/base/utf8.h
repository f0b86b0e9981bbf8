// SPDX-License-Identifier: Apache-2.0
// Validation of UTF-8.
#pragma once

#include <string_view>

namespace tenon::base {

/// Returns true if bytes are UTF-8, without overlong forms, surrogates and code points above
/// U+10FFFF.
bool is_utf8(std::string_view bytes) noexcept;

}  // namespace tenon::base
