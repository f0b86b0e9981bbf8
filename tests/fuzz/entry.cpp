// SPDX-License-Identifier: Apache-2.0
// libFuzzer's entry point, which runs the target selected by the build.
#include "fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  tenon::fuzz::FUZZ_TARGET(data, size);
  return 0;
}
