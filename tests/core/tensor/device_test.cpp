// SPDX-License-Identifier: Apache-2.0
#include "tensor/device.h"

#include "tensor_testing.h"

namespace tenon::tensor {
namespace {

using testing::error_of;

void expect_device(const tenon_device& device, int32_t type, int32_t index) {
  EXPECT_EQ(device.type, type);
  EXPECT_EQ(device.index, index);
}

TEST(Device, Parses) {
  expect_device(parse_device("cpu"), TENON_DEVICE_CPU, 0);
  expect_device(parse_device("cpu:0"), TENON_DEVICE_CPU, 0);
  expect_device(parse_device("meta"), TENON_DEVICE_META, 0);
  expect_device(parse_device("cuda"), TENON_DEVICE_CUDA, -1);
  expect_device(parse_device("cuda:0"), TENON_DEVICE_CUDA, 0);
  expect_device(parse_device("cuda:12"), TENON_DEVICE_CUDA, 12);
}

TEST(Device, ParseMalformed_IsRefused) {
  for (const char* text : {"", ":1", "cuda:", "cuda:x", "cuda:-1", "cuda:01", "cuda:1 ", "cuda:1:2",
                           "cuda:99999999999", "cpu:1", "meta:3"}) {
    error_of(TENON_ERROR_INVALID_ARGUMENT, [&] { parse_device(text); });
  }
}

TEST(Device, ParseUnknown_ListsNames) {
  const std::string message = error_of(TENON_ERROR_NOT_FOUND, [] { parse_device("gpu:1"); });
  EXPECT_NE(message.find("cpu, cuda"), std::string::npos) << message;
  EXPECT_NE(message.find("'gpu'"), std::string::npos) << message;
}

TEST(Device, Prints) {
  EXPECT_EQ(print_device({TENON_DEVICE_CPU, 0}), "cpu");
  EXPECT_EQ(print_device({TENON_DEVICE_META, 0}), "meta");
  EXPECT_EQ(print_device({TENON_DEVICE_CUDA, 1}), "cuda:1");
  EXPECT_EQ(print_device({TENON_DEVICE_CUDA, -1}), "cuda");
  EXPECT_STREQ(device_type_name(22), "unknown");
  EXPECT_STREQ(device_type_name(-5), "unknown");
  EXPECT_STREQ(device_type_name(24), "unknown");
}

TEST(Device, RegisteredBackend_HasOneNumber) {
  const int32_t number = register_backend_name("npu_test");
  EXPECT_GT(number, TENON_DEVICE_CUDA);
  EXPECT_LT(number, TENON_DEVICE_META);
  EXPECT_EQ(register_backend_name("npu_test"), number);
  EXPECT_EQ(register_backend_name("cuda"), TENON_DEVICE_CUDA);
  expect_device(parse_device("npu_test:2"), number, 2);
  EXPECT_EQ(print_device({number, 2}), "npu_test:2");
  EXPECT_NE(register_backend_name("npu_test2"), number);
}

TEST(Device, RegisterBadName_IsRefused) {
  for (const char* name : {"", "NPU", "1npu", "_npu", "n-pu", "n pu", "npu:1"}) {
    error_of(TENON_ERROR_INVALID_ARGUMENT, [&] { register_backend_name(name); });
  }
}

// Must run last: uses up all remaining numbers.
TEST(DeviceZ, RegisterTooMany_IsAStateError) {
  std::string message;
  for (int i = 0; i < 30 && message.empty(); ++i) {
    try {
      register_backend_name("filler" + std::to_string(i));
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), TENON_ERROR_STATE);
      message = error.what();
      EXPECT_LE(i, 21);
    }
  }
  EXPECT_NE(message.find("taken"), std::string::npos);
}

}  // namespace
}  // namespace tenon::tensor
