// SPDX-License-Identifier: Apache-2.0
// Options of factories, and the primitive operators that composites call.
#include "kernels/ops/factories/factory.h"

#include <algorithm>

#include "kernels/common/allocation.h"
#include "kernels/common/overlap.h"
#include "kernels/common/promotion.h"
#include "kernels/ops/factories/empty.h"

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

FactoryOptions options_of(const Call& call) {
  const int first = call.form.options;
  if (first < 0) return {};
  return {call.get<std::optional<Dtype>>(first), call.get<std::optional<Layout>>(first + 1),
          call.get<std::optional<Device>>(first + 2), call.get<std::optional<bool>>(first + 3)};
}

FactoryOptions options_like(const tenon_tensor_info& like, const FactoryOptions& given) {
  return {given.dtype.value_or(dtype_of_info(like)), given.layout,
          given.device.value_or(Device(like.device)), given.pin_memory};
}

namespace {

// Returns the call's `out` with these sizes. An expanded tensor may be filled with a single number,
// but not written by the `*_like` factories, which copy in PyTorch.
Tensor resized(const Call& call, Sizes sizes, bool is_like) {
  const Tensor out = Tensor::retain(call.written());
  const tenon_tensor_info info = out.info();
  check_writable(call, info);
  if (is_like) check_no_internal_overlap(call.op(), info);
  if (!std::ranges::equal(sizes_of(info), sizes)) resize_out(call.op(), out, sizes);
  return out;
}

}  // namespace

Tensor begin_factory(const Call& call, std::optional<Dtype> dtype, const Device* device) {
  std::optional<MemoryFormat> format;
  if (call.form.memory_format >= 0) {
    format = call.get<std::optional<MemoryFormat>>(call.form.memory_format);
  }
  const bool is_like = call.form.inputs > 0;
  if (call.form.is_out()) {
    if (format && !is_like) {
      fail_argument(call.op(), "memory_format", "None if out is given",
                    static_cast<int64_t>(*format));
    }
    return resized(call, is_like ? call.get<Tensor>(0)->sizes() : call.get<Sizes>(0), is_like);
  }
  FactoryOptions options = options_of(call);
  if (is_like) {
    const tenon_tensor_info like = call.get<Tensor>(0)->info();
    return empty_in_format(call.op(), like, format.value_or(MemoryFormat::Preserve),
                           options_like(like, options));
  }
  if (!options.dtype) options.dtype = dtype;
  if (device != nullptr) return empty_on(*device, call.get<Sizes>(0), options, format);
  return call_empty(call.get<Sizes>(0), options, format);
}

void end_factory(const Call& call, Tensor made) {
  if (call.form.is_functional()) call.give(0, std::move(made));
}

Tensor empty_in_format(const char* op, const tenon_tensor_info& like, MemoryFormat memory_format,
                       const FactoryOptions& options) {
  check_defined(op, "self", like);
  const Sizes sizes = sizes_of(like);
  if (memory_format == MemoryFormat::Preserve) {
    // Any strides of an empty tensor are dense.
    const bool is_empty = std::ranges::find(sizes, 0) != sizes.end();
    return call_empty_strided(
        sizes, is_empty ? Dims(strides_of(like)) : preserving_strides(sizes, strides_of(like)),
        options);
  }
  return call_empty(sizes, options, memory_format);
}

bool has_memory_format(const char* op, const tenon_tensor_info& info, MemoryFormat format) {
  if (format == MemoryFormat::Contiguous) return is_contiguous(info);
  const Dims wanted = channels_last_strides(op, sizes_of(info), format);
  for (int64_t i = 0; i < wanted.size(); ++i) {
    if (info.sizes[i] != 1 && info.strides[i] != wanted[i]) return false;
  }
  return true;
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

Tensor call_zeros(Sizes size, const FactoryOptions& options) {
  static constinit const LazyOp<Tensor(Sizes, std::optional<Dtype>, std::optional<Layout>,
                                       std::optional<Device>, std::optional<bool>)>
      op("aten::zeros");
  return op(size, options.dtype, options.layout, options.device, options.pin_memory);
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
