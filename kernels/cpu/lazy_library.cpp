// SPDX-License-Identifier: Apache-2.0
// Loading of maths libraries by the first call that needs them.
#include "kernels/cpu/lazy_library.h"

#include <dlfcn.h>

#include <cstdlib>
#include <cstring>
#include <mutex>

#include "kernels/common/check.h"
#include "kernels/cpu/vector_level.h"

namespace tenon::kernels::cpu {
namespace {

// Returns the library, which is loaded on first use and never closed, because these libraries start
// threads that outlive any call.
//
// Note: OpenBLAS selects its code by processor name and falls back to the slowest one for
// processors that are newer than itself. While it is loaded, OPENBLAS_CORETYPE is therefore set to
// what this processor supports, unless the user has set it. As with any setenv(), another thread
// that accesses the environment at that moment races with this.
void* open_library(const char* library) noexcept {
  static constinit std::mutex mutex;
  constexpr const char* kCore = "OPENBLAS_CORETYPE";
  const std::lock_guard lock(mutex);
  if (void* loaded = dlopen(library, RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD)) return loaded;
  const char* const core = vector_level == 2 ? "SkylakeX" : vector_level == 1 ? "Haswell" : nullptr;
  const bool tells = core != nullptr && std::strstr(library, "openblas") != nullptr &&
                     std::getenv(kCore) == nullptr && setenv(kCore, core, 1) == 0;
  void* const handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  if (tells) unsetenv(kCore);
  return handle;
}

}  // namespace

void* find_late_symbol(const char* library, const char* name) noexcept {
  void* handle = open_library(library);
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
