// SPDX-License-Identifier: Apache-2.0
// The C part of the vision example: the schema of to_linear, the kernel of to_srgb, and a caller.
#ifndef VISION_H
#define VISION_H

#include <tenon/tenon.h>

// Registers everything; vision_c::pipeline(Tensor image) -> (Tensor, Tensor, Tensor) runs the five
// operators and returns the blurred picture, the edges and the result.
tenon_status vision_c_register(void);
void vision_c_unregister(void);

#endif
