// SPDX-License-Identifier: Apache-2.0
// Opening shared libraries, with readable errors.
#pragma once

#include <string>
#include <utility>

namespace tenon::base {

/// An open shared library. Closing is explicit: by default a library stays mapped, because its code
/// and texts may be referenced from anywhere.
class Dylib {
 public:
  /// Opens a file, or a name that the loader finds. Symbols stay local to the library. Throws
  /// TENON_ERROR_SYSTEM with the loader's reason.
  static Dylib open(const std::string& path);

  /// Returns the address of a symbol, NULL if there is none.
  void* find(const char* symbol) const noexcept;
  /// Unmaps the library, of which nothing may be in use any more.
  void close() noexcept;
  const std::string& path() const noexcept { return path_; }

 private:
  Dylib(void* handle, std::string path) : handle_(handle), path_(std::move(path)) {}

  void* handle_;
  std::string path_;
};

/// Returns the path of the shared library or program that contains `address`; "" if unknown.
std::string path_of_address(const void* address);

}  // namespace tenon::base
