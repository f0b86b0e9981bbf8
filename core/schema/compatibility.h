// SPDX-License-Identifier: Apache-2.0
// Checks whether a schema may replace an older one, by PyTorch's rules for backward and forward
// compatibility.
#pragma once

#include <optional>
#include <string>

#include "schema/schema.h"

namespace tenon::schema {

/// Returns a one-line reason why callers of `older` cannot call `newer`, nullopt if they can.
std::optional<std::string> backward_incompatibility(const Schema& newer, const Schema& older);

/// Returns a one-line reason why callers of `newer` cannot call `older`, nullopt if they can.
std::optional<std::string> forward_incompatibility(const Schema& newer, const Schema& older);

}  // namespace tenon::schema
