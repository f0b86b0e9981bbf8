// SPDX-License-Identifier: Apache-2.0
// The C part of the digits demo: registered by its host.
#ifndef DIGITS_H
#define DIGITS_H

#include <tenon/tenon.h>

tenon_status digits_c_register(void);
void digits_c_unregister(void);

// The network: a row of ten numbers for each image, the largest at the digit it takes it for.
// New reference in `out_logits`.
tenon_status digits_logits(tenon_tensor* images, tenon_tensor* const* parameters,
                           tenon_tensor** out_logits);

#endif
