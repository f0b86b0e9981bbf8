// SPDX-License-Identifier: Apache-2.0
// Errors of kernels: the wording of each kind, and text for shapes and dtypes in messages.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>

#include "tenon/tenon.hpp"

namespace tenon::kernels {

// One piece of a message: text unchanged, sizes as "[2, 3]", dtypes by name, numbers in decimal.
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

// Throws an error whose message is the concatenation of the parts.
[[noreturn, gnu::cold]] void fail(tenon_status code, std::initializer_list<Part> parts);

// Throws "<op>: <argument> must be <expected>, got <actual>"; no "be" if `expected` is "have ..".
[[noreturn, gnu::cold]] void fail_argument(const char* op, std::string_view argument,
                                           std::string_view expected, const Part& actual);

// Throws "<op>: not supported for dtype bool: self must be uint8, ...".
[[noreturn, gnu::cold]] void fail_dtype(const char* op, std::string_view argument, Dtype actual,
                                        std::string_view expected);

[[noreturn, gnu::cold]] void refuse_undefined(const char* op, const char* argument);
[[noreturn, gnu::cold]] void refuse_read_only(const char* op, const char* argument);

// Throws if the tensor is undefined.
inline void check_defined(const char* op, const char* argument, const tenon_tensor_info& info) {
  if ((info.flags & TENON_TENSOR_UNDEFINED) != 0) [[unlikely]] {
    refuse_undefined(op, argument);
  }
}
// Returns false for tensors on Meta and fake tensors, which have no elements.
inline bool has_data(const tenon_tensor_info& info) {
  return info.device.type != TENON_DEVICE_META && info.device.index < TENON_DEVICE_FAKE;
}
// Throws "<op>: <requirement>, got a tensor on meta": the operator depends on data that the tensor
// does not have.
[[noreturn, gnu::cold]] void fail_without_data(const char* op, std::string_view requirement,
                                               const tenon_tensor_info& info);

// Throws if the tensor is read-only.
inline void check_not_read_only(const char* op, const char* argument,
                                const tenon_tensor_info& info) {
  if ((info.flags & TENON_TENSOR_READ_ONLY) != 0) [[unlikely]] {
    refuse_read_only(op, argument);
  }
}
// Throws unless an argument has the dtype of another argument.
void check_dtype_of(const char* op, const char* argument, Dtype actual, const char* other,
                    Dtype expected);

}  // namespace tenon::kernels
