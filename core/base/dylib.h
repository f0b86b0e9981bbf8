// SPDX-License-Identifier: Apache-2.0
// Opening shared libraries, with readable errors.
#pragma once

#include <string>
#include <utility>

namespace tenon::base {

/// An open shared library. Closing is explicit: by default a library stays mapped for ever, because
/// code and texts of it may be referred to from anywhere.
class Dylib {
 public:
  /// Opens a file, or a name that the loader finds. Symbols stay local to the library.
  /// Throws Error TENON_ERROR_SYSTEM with the loader's reason.
  static Dylib open(const std::string& path);

  /// Finds a symbol, NULL when there is none.
  void* find(const char* symbol) const noexcept;
  /// Unmaps the library, where nothing of it is in use any more.
  void close() noexcept;
  /// The path that it was opened with.
  const std::string& path() const noexcept { return path_; }

 private:
  Dylib(void* handle, std::string path) : handle_(handle), path_(std::move(path)) {}

  void* handle_;
  std::string path_;
};

/// Path of the shared library or program that holds `address`; "" when unknown.
std::string path_of_address(const void* address);

}  // namespace tenon::base
