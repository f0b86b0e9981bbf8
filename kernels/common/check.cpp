// SPDX-License-Identifier: Apache-2.0
// Wording of error messages.
#include "kernels/common/check.h"

#include <charconv>

namespace tenon::kernels {
namespace {

std::string shortest(double value) {
  char digits[32];
  return std::string(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
}

}  // namespace

Part::Part(Sizes sizes) : text_("[") {
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (i != 0) text_ += ", ";
    text_ += std::to_string(sizes[i]);
  }
  text_ += "]";
}

Part::Part(const Device& device) : text_(device.str()) {}

Part::Part(const Scalar& scalar) {
  if (scalar.is_bool()) {
    text_ = scalar.to_bool() ? "true" : "false";
  } else if (scalar.is_int()) {
    text_ = std::to_string(scalar.to_int());
  } else if (scalar.is_float()) {
    text_ = shortest(scalar.to_double());
  } else {
    const std::complex<double> value = scalar.to_complex();
    text_ = "(" + shortest(value.real()) + ", " + shortest(value.imag()) + "i)";
  }
}

void fail(tenon_status code, std::initializer_list<Part> parts) {
  std::string message;
  for (const Part& part : parts) message += part.text();
  throw Error(code, message);
}

void fail_argument(const char* op, std::string_view argument, std::string_view expected,
                   const Part& actual) {
  const char* must = expected.starts_with("have ") ? " must " : " must be ";
  fail(TENON_ERROR_INVALID_ARGUMENT, {op, ": ", argument, must, expected, ", got ", actual});
}

void fail_without_data(const char* op, std::string_view requirement,
                       const tenon_tensor_info& info) {
  const Device device(info.device);
  fail(TENON_ERROR_DATA_DEPENDENT, {op, ": ", requirement, ", got a ",
                                    device.is_fake() ? "fake tensor" : "tensor", " on ", device});
}

void fail_dtype(const char* op, std::string_view argument, Dtype actual,
                std::string_view expected) {
  fail(TENON_ERROR_NOT_SUPPORTED,
       {op, ": not supported for dtype ", actual, ": ", argument, " must be ", expected});
}

void refuse_undefined(const char* op, const char* argument) {
  fail_argument(op, argument, "a defined tensor", "the undefined tensor");
}

void refuse_read_only(const char* op, const char* argument) {
  fail_argument(op, argument, "writable", "a read-only tensor");
}

void check_dtype_of(const char* op, const char* argument, Dtype actual, const char* other,
                    Dtype expected) {
  if (actual == expected) return;
  fail(TENON_ERROR_INVALID_ARGUMENT,
       {op, ": ", argument, " must have the dtype of ", other, ", ", expected, ", got ", actual});
}

}  // namespace tenon::kernels
