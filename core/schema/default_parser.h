// SPDX-License-Identifier: Apache-2.0
// The part of the schema parser that parses default values.
#pragma once

#include <memory>

#include "schema/lexer.h"
#include "schema/schema.h"

namespace tenon::schema {

/// Parses the default value after `=` and checks it against the argument's type and list size,
/// which must be set.
DefaultPtr parse_default(Lexer& lexer, const Argument& argument);

}  // namespace tenon::schema
