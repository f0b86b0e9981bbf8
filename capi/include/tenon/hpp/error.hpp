// SPDX-License-Identifier: Apache-2.0
// Conversions between C++ exceptions and error objects.
#pragma once

#if __cplusplus <= 201703L
#error "tenon/hpp/error.hpp needs C++20: compile with -std=c++20 or later"
#else

// Usage:
//
//   try {
//     tenon::Op("aten::no_such_operator");
//   } catch (const tenon::Error& error) {
//     std::cerr << error.code() << ' ' << error.format() << '\n';
//   }

#include <cxxabi.h>

#include <cstdlib>
#include <exception>
#include <new>
#include <string>
#include <utility>

#include "tenon/error.h"
#include "tenon/language.h"

// The C++ layer has its own inline namespace. Its mangled names therefore differ from those of
// libtenon's own sources, and both can be linked into one program.
namespace tenon::inline hpp {

// An error of any language. Owns one reference to the error object, which holds code, kind, notes,
// frames, cause and the original exception.
class Error : public std::exception {
 public:
  Error(tenon_status code, const std::string& message)
      : error_(tenon_error_new(code, nullptr, message.c_str())) {}
  // Takes over the reference.
  explicit Error(tenon_error* error) noexcept : error_(error) {}
  Error(const Error& other) noexcept : error_(tenon_error_retain(other.error_)) {}
  Error(Error&& other) noexcept : error_(std::exchange(other.error_, nullptr)) {}
  Error& operator=(Error other) noexcept {
    std::swap(error_, other.error_);
    return *this;
  }
  ~Error() override { tenon_error_release(error_); }

  const char* what() const noexcept override {
    return error_ != nullptr ? tenon_error_message(error_) : "error was moved from";
  }
  tenon_status code() const { return tenon_error_code(error_); }
  const char* kind() const { return tenon_error_kind(error_); }
  // Returns message, notes, frames and causes as one text.
  std::string format() const { return tenon_error_format(error_); }
  void add_note(const std::string& note) { tenon_error_add_note(error_, note.c_str()); }

  tenon_error* get() const noexcept { return error_; }
  tenon_error* release() noexcept { return std::exchange(error_, nullptr); }

 private:
  tenon_error* error_;
};

namespace detail {

inline void delete_exception(void* payload) { delete static_cast<std::exception_ptr*>(payload); }

// Throws the error of a failed call, or the original exception if that was a C++ exception.
[[noreturn]] inline void throw_error(tenon_error* error) {
  if (error == nullptr) {
    throw Error(TENON_ERROR_INTERNAL, "a call failed without leaving an error");
  }
  if (void* payload = tenon_error_payload(error, TENON_LANGUAGE_CPP)) {
    std::exception_ptr original = *static_cast<std::exception_ptr*>(payload);
    tenon_error_release(error);
    std::rethrow_exception(original);
  }
  throw Error(error);
}

[[noreturn, gnu::cold, gnu::noinline]] inline void throw_last_error() {
  throw_error(tenon_error_take());
}

// Makes an error object from the exception that is being handled. The exception is its payload, so
// that the same object is rethrown when the error returns to C++.
[[gnu::cold, gnu::noinline]] inline tenon_error* current_error() {
  try {
    throw;
  } catch (Error& error) {
    return error.release();
  } catch (const std::bad_alloc&) {
    return tenon_error_new(TENON_ERROR_OUT_OF_MEMORY, nullptr, "out of memory");
  } catch (const std::exception& exception) {
    int status = 0;
    char* name =
        abi::__cxa_demangle(abi::__cxa_current_exception_type()->name(), nullptr, nullptr, &status);
    tenon_error* error = tenon_error_new(
        TENON_ERROR_FOREIGN, name != nullptr ? name : "std::exception", exception.what());
    std::free(name);
    auto* original = new (std::nothrow) std::exception_ptr(std::current_exception());
    if (original != nullptr) {
      tenon_error_set_payload(error, TENON_LANGUAGE_CPP, original, &delete_exception);
    }
    return error;
  } catch (...) {
    tenon_error* error = tenon_error_new(TENON_ERROR_FOREIGN, "unknown",
                                         "a C++ exception that is no std::exception");
    auto* original = new (std::nothrow) std::exception_ptr(std::current_exception());
    if (original != nullptr) {
      tenon_error_set_payload(error, TENON_LANGUAGE_CPP, original, &delete_exception);
    }
    return error;
  }
}

// Runs a body that may throw. On failure the error is stored in `out_error`, an empty cell of the
// frame or stack. A forced unwind (pthread_exit, cancellation) passes through.
template <class Body>
tenon_status guarded(tenon_error** out_error, Body&& body) {
  try {
    body();
    return TENON_OK;
  } catch (abi::__forced_unwind&) {
    throw;
  } catch (...) {
    tenon_error* error = current_error();
    const tenon_status code = tenon_error_code(error);
    tenon_error_release(*out_error);
    *out_error = error;
    return code;
  }
}

// Runs the body of a C callback that has no cell for an error. On failure the error is stored in
// the thread's slot.
template <class Body>
tenon_status to_slot(Body&& body) {
  tenon_error* error = nullptr;
  const tenon_status status = guarded(&error, std::forward<Body>(body));
  return status == TENON_OK ? TENON_OK : tenon_error_set(error);
}

}  // namespace detail

// Throws the error in the calling thread's slot unless `status` is TENON_OK.
inline void check(tenon_status status) {
  if (status != TENON_OK) [[unlikely]] {
    detail::throw_last_error();
  }
}

}  // namespace tenon::inline hpp

#endif
