// SPDX-License-Identifier: Apache-2.0
// The C part of the digits demo; the host registers it.
#ifndef DIGITS_H
#define DIGITS_H

#include <tenon/tenon.h>

tenon_status digits_c_register(void);
void digits_c_unregister(void);

// Computes the network's output: ten numbers per image, the largest for the predicted digit. New
// reference in `out_logits`.
tenon_status digits_logits(tenon_tensor* images, tenon_tensor* const* parameters,
                           tenon_tensor** out_logits);

#endif
