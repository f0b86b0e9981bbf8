// SPDX-License-Identifier: Apache-2.0
// The version numbers of the loaded library; see tenon/common.h.
#include "tenon/common.h"

#define TENON_TEXT_OF(number) #number
#define TENON_TEXT(number) TENON_TEXT_OF(number)

extern "C" {

uint32_t tenon_abi_version(void) { return TENON_ABI_VERSION; }

const char* tenon_version(void) {
  return TENON_TEXT(TENON_VERSION_MAJOR) "." TENON_TEXT(TENON_VERSION_MINOR) "." TENON_TEXT(
      TENON_VERSION_PATCH);
}

}  // extern "C"
