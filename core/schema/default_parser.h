// SPDX-License-Identifier: Apache-2.0
// The part of the schema parser that parses default values.
#pragma once

#include <memory>

#include "schema/lexer.h"
#include "schema/schema.h"

namespace tenon::schema {

/// Parses the value after `=` for an argument whose type and N are known, and checks it against the
/// type.
DefaultPtr parse_default(Lexer& lexer, const Argument& argument);

}  // namespace tenon::schema
