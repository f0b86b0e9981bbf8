/* SPDX-License-Identifier: Apache-2.0 */
/* Public functions and attributes of Tensor that ask `__torch_function__` first. */
#ifndef TENON_PYTHON_OVERRIDABLE_H
#define TENON_PYTHON_OVERRIDABLE_H

#include "native.h"

/* Makes methods and attributes of Tensor, as they stand in its class, overridable. */
int tnp_cover_tensor(void);
int tnp_overridable_init(PyObject* module);

#endif
