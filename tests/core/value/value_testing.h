// SPDX-License-Identifier: Apache-2.0
// Helpers of the value tests: short constructors, errors as values, handle counts.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/live_count.h"
#include "tensor/device.h"
#include "tensor/tensor.h"
#include "value/object.h"
#include "value/value.h"

namespace tenon::value::testing {

inline tenon_value none() { return {}; }
inline tenon_value coded(uint16_t tag, int64_t number) {
  tenon_value value{};
  value.tag = tag;
  value.as.i = number;
  return value;
}
inline tenon_value boolean(bool flag) { return coded(TENON_TAG_BOOL, flag ? 1 : 0); }
inline tenon_value integer(int64_t number) { return coded(TENON_TAG_INT, number); }
inline tenon_value real(double number) {
  tenon_value value{};
  value.tag = TENON_TAG_FLOAT;
  value.as.f = number;
  return value;
}
inline tenon_value complex(double real, double imaginary) {
  tenon_value value{};
  value.tag = TENON_TAG_COMPLEX;
  value.as.c = {real, imaginary};
  return value;
}
inline tenon_value device(const char* text) {
  tenon_value value{};
  value.tag = TENON_TAG_DEVICE;
  value.as.device = tensor::parse_device(text);
  return value;
}
inline tenon_value list_of(uint16_t tag, const void* data, size_t count) {
  tenon_value value{};
  value.tag = tag;
  value.count = static_cast<uint32_t>(count);
  value.as.list.data = data;
  return value;
}
inline tenon_value string(const char* text) {
  return list_of(TENON_TAG_STRING, text, std::strlen(text));
}
inline tenon_value int_list(const std::vector<int64_t>& numbers) {
  return list_of(TENON_TAG_INT_LIST, numbers.data(), numbers.size());
}
inline tenon_value tensor_list(const std::vector<tenon_tensor*>& handles) {
  return list_of(TENON_TAG_TENSOR_LIST, handles.data(), handles.size());
}
inline tenon_value value_list(uint16_t tag, const std::vector<tenon_value>& values) {
  return list_of(tag, values.data(), values.size());
}
inline tenon_value tensor_value(tenon_tensor* tensor) {
  tenon_value value{};
  value.tag = TENON_TAG_TENSOR;
  value.as.tensor = tensor;
  return value;
}
inline tenon_value object_value(tenon_object* object) {
  tenon_value value{};
  value.tag = TENON_TAG_OBJECT;
  value.as.object = object;
  return value;
}

/// Makes a float32 tensor with two elements.
inline tensor::TensorPtr small_tensor() {
  const int64_t size = 2;
  return tensor::new_tensor(TENON_DTYPE_F32, nullptr, {&size, 1});
}

/// Runs `body`, which must throw an Error with this code; returns its message.
template <class Body>
std::string error_of(tenon_status code, Body&& body) {
  try {
    body();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code) << error.what();
    return error.what();
  }
  ADD_FAILURE() << "no error";
  return {};
}

/// Fails the test if handles that are created in its scope leak.
class LeakCheck {
 public:
  LeakCheck() {
    for (uint32_t kind = 0; kind < tenon::base::kHandleCount; ++kind)
      before_[kind] = base::live_count(kind);
  }
  ~LeakCheck() {
    for (uint32_t kind = 0; kind < tenon::base::kHandleCount; ++kind) {
      EXPECT_EQ(base::live_count(kind), before_[kind]) << base::live_name(kind);
    }
  }

 private:
  int64_t before_[32];
};

}  // namespace tenon::value::testing
