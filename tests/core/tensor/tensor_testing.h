// SPDX-License-Identifier: Apache-2.0
// Helpers of the tensor tests: short constructors, errors as values, handle counts.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <initializer_list>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/live_count.h"
#include "tensor/tensor.h"

namespace tenon::tensor::testing {

constexpr tenon_device kCpu = {TENON_DEVICE_CPU, 0};
constexpr tenon_device kMeta = {TENON_DEVICE_META, 0};

constexpr tenon_keyset functionality(uint32_t number) {
  return tenon_keyset{1} << (TENON_BACKEND_BITS + number);
}

using Ints = std::vector<int64_t>;

inline Dims dims(const Ints& values) { return {values.data(), values.size()}; }
inline Ints sizes_of(const Tensor& tensor) {
  return {tensor.sizes(), tensor.sizes() + tensor.ndim()};
}
inline Ints strides_of(const Tensor& tensor) {
  return {tensor.strides(), tensor.strides() + tensor.ndim()};
}

inline TensorPtr empty(const Ints& sizes, tenon_dtype dtype = TENON_DTYPE_F32,
                       const tenon_device& device = kCpu) {
  return new_tensor(dtype, &device, dims(sizes));
}

/// Makes a row-major CPU tensor with these elements.
template <class T>
TensorPtr filled(tenon_dtype dtype, const Ints& sizes, const std::vector<T>& elements) {
  TensorPtr tensor = empty(sizes, dtype);
  EXPECT_EQ(tensor->numel(), static_cast<int64_t>(elements.size()));
  EXPECT_EQ(tensor->itemsize(), static_cast<int64_t>(sizeof(T)));
  if (!elements.empty()) {
    std::memcpy(tensor->data(), elements.data(), elements.size() * sizeof(T));
  }
  return tensor;
}

inline TensorPtr floats(const Ints& sizes, const std::vector<float>& elements) {
  return filled<float>(TENON_DTYPE_F32, sizes, elements);
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

/// Returns the number of live handles of a kind.
inline int64_t live(uint32_t kind) { return base::live_count(kind); }

/// Fails the test if tensors or storages that are created in its scope leak.
class LeakCheck {
 public:
  ~LeakCheck() {
    EXPECT_EQ(live(TENON_HANDLE_TENSOR), tensors_);
    EXPECT_EQ(live(TENON_HANDLE_STORAGE), storages_);
  }

 private:
  int64_t tensors_ = live(TENON_HANDLE_TENSOR);
  int64_t storages_ = live(TENON_HANDLE_STORAGE);
};

/// A deleter that counts its calls.
inline void count_call(void* counter) { ++*static_cast<int*>(counter); }

}  // namespace tenon::tensor::testing
