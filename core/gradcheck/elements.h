// SPDX-License-Identifier: Apache-2.0
// Elements of tensors as complex numbers on the host, whatever the dtype and device.
#pragma once

#include <complex>
#include <cstddef>
#include <span>
#include <vector>

#include "tensor/tensor.h"

namespace tenon::gradcheck {

/// Elements in row-major order; the imaginary parts of real ones are 0.
using Elements = std::vector<std::complex<double>>;

/// Throws what copying raised.
Elements read_elements(const tensor::Tensor& tensor);

/// An untracked tensor of such elements, with sizes, dtype and device of another.
tensor::TensorPtr make_tensor(const Elements& elements, const tensor::Tensor& like);

/// "[1, 2]": the place of element `index`, in row-major order.
std::string print_place(tensor::Dims sizes, size_t index);

/// Writes single elements of a tensor through its memory: its version stays, so that nothing that
/// saved the tensor takes it for modified.
class ElementWriter {
 public:
  /// Throws TENON_ERROR_INVALID_ARGUMENT for a tensor without memory, or whose memory is
  /// read-only; `what` names it.
  ElementWriter(std::string_view what, tensor::Tensor& tensor);
  void write(size_t index, std::complex<double> value);

 private:
  tensor::TensorPtr alias_;  // NULL without elements
};

}  // namespace tenon::gradcheck
