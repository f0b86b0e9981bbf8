// SPDX-License-Identifier: Apache-2.0
// Prints schemas in PyTorch's form, such that they parse back to equal schemas.
#pragma once

#include <string>

#include "schema/schema.h"

namespace tenon::schema {

std::string print(const Schema& schema);
/// Prints "Tensor(a!)? out=None", with annotation, name and default.
std::string print(const Argument& argument);
/// Prints the type without annotations, with its N: "int[2]?".
std::string print_type(const Argument& argument);
/// Prints only the annotations, innermost first: "(a!)", "(a)[](b!)", or "".
std::string print_alias(const Argument& argument);
std::string print_default(const Argument& argument);
/// Returns the text in double quotes, with escapes.
std::string quote(std::string_view text);

}  // namespace tenon::schema
