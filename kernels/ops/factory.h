// SPDX-License-Identifier: Apache-2.0
// What factories share: their options, and calls of the primitive factories and fillers.
#pragma once

#include <optional>

#include "kernels/common/registrar.h"
#include "kernels/common/shape.h"

namespace tenon::kernels {

// The keyword arguments that all factories take, in the order of their schemas.
struct FactoryOptions {
  std::optional<Dtype> dtype;
  std::optional<Layout> layout;
  std::optional<Device> device;
  std::optional<bool> pin_memory;
};

// Refuses layouts and pinned memory that are not there.
void check_options(const char* op, std::optional<Layout> layout, std::optional<bool> pin_memory);

// The dtype that a number has when nothing else is said: floats and complex numbers follow the
// default dtype.
Dtype inferred_dtype(const Scalar& number);

// Calls through the dispatcher.
Tensor call_empty(Sizes size, const FactoryOptions& options,
                  std::optional<MemoryFormat> memory_format = std::nullopt);
Tensor call_empty_strided(Sizes size, Sizes stride, const FactoryOptions& options);
void call_fill(Tensor& self, const Scalar& value);
void call_zero(Tensor& self);
void call_uniform(Tensor& self, double from, double to, const std::optional<Generator>& generator);
void call_normal(Tensor& self, double mean, double std, const std::optional<Generator>& generator);
void call_copy(Tensor& self, const Tensor& src, bool non_blocking = false);

}  // namespace tenon::kernels
