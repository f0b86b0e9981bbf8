// SPDX-License-Identifier: Apache-2.0
// Opening shared libraries, with readable errors.
#include "base/dylib.h"

#include <dlfcn.h>

#include <utility>

#include "base/error.h"

namespace tenon::base {

Dylib Dylib::open(const std::string& path) {
  // RTLD_NOW: a missing symbol is an error here, not a crash in the middle of a call.
  void* handle = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    const char* reason = ::dlerror();
    fail(TENON_ERROR_SYSTEM, "cannot open '", path, "': ", reason ? reason : "unknown reason");
  }
  return Dylib(handle, path);
}

void* Dylib::find(const char* symbol) const noexcept {
  return handle_ == nullptr ? nullptr : ::dlsym(handle_, symbol);
}

void Dylib::close() noexcept {
  if (void* handle = std::exchange(handle_, nullptr)) ::dlclose(handle);
}

std::string path_of_address(const void* address) {
  Dl_info info;
  if (::dladdr(address, &info) == 0 || info.dli_fname == nullptr) return {};
  return info.dli_fname;
}

}  // namespace tenon::base
