// SPDX-License-Identifier: Apache-2.0
// Prints schemas so that they parse back to equal ones, in PyTorch's form.
#pragma once

#include <string>

#include "schema/schema.h"

namespace tenon::schema {

std::string print(const Schema& schema);
/// "Tensor(a!)? out=None": with annotation, name and default.
std::string print(const Argument& argument);
/// The type alone, with its N: "int[2]?".
std::string print_type(const Argument& argument);
/// The annotations alone, innermost first: "(a!)", "(a)[](b!)", "" without any.
std::string print_alias(const Argument& argument);
std::string print_default(const Argument& argument);
/// The text between double quotes, with escapes.
std::string quote(std::string_view text);

}  // namespace tenon::schema
