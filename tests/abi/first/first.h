// SPDX-License-Identifier: Apache-2.0
// Declarations that the plugin's files share, and a check that the first headers are included.
#ifndef TESTS_ABI_FIRST_FIRST_H
#define TESTS_ABI_FIRST_FIRST_H

#include <tenon/tenon.h>

// Only the folder that the archive was extracted to has this file.
#if defined(FIRST_HEADERS)
#include <first_headers.h>
#endif

// Declares the backend "first" and provides its device: memory of the host.
tenon_status first_register_device(void);

#endif
