// SPDX-License-Identifier: Apache-2.0
// A shared library that is no plugin.
#include <tenon/common.h>

TENON_EXPORT int not_a_plugin(void);
int not_a_plugin(void) { return 0; }
