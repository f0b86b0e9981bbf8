// SPDX-License-Identifier: Apache-2.0
// The functions of symbols, applied to numbers. Graphs use them as well.
#pragma once

#include "base/symbol_function.h"

namespace tenon::symbol {

using base::calculate;
using base::calculate_real;
using base::function_text;
using base::holds;
using base::is_relation;
using base::negated;

}  // namespace tenon::symbol
