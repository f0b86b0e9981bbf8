// SPDX-License-Identifier: Apache-2.0
// Options of factories, and the primitives that composites call.
#include "kernels/ops/factory.h"

#include "kernels/common/promotion.h"

namespace tenon::kernels {

void check_options(const char* op, std::optional<Layout> layout, std::optional<bool> pin_memory) {
  if (layout && *layout != Layout::Strided) {
    fail(TENON_ERROR_NOT_SUPPORTED, {op, ": not supported for layout ",
                                     static_cast<int64_t>(*layout), ": layout must be strided"});
  }
  if (pin_memory && *pin_memory) {
    fail(TENON_ERROR_NOT_SUPPORTED,
         {op, ": not supported for pinned memory: pin_memory must be False here"});
  }
}

Dtype inferred_dtype(const Scalar& number) {
  if (number.is_float()) return default_dtype();
  if (number.is_complex()) return to_complex(default_dtype());
  return number.dtype();
}

Tensor call_empty(Sizes size, const FactoryOptions& options,
                  std::optional<MemoryFormat> memory_format) {
  using Signature = Tensor(Sizes, std::optional<Dtype>, std::optional<Layout>,
                           std::optional<Device>, std::optional<bool>, std::optional<MemoryFormat>);
  static constinit const LazyOp<Signature> op("aten::empty.memory_format");
  return op(size, options.dtype, options.layout, options.device, options.pin_memory, memory_format);
}

Tensor call_empty_strided(Sizes size, Sizes stride, const FactoryOptions& options) {
  using Signature = Tensor(Sizes, Sizes, std::optional<Dtype>, std::optional<Layout>,
                           std::optional<Device>, std::optional<bool>);
  static constinit const LazyOp<Signature> op("aten::empty_strided");
  return op(size, stride, options.dtype, options.layout, options.device, options.pin_memory);
}

void call_fill(Tensor& self, const Scalar& value) {
  static constinit const LazyOp<void(const Tensor&, const Scalar&)> op("aten::fill_.Scalar");
  op(self, value);
}

void call_zero(Tensor& self) {
  static constinit const LazyOp<void(const Tensor&)> op("aten::zero_");
  op(self);
}

void call_uniform(Tensor& self, double from, double to, const std::optional<Generator>& generator) {
  using Signature = void(const Tensor&, double, double, const std::optional<Generator>&);
  static constinit const LazyOp<Signature> op("aten::uniform_");
  op(self, from, to, generator);
}

void call_normal(Tensor& self, double mean, double std, const std::optional<Generator>& generator) {
  using Signature = void(const Tensor&, double, double, const std::optional<Generator>&);
  static constinit const LazyOp<Signature> op("aten::normal_");
  op(self, mean, std, generator);
}

void call_copy(Tensor& self, const Tensor& src, bool non_blocking) {
  static constinit const LazyOp<void(const Tensor&, const Tensor&, bool)> op("aten::copy_");
  op(self, src, non_blocking);
}

}  // namespace tenon::kernels
