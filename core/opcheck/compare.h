// SPDX-License-Identifier: Apache-2.0
// What two tensors differ in: elements, or what is known of them without.
#pragma once

#include <string>
#include <vector>

#include "opcheck/sample.h"

namespace tenon::opcheck {

/// The elements in row-major order, on the host.
std::vector<char> read_bytes(const Tensor& tensor);

/// Whether both are one storage.
bool shares_memory(const Tensor& a, const Tensor& b) noexcept;

/// What a fake result has otherwise than the real one: dtype, sizes, strides, offset or device; ""
/// where nothing. Sizes that only elements tell are any.
std::string differing_description(const Tensor& real, const Tensor& fake);

/// The first element that is off, or the sizes where those differ; "" where none is. NaN equals
/// NaN.
std::string differing_element(const Tensor& expected, const Tensor& actual,
                              const Closeness& closeness);

}  // namespace tenon::opcheck
