// SPDX-License-Identifier: Apache-2.0
// What the parts of the plugin share, and the proof that the first headers were taken.
#ifndef TESTS_ABI_FIRST_FIRST_H
#define TESTS_ABI_FIRST_FIRST_H

#include <tenon/tenon.h>

#if defined(FIRST_HEADERS) && defined(TENON_OVERRIDES_H)
#error "the first headers have no overrides.h: later ones were included"
#endif

// Declares the backend "first" and provides its device: memory of the host.
tenon_status first_register_device(void);

#endif
