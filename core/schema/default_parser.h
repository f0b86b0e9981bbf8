// SPDX-License-Identifier: Apache-2.0
// The part of the schema parser that reads default values.
#pragma once

#include <memory>

#include "schema/lexer.h"
#include "schema/schema.h"

namespace tenon::schema {

/// Reads the value after `=` for an argument of this type and N, and checks it against the type.
DefaultPtr parse_default(Lexer& lexer, const Argument& argument);

}  // namespace tenon::schema
