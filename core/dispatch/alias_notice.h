// SPDX-License-Identifier: Apache-2.0
// Notices to recordings of what no recorded call shows: a layer made an alias of a tensor by
// itself, or a kernel resized a tensor.
#pragma once

#include <atomic>

#include "tensor/tensor.h"

namespace tenon::dispatch {

using AliasNotice = void (*)(tensor::Tensor& tensor, tensor::Tensor& alias);

/// NULL until a recording has begun, which treats the two tensors as one value. Set once.
inline constinit std::atomic<AliasNotice> alias_notice{nullptr};

/// Reports an alias on the thread that has made it. Throws std::bad_alloc.
inline void notice_alias(const tensor::Tensor& tensor, tensor::Tensor& alias) {
  const AliasNotice notice = alias_notice.load(std::memory_order_acquire);
  if (notice != nullptr) [[unlikely]] {
    notice(const_cast<tensor::Tensor&>(tensor), alias);
  }
}

using ResizeNotice = void (*)(tensor::Tensor& tensor);

/// NULL until a recording has begun, which then records a call for the resize. Set once.
inline constinit std::atomic<ResizeNotice> resize_notice{nullptr};

/// Reports that a tensor has been resized. Throws std::bad_alloc.
inline void notice_resize(tensor::Tensor& tensor) {
  const ResizeNotice notice = resize_notice.load(std::memory_order_acquire);
  if (notice != nullptr) [[unlikely]] {
    notice(tensor);
  }
}

}  // namespace tenon::dispatch
