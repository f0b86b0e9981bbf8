// SPDX-License-Identifier: Apache-2.0
// Loading of maths libraries by the first call that needs them.
#include "kernels/cpu/late_library.h"

#include <dlfcn.h>

#include "kernels/common/check.h"

namespace tenon::kernels::cpu {

void* find_late_symbol(const char* library, const char* name) noexcept {
  // Never closed: these libraries start threads that outlive any call.
  void* handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  return handle != nullptr ? dlsym(handle, name) : nullptr;
}

void* late_symbol(const char* library, const char* name) {
  void* symbol = find_late_symbol(library, name);
  if (symbol == nullptr) {
    const char* why = dlerror();
    fail(TENON_ERROR_RUNTIME, {name, " must be found in ", library,
                               ", got: ", why != nullptr ? why : "an address of zero"});
  }
  return symbol;
}

}  // namespace tenon::kernels::cpu
