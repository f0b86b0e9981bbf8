// SPDX-License-Identifier: Apache-2.0
// Copies to the CPU and back, for kernels and the fallback.
#pragma once

#include <string>
#include <vector>

#include <tenon/tenon.hpp>

namespace npu {

bool is_npu(const tenon::Tensor& tensor);

// Returns the number of bytes from a tensor's first element to its last.
int64_t byte_extent(const tenon::Tensor& tensor);

// Copies a tensor to the CPU with the same sizes and strides, after all queued work.
tenon::Tensor to_host(const tenon::Tensor& tensor);
// Copies a tensor to the device with the same sizes and strides.
tenon::Tensor to_device(const tenon::Tensor& tensor);
// Copies the contents of a copy made by to_host() back to the tensor.
void write_back(const tenon::Tensor& host, const tenon::Tensor& tensor);

// Runs an operator's CPU kernel on copies: tensors that it writes are written back, results are on
// the device.
std::vector<tenon::Value> on_host_values(const std::string& op, std::vector<tenon::Value> arguments,
                                         std::vector<tenon::Keyword> keywords = {});
tenon::Tensor on_host(const std::string& op, std::vector<tenon::Value> arguments,
                      std::vector<tenon::Keyword> keywords = {});

}  // namespace npu
