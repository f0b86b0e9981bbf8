// SPDX-License-Identifier: Apache-2.0
// Type promotion: the dtype in which an operator computes, from tensors, 0-dim tensors and numbers.
#pragma once

#include <initializer_list>
#include <span>

#include "kernels/common/facts.h"
#include "kernels/common/maths/element.h"

namespace tenon::kernels {

// Computes the common dtype of operands. Tensors with dims take precedence over 0-dim tensors, and
// those over wrapped numbers: a lower group only matters if it has a higher category of dtype (bool
// < integer < floating < complex).
// https://pytorch.org/docs/stable/tensor_attributes.html
class ResultType {
 public:
  void add(Dtype dtype, bool has_dims, bool wrapped_number);
  void add(const tenon_tensor_info& info) {
    add(static_cast<Dtype>(info.dtype), info.ndim > 0,
        (info.flags & TENON_TENSOR_WRAPPED_NUMBER) != 0);
  }
  Dtype get() const;

 private:
  Dtype dims_ = Dtype::None;
  Dtype zero_dims_ = Dtype::None;
  Dtype wrapped_ = Dtype::None;
};

// Returns true if results of one dtype may be written to another: never complex to real, floating
// to integral, or a non-bool dtype to bool.
bool can_cast(Dtype from, Dtype to);

// Returns the elements in another dtype, by a call of aten::to.
Tensor cast(const Tensor& tensor, Dtype dtype);

// Returns the names of a set of dtypes: "float32, float64".
std::string names_of(DtypeSet types);

// Returns the complex dtype for a dtype: complex128 for 64-bit floats, complex64 otherwise.
Dtype to_complex(Dtype dtype);
// Returns the real dtype of a complex dtype; other dtypes are returned unchanged.
Dtype to_real(Dtype dtype);

inline bool is_bool_or_integral(Dtype dtype) { return dtype == Dtype::Bool || is_integral(dtype); }
inline bool is_half_precision(Dtype dtype) { return dtype == Dtype::F16 || dtype == Dtype::BF16; }

// Returns the dtype that the tensors of a list promote to, as for binary operators.
Dtype result_type(std::span<const tenon_tensor_info> infos);

}  // namespace tenon::kernels
