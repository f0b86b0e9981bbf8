// SPDX-License-Identifier: Apache-2.0
// Creation of tensors with symbolic sizes, and their conversion into plain ones.
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

/// Throws like tenon_tensor_new_symbolic.
tensor::TensorPtr new_symbolic(const SymbolicOptions& options);

/// Makes a symbolic tensor plain in place. Fixes its symbols to numbers by guards at `place`.
void specialize(tensor::Tensor& tensor, const GuardLocation* place);

}  // namespace tenon::symbol
