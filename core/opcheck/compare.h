// SPDX-License-Identifier: Apache-2.0
// Comparison of two tensors, by elements or by metadata.
#pragma once

#include <string>
#include <vector>

#include "opcheck/sample.h"

namespace tenon::opcheck {

/// Returns the bytes of the elements in row-major order, copied to the host.
std::vector<char> read_bytes(const Tensor& tensor);

/// Returns true if both tensors have elements in the same storage.
bool shares_memory(const Tensor& a, const Tensor& b) noexcept;

/// Returns the first difference between a fake result and the real one: dtype, sizes, strides,
/// offset or device. Returns "" if there is none. Any value matches a data-dependent size.
std::string differing_description(const Tensor& real, const Tensor& fake);

/// Returns the first element that is not close, or the sizes if they differ; "" if all are close.
/// NaN equals NaN.
std::string differing_element(const Tensor& expected, const Tensor& actual,
                              const Closeness& closeness);

}  // namespace tenon::opcheck
