// SPDX-License-Identifier: Apache-2.0
// Cache: the casts of leaves that a thread reuses while it is inside autocast regions.
#pragma once

#include <unordered_map>

#include "tensor/tensor.h"

namespace tenon::autocast {

/// Casts, keyed by the tensor that was cast. The weak reference to that tensor keeps its header
/// allocated, so its address cannot be reused as a key.
class Cache {
 public:
  /// Returns the cached cast of a tensor to a dtype; NULL if there is none, or if the tensor was
  /// written or got other storage since.
  tensor::TensorPtr find(const tensor::Tensor& tensor, tenon_dtype dtype) const noexcept;
  /// Caches a cast, replacing an older one of the same tensor.
  void keep(tensor::Tensor& tensor, tensor::TensorPtr cast);
  /// Releases all casts. This may run foreign code that uses the cache again.
  void clear() noexcept;

 private:
  struct CachedCast {
    tensor::WeakTensor of;
    const tenon_storage* storage;  // storage and version of the tensor when it was cast
    int64_t version;
    tensor::TensorPtr cast;
  };
  std::unordered_map<const tensor::Tensor*, CachedCast> entries_;
};

}  // namespace tenon::autocast
