// SPDX-License-Identifier: Apache-2.0
// The C role of the matrix, and the schema that every role defines.
#ifndef MATRIX_C_ROLE_H
#define MATRIX_C_ROLE_H

#include <tenon/tenon.h>

#define MIX_SCHEMA                                                                   \
  "mix(Tensor a, int n, float f, str s, Tensor? opt, int[] dims, Tensor[] list) -> " \
  "(Tensor, int)"

// Registers matrix_c::define, ::implement, ::call, ::close and ::override, each "(str ns) -> ()",
// and ::object, "() -> Any", which makes an object that overrides operators.
tenon_status matrix_c_register(void);
void matrix_c_unregister(void);

#endif
