// SPDX-License-Identifier: Apache-2.0
// Whether bytes are a text.
#pragma once

#include <string_view>

namespace tenon::base {

/// Tells whether bytes are UTF-8, without overlong forms, surrogates and numbers above U+10FFFF.
bool is_utf8(std::string_view bytes) noexcept;

}  // namespace tenon::base
