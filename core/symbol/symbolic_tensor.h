// SPDX-License-Identifier: Apache-2.0
// Tensors with symbolic sizes, made and turned into plain ones.
#pragma once

#include "symbol/shape_env.h"
#include "tensor/tensor.h"

namespace tenon::symbol {

/// See tenon_symbolic_options.
struct SymbolicOptions {
  tenon_dtype dtype;
  const tenon_device* device = nullptr;
  const tensor::Tensor* alias_of = nullptr;
  tensor::Dims sizes;
  const int64_t* strides = nullptr;
  Word offset = 0;
};

/// Throws as tenon_tensor_new_symbolic.
tensor::TensorPtr new_symbolic(const SymbolicOptions& options);

/// Makes a symbolic tensor a plain one; symbols become numbers by guards of this place.
void specialize(tensor::Tensor& tensor, const Place* place);

}  // namespace tenon::symbol
