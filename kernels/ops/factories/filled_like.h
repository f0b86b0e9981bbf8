// SPDX-License-Identifier: Apache-2.0
// Calls of aten::zeros_like and aten::ones_like without options.
#pragma once

#include "kernels/ops/arithmetic.h"

namespace tenon::kernels {

using FillLike = Tensor(const Tensor&, std::optional<Dtype>, std::optional<Layout>,
                        std::optional<Device>, std::optional<bool>, std::optional<MemoryFormat>);

inline Tensor call_zeros_like(const Tensor& like) {
  static constinit const LazyOp<FillLike> op("aten::zeros_like");
  return op(like, std::nullopt, std::nullopt, std::nullopt, std::nullopt, std::nullopt);
}

inline Tensor call_ones_like(const Tensor& like) {
  static constinit const LazyOp<FillLike> op("aten::ones_like");
  return op(like, std::nullopt, std::nullopt, std::nullopt, std::nullopt, std::nullopt);
}

}  // namespace tenon::kernels
