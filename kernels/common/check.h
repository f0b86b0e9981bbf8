// SPDX-License-Identifier: Apache-2.0
// Errors of kernels: one place that words them, and texts of shapes and dtypes for messages.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>

#include "tenon/tenon.hpp"

namespace tenon::kernels {

// One piece of a message: text as it is, sizes as "[2, 3]", dtypes by name, numbers in decimal.
class Part {
 public:
  Part(const char* part) : text_(part) {}
  Part(std::string_view part) : text_(part) {}
  Part(const std::string& part) : text_(part) {}
  Part(Dtype dtype) : text_(name_of(dtype)) {}
  Part(const Device& device);
  Part(Sizes sizes);
  Part(const Scalar& scalar);
  template <class T>
  requires std::is_integral_v<T> Part(T number) : text_(std::to_string(number)) {}

  template <class T>
  requires(std::is_class_v<T>&& std::is_convertible_v<const T&, Sizes>) Part(const T& sizes)
      : Part(Sizes(sizes)) {}

  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

// Throws an error whose message is the parts in a row.
[[noreturn, gnu::cold]] void fail(tenon_status code, std::initializer_list<Part> parts);

// "<op>: <argument> must be <expected>, got <actual>", for a value that the operator refuses.
[[noreturn, gnu::cold]] void fail_argument(const char* op, std::string_view argument,
                                           std::string_view expected, const Part& actual);

// "<op>: not supported for dtype bool: self must be uint8, ...", for a dtype without a kernel.
[[noreturn, gnu::cold]] void fail_dtype(const char* op, std::string_view argument, Dtype actual,
                                        std::string_view expected);

}  // namespace tenon::kernels
