// SPDX-License-Identifier: Apache-2.0
// Shared parts of the fuzz targets: parsing inputs, checking conditions, and counting leaked
// handles.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

#include "tenon/tenon.h"

namespace tenon::fuzz {

/// A fuzz target: runs one input and aborts if a contract is violated.
using Target = void (*)(const uint8_t* data, size_t size);

void fuzz_schema(const uint8_t* data, size_t size);
void fuzz_values(const uint8_t* data, size_t size);
void fuzz_registration(const uint8_t* data, size_t size);
void fuzz_dlpack(const uint8_t* data, size_t size);
void fuzz_plugin(const uint8_t* data, size_t size);
void fuzz_keys(const uint8_t* data, size_t size);
void fuzz_graph(const uint8_t* data, size_t size);
void fuzz_autograd(const uint8_t* data, size_t size);

struct NamedTarget {
  const char* name;
  Target run;
};
#ifdef FUZZ_WITH_KERNELS
inline constexpr NamedTarget kTargets[] = {{"autograd", &fuzz_autograd}};
#else
inline constexpr NamedTarget kTargets[] = {
    {"schema", &fuzz_schema}, {"values", &fuzz_values}, {"registration", &fuzz_registration},
    {"dlpack", &fuzz_dlpack}, {"plugin", &fuzz_plugin}, {"keys", &fuzz_keys},
    {"graph", &fuzz_graph},
};
#endif

[[noreturn]] inline void broken(const char* file, int line, const char* what,
                                const std::string& detail) {
  std::fprintf(stderr, "%s:%d: broken promise: %s %s\n", file, line, what, detail.c_str());
  std::abort();
}

/// Aborts, with an optional text, if the condition does not hold. libFuzzer reports it as a
/// finding.
#define FUZZ_CHECK(condition, ...)                                                                 \
  do {                                                                                             \
    if (!(condition)) {                                                                            \
      ::tenon::fuzz::broken(__FILE__, __LINE__, #condition, std::string(__VA_OPT__(__VA_ARGS__))); \
    }                                                                                              \
  } while (false)

/// Decodes an input from front to back. Beyond its end all bytes are zero and `empty()` is true.
class Input {
 public:
  Input(const uint8_t* data, size_t size) : data_(data), left_(size) {}

  bool empty() const { return left_ == 0; }
  uint8_t byte() {
    if (left_ == 0) return 0;
    --left_;
    return *data_++;
  }
  /// Returns a number below `bound`, which is at most 256.
  uint32_t below(uint32_t bound) { return byte() % bound; }
  bool coin() { return (byte() & 1) != 0; }
  template <class Number>
  Number number() {
    unsigned char bytes[sizeof(Number)] = {};
    for (unsigned char& one : bytes) one = byte();
    Number number;
    std::memcpy(&number, bytes, sizeof number);
    return number;
  }
  /// Returns a number: usually small, sometimes an edge case, sometimes arbitrary.
  int64_t interesting() {
    constexpr int64_t kEdges[] = {
        0,   1, -1, INT64_MAX, INT64_MIN, INT64_C(1) << 62, INT32_MAX, INT32_MIN, INT64_C(1) << 32,
        1000};
    const uint8_t kind = byte();
    if (kind < 180) return kind % 8;
    if (kind < 240) return kEdges[kind % std::size(kEdges)];
    return number<int64_t>();
  }
  /// Returns the text up to the next zero byte or newline, and skips that byte.
  std::string line() {
    std::string text;
    while (left_ != 0) {
      const char letter = static_cast<char>(byte());
      if (letter == '\n' || letter == '\0') break;
      text += letter;
    }
    return text;
  }
  std::string_view rest() {
    const std::string_view all(reinterpret_cast<const char*>(data_), left_);
    data_ += left_;
    left_ = 0;
    return all;
  }

 private:
  const uint8_t* data_;
  size_t left_;
};

/// Returns true if bytes are UTF-8 without overlong forms and surrogates.
inline bool is_utf8(std::string_view text) {
  for (size_t i = 0; i < text.size();) {
    const auto lead = static_cast<unsigned char>(text[i]);
    const size_t length = lead < 0x80                   ? 1
                          : lead >= 0xc2 && lead < 0xe0 ? 2
                          : (lead & 0xf0) == 0xe0       ? 3
                          : lead >= 0xf0 && lead < 0xf5 ? 4
                                                        : 0;
    if (length == 0 || text.size() - i < length) return false;
    uint32_t point = length == 1 ? lead : lead & (0xffu >> (length + 1));
    for (size_t k = 1; k < length; ++k) {
      const auto next = static_cast<unsigned char>(text[i + k]);
      if ((next & 0xc0) != 0x80) return false;
      point = point << 6 | (next & 0x3f);
    }
    if ((length == 3 && (point < 0x800 || (point >= 0xd800 && point < 0xe000))) ||
        (length == 4 && (point < 0x10000 || point > 0x10ffff))) {
      return false;
    }
    i += length;
  }
  return true;
}

/// Clears the thread's error slot. Checks that a failure stored an error with its own code and a
/// message, and that a success stored none. Returns the message.
inline std::string settle(tenon_status status) {
  tenon_error* error = tenon_error_take();
  if (status == TENON_OK) {
    FUZZ_CHECK(error == nullptr, tenon_error_message(error));
    return "";
  }
  FUZZ_CHECK(error != nullptr, tenon_status_name(status));
  FUZZ_CHECK(tenon_error_code(error) == status, tenon_error_message(error));
  FUZZ_CHECK(status != TENON_ERROR_INTERNAL, tenon_error_message(error));
  const std::string message = tenon_error_message(error);
  FUZZ_CHECK(!message.empty());
  FUZZ_CHECK(std::strstr(tenon_error_format(error), message.c_str()) != nullptr, message);
  tenon_error_release(error);
  return message;
}

/// Aborts at the end of its scope if the number of live handles of any kind has changed.
class LeakCheck {
 public:
  LeakCheck() { count(before_); }
  ~LeakCheck() {
    if (forgotten_) return;
    int64_t after[32];
    count(after);
    for (uint32_t kind = 0; kind < tenon_introspect_handle_count(); ++kind) {
      FUZZ_CHECK(before_[kind] == after[kind], std::string(tenon_introspect_handle_name(kind)) +
                                                   ": " + std::to_string(before_[kind]) +
                                                   " before, " + std::to_string(after[kind]) +
                                                   " after");
    }
  }
  LeakCheck(const LeakCheck&) = delete;
  LeakCheck& operator=(const LeakCheck&) = delete;
  /// Disables the check, for inputs that may leak.
  void forget() { forgotten_ = true; }

 private:
  static void count(int64_t* counts) {
    // The first check of the registry creates the built-in fallbacks.
    FUZZ_CHECK(tenon_introspect_check(nullptr) == TENON_OK);
    tenon_registry_reap();
    for (uint32_t kind = 0; kind < tenon_introspect_handle_count(); ++kind)
      counts[kind] = tenon_introspect_live_count(kind);
  }
  int64_t before_[32];
  bool forgotten_ = false;
};

inline std::string take_text(tenon_buffer* buffer) {
  std::string text(static_cast<const char*>(tenon_buffer_data(buffer)),
                   static_cast<size_t>(tenon_buffer_size(buffer)));
  tenon_buffer_release(buffer);
  return text;
}

}  // namespace tenon::fuzz
