// SPDX-License-Identifier: Apache-2.0
// What is told of an alias that a layer makes of a tensor by itself, and of a kernel that resizes
// one, with no call that others see.
#pragma once

#include <atomic>

#include "tensor/tensor.h"

namespace tenon::dispatch {

using AliasNotice = void (*)(tensor::Tensor& tensor, tensor::Tensor& alias);

/// NULL until a recording has begun, for which the two are one value. Set once.
inline constinit std::atomic<AliasNotice> alias_notice{nullptr};

/// To be called on the thread that has made the alias. Throws std::bad_alloc.
inline void notice_alias(const tensor::Tensor& tensor, tensor::Tensor& alias) {
  const AliasNotice notice = alias_notice.load(std::memory_order_acquire);
  if (notice != nullptr) [[unlikely]] {
    notice(const_cast<tensor::Tensor&>(tensor), alias);
  }
}

using ResizeNotice = void (*)(tensor::Tensor& tensor);

/// NULL until a recording has begun, which has a call in its place. Set once.
inline constinit std::atomic<ResizeNotice> resize_notice{nullptr};

/// To be called when a tensor has been resized. Throws std::bad_alloc.
inline void notice_resize(tensor::Tensor& tensor) {
  const ResizeNotice notice = resize_notice.load(std::memory_order_acquire);
  if (notice != nullptr) [[unlikely]] {
    notice(tensor);
  }
}

}  // namespace tenon::dispatch
