// SPDX-License-Identifier: Apache-2.0
// Names that somebody may have meant who wrote another one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tenon::base {

/// "; did you mean a, b or c?" with the candidates that are a few letters away from what was given,
/// the nearest first, three at most, each behind `prefix`. "" where none is near. Upper and lower
/// case count as equal.
std::string did_you_mean(std::string_view given, const std::vector<std::string_view>& candidates,
                         std::string_view prefix = {});

}  // namespace tenon::base
