// SPDX-License-Identifier: Apache-2.0
// Rounding modes of aten::div.
#pragma once

#include <optional>
#include <string_view>

#include "kernels/ops/binary.h"

namespace tenon::kernels {

enum class Rounding { None, Floor, Trunc };

extern const BinaryFacts kDivRounded;

// "floor", "trunc" or absent; anything else is refused.
Rounding rounding_of(const char* op, std::optional<std::string_view> rounding_mode);

}  // namespace tenon::kernels
