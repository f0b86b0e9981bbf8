// SPDX-License-Identifier: Apache-2.0
// Suggestions for misspelled names.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tenon::base {

/// Returns "; did you mean a, b or c?" with the candidates that are a few letters away from
/// `given`, the nearest first, three at most, each with `prefix` in front; "" if none is near. Case
/// is ignored.
std::string did_you_mean(std::string_view given, const std::vector<std::string_view>& candidates,
                         std::string_view prefix = {});

}  // namespace tenon::base
