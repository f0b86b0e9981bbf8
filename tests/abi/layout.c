// SPDX-License-Identifier: Apache-2.0
// The open structs and constants as this compiler has them: it compiles, or names what differs.
#include <stddef.h>

#include <tenon/tenon.h>

#include "layout.h"
