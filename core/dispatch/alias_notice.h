// SPDX-License-Identifier: Apache-2.0
// Notifies recordings of changes that no recorded call shows: a layer has made an alias of a tensor
// without calling an operator, or a kernel has resized a tensor.
#pragma once

#include <atomic>

#include "tensor/tensor.h"

namespace tenon::dispatch {

using AliasNotice = void (*)(tensor::Tensor& tensor, tensor::Tensor& alias);

/// Makes the thread's recording treat the two tensors as one value. NULL until the first recording
/// begins, and never changed afterwards.
inline constinit std::atomic<AliasNotice> alias_notice{nullptr};

/// Reports an alias on the thread that has made it. Throws std::bad_alloc.
inline void notice_alias(const tensor::Tensor& tensor, tensor::Tensor& alias) {
  const AliasNotice notice = alias_notice.load(std::memory_order_acquire);
  if (notice != nullptr) [[unlikely]] {
    notice(const_cast<tensor::Tensor&>(tensor), alias);
  }
}

using ResizeNotice = void (*)(tensor::Tensor& tensor);

/// Makes the thread's recording record a call for the resize. NULL until the first recording
/// begins, and never changed afterwards.
inline constinit std::atomic<ResizeNotice> resize_notice{nullptr};

/// Reports that a tensor has been resized. Throws std::bad_alloc.
inline void notice_resize(tensor::Tensor& tensor) {
  const ResizeNotice notice = resize_notice.load(std::memory_order_acquire);
  if (notice != nullptr) [[unlikely]] {
    notice(tensor);
  }
}

}  // namespace tenon::dispatch
