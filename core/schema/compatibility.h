// SPDX-License-Identifier: Apache-2.0
// May a schema replace an older one? PyTorch's rules for backward and forward compatibility.
#pragma once

#include <optional>
#include <string>

#include "schema/schema.h"

namespace tenon::schema {

/// Why callers of `older` could not call `newer`, in one line; nothing when they can.
std::optional<std::string> backward_incompatibility(const Schema& newer, const Schema& older);

/// Why callers of `newer` could not call `older` too, in one line; nothing when they can.
std::optional<std::string> forward_incompatibility(const Schema& newer, const Schema& older);

}  // namespace tenon::schema
