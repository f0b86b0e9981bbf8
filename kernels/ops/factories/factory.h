// SPDX-License-Identifier: Apache-2.0
// What factories share: their options, the tensors that they fill, and calls of primitives.
#pragma once

#include <optional>

#include "kernels/common/families/routine.h"
#include "kernels/common/registrar.h"

namespace tenon::kernels {

// The keyword arguments that all factories take, in the order of their schemas.
struct FactoryOptions {
  std::optional<Dtype> dtype;
  std::optional<Layout> layout;
  std::optional<Device> device;
  std::optional<bool> pin_memory;
};

// Those of a call; none in an out form, which has none.
FactoryOptions options_of(const Call& call);

// Options of a factory that takes what is not given from a tensor.
FactoryOptions options_like(const tenon_tensor_info& like, const FactoryOptions& given);

// Refuses layouts and pinned memory that are not there.
void check_options(const char* op, std::optional<Layout> layout, std::optional<bool> pin_memory);

// The dtype that a number has when nothing else is said: floats and complex numbers follow the
// default dtype.
Dtype inferred_dtype(const Scalar& number);

// The tensor that a factory fills: a new one of the sizes that are argument 0, or like the tensor
// that is, or the call's `out`, which gets those sizes. `dtype` is what it has unless one is given.
// With a `device` it is made there without a call of another operator; not like a tensor, then.
Tensor begin_factory(const Call& call, std::optional<Dtype> dtype = std::nullopt,
                     const Device* device = nullptr);

// Hands it over.
void end_factory(const Call& call, Tensor made);

// A new tensor with the sizes of `like`, laid out in a memory format: row-major, channels last, or
// with dims in the order that `like` has them in memory.
Tensor empty_in_format(const char* op, const tenon_tensor_info& like, MemoryFormat memory_format,
                       const FactoryOptions& options);

// Whether a tensor is laid out row-major, or channels last; dims of size 1 do not count.
bool has_memory_format(const char* op, const tenon_tensor_info& info, MemoryFormat format);

// Calls through the dispatcher.
Tensor call_empty(Sizes size, const FactoryOptions& options,
                  std::optional<MemoryFormat> memory_format = std::nullopt);
Tensor call_empty_strided(Sizes size, Sizes stride, const FactoryOptions& options);
Tensor call_zeros(Sizes size, const FactoryOptions& options);
void call_fill(Tensor& self, const Scalar& value);
void call_zero(Tensor& self);
void call_uniform(Tensor& self, double from, double to, const std::optional<Generator>& generator);
void call_normal(Tensor& self, double mean, double std, const std::optional<Generator>& generator);
void call_copy(Tensor& self, const Tensor& src, bool non_blocking = false);

}  // namespace tenon::kernels
