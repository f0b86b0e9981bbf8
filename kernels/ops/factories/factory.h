// SPDX-License-Identifier: Apache-2.0
// Shared by factories: their options, the tensors that they fill, and calls of primitive operators.
#pragma once

#include <optional>

#include "kernels/common/families/routine.h"
#include "kernels/common/registrar.h"

namespace tenon::kernels {

// The keyword arguments of all factories, in schema order.
struct FactoryOptions {
  std::optional<Dtype> dtype;
  std::optional<Layout> layout;
  std::optional<Device> device;
  std::optional<bool> pin_memory;
};

// Returns the options of a call; none for an out form, which does not have them.
FactoryOptions options_of(const Call& call);

// Returns `given` with absent options taken from the tensor `like`.
FactoryOptions options_like(const tenon_tensor_info& like, const FactoryOptions& given);

// Refuses layouts and pinned memory, which are not supported.
void check_options(const char* op, std::optional<Layout> layout, std::optional<bool> pin_memory);

// Returns the dtype of a number if none is given: floats and complex numbers follow the default
// dtype.
Dtype inferred_dtype(const Scalar& number);

// Returns the tensor that a factory fills: a new one with the sizes in argument 0 or like the
// tensor in argument 0, or the call's `out`, which is resized. `dtype` applies if the call has
// none. With a `device` it allocates there without calling another operator; this is not supported
// like a tensor.
Tensor begin_factory(const Call& call, std::optional<Dtype> dtype = std::nullopt,
                     const Device* device = nullptr);

// Returns the filled tensor.
void end_factory(const Call& call, Tensor made);

// Returns a new tensor with the sizes of `like` in a memory format: row-major, channels last, or
// with dims in the order in which `like` has them in memory.
Tensor empty_in_format(const char* op, const tenon_tensor_info& like, MemoryFormat memory_format,
                       const FactoryOptions& options);

// Returns true if a tensor has this memory format; dims of size 1 are ignored.
bool has_memory_format(const char* op, const tenon_tensor_info& info, MemoryFormat format);

// Calls of operators through the dispatcher.
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
