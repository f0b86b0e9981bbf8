// SPDX-License-Identifier: Apache-2.0
// Elements of tensors as complex numbers on the host, for any dtype and device.
#pragma once

#include <complex>
#include <cstddef>
#include <span>
#include <vector>

#include "tensor/tensor.h"

namespace tenon::gradcheck {

/// Elements in row-major order; real elements have imaginary part 0.
using Elements = std::vector<std::complex<double>>;

/// Throws the errors of the copy to the host.
Elements read_elements(const tensor::Tensor& tensor);

/// Returns an untracked tensor of `elements` with the sizes, dtype and device of `like`.
tensor::TensorPtr make_tensor(const Elements& elements, const tensor::Tensor& like);

/// Returns the position of element `index`, counted in row-major order, as "[1, 2]".
std::string print_place(tensor::Dims sizes, size_t index);

/// Writes single elements straight to a tensor's memory. The version counter does not change, so
/// tensors saved for backward are not considered modified.
class ElementWriter {
 public:
  /// Throws TENON_ERROR_INVALID_ARGUMENT if the tensor has no memory or its memory is read-only;
  /// `what` names the tensor in the message.
  ElementWriter(std::string_view what, tensor::Tensor& tensor);
  void write(size_t index, std::complex<double> value);

 private:
  tensor::TensorPtr alias_;  // NULL if the tensor has no elements
};

}  // namespace tenon::gradcheck
