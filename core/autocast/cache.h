// SPDX-License-Identifier: Apache-2.0
// Cache: the casts of leaves that a thread keeps while it is inside of regions.
#pragma once

#include <unordered_map>

#include "tensor/tensor.h"

namespace tenon::autocast {

/// Casts by what they are casts of, which is held weakly: its header stays, so that no other tensor
/// gets its address meanwhile.
class Cache {
 public:
  /// The cast of a tensor to a dtype, empty where there is none of the tensor as it is now.
  tensor::TensorPtr find(const tensor::Tensor& tensor, tenon_dtype dtype) const noexcept;
  /// Keeps a cast, in place of an older one of the tensor.
  void keep(tensor::Tensor& tensor, tensor::TensorPtr cast);
  /// Drops all: foreign code, which may come back here.
  void clear() noexcept;

 private:
  struct Entry {
    tensor::WeakTensor of;
    const tenon_storage* storage;  // the tensor's, and its version, when it was cast
    int64_t version;
    tensor::TensorPtr cast;
  };
  std::unordered_map<const tensor::Tensor*, Entry> entries_;
};

}  // namespace tenon::autocast
