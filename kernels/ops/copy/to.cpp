// SPDX-License-Identifier: Apache-2.0
// Decides when aten::to copies.
#include "kernels/ops/copy/to.h"

#include "kernels/ops/factories/factory.h"
#include "tenon/symbol.h"

namespace tenon::kernels::ops {
namespace {

using Format = std::optional<MemoryFormat>;

Tensor to(const char* op, const Tensor& self, const Device& device, Dtype dtype, bool non_blocking,
          bool copy, Format memory_format) {
  using Signature = Tensor(const Tensor&, std::optional<Dtype>, std::optional<Layout>,
                           std::optional<Device>, std::optional<bool>, bool, Format);
  static constinit const LazyOp<Signature> to_copy("aten::_to_copy");
  tenon_tensor_info info;
  tenon_tensor_describe_words(self.get(), &info);  // also supports symbolic sizes
  const Device own(info.device);
  // A CUDA tensor is already on "cuda" without an index.
  const bool stays = device == own || (device.type == own.type && device.index < 0);
  const MemoryFormat format = memory_format.value_or(MemoryFormat::Preserve);
  const bool has_format = format == MemoryFormat::Preserve || has_memory_format(op, info, format);
  if (!copy && stays && dtype == dtype_of_info(info) && has_format) return self;
  return to_copy(self, dtype, std::nullopt, device, std::nullopt, non_blocking, memory_format);
}

}  // namespace

void to_device(const Call& call) {
  call.give(0, to(call.op(), call.get<Tensor>(0), call.get<Device>(1), call.get<Dtype>(2),
                  call.get<bool>(3), call.get<bool>(4), call.get<Format>(5)));
}

void to_dtype(const Call& call) {
  const auto self = call.get<Tensor>(0);
  call.give(0, to(call.op(), self, self->device(), call.get<Dtype>(1), call.get<bool>(2),
                  call.get<bool>(3), call.get<Format>(4)));
}

void to_other(const Call& call) {
  const Tensor other = *call.get<Tensor>(1);
  call.give(0, to(call.op(), call.get<Tensor>(0), other.device(), other.dtype(), call.get<bool>(2),
                  call.get<bool>(3), call.get<Format>(4)));
}

void to_options(const Call& call) {
  const auto self = call.get<Tensor>(0);
  const FactoryOptions options = options_of(call);
  check_options(call.op(), options.layout, options.pin_memory);
  call.give(0, to(call.op(), self, options.device.value_or(self->device()),
                  options.dtype.value_or(self->dtype()), call.get<bool>(5), call.get<bool>(6),
                  call.get<Format>(7)));
}

void type_as(const Call& call) {
  const Tensor other = *call.get<Tensor>(1);
  call.give(0, to(call.op(), call.get<Tensor>(0), other.device(), other.dtype(), false, false,
                  std::nullopt));
}

}  // namespace tenon::kernels::ops
