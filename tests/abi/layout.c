// SPDX-License-Identifier: Apache-2.0
// Asserts that this compiler lays out open structs and constants as described.
#include <stddef.h>

#include <tenon/tenon.h>

#include "layout.h"
