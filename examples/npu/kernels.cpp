// SPDX-License-Identifier: Apache-2.0
// Step 3: kernels. Each checks that the device supports the arguments, queues the work, and returns
// immediately; unsupported calls use the fallback.
#include <algorithm>
#include <cstring>
#include <optional>

#include "host.h"
#include "npu.h"

namespace npu {

namespace {

using tenon::Dtype;
using tenon::Scalar;
using tenon::Sizes;
using tenon::Tensor;
using tenon::Value;

// Returns true if the device can compute with a tensor: contiguous float32. The CPU computes
// everything else.
bool fits(const Tensor& tensor) { return tensor.dtype() == Dtype::F32 && tensor.is_contiguous(); }
bool fits(const Tensor& a, const Tensor& b) {
  return fits(a) && fits(b) && std::ranges::equal(a.sizes(), b.sizes());
}

// The queued work owns references to its tensors.
template <class Function>
Tensor unary(const char* op, const Tensor& a, Function function) {
  if (!fits(a)) return on_host(op, {a});
  const Tensor out = Tensor::empty(a.sizes(), Dtype::F32, a.device());
  enqueue(current_stream(), [a, out, function] {
    const float* from = a.data<float>();
    std::transform(from, from + a.numel(), out.data<float>(), function);
  });
  return out;
}

template <class Function>
Tensor binary(const Tensor& a, const Tensor& b, Function function) {
  const Tensor out = Tensor::empty(a.sizes(), Dtype::F32, a.device());
  enqueue(current_stream(), [a, b, out, function] {
    const float* from = a.data<float>();
    std::transform(from, from + a.numel(), b.data<float>(), out.data<float>(), function);
  });
  return out;
}

Tensor add(const Tensor& a, const Tensor& b, const Scalar& alpha) {
  if (!fits(a, b)) return on_host("aten::add.Tensor", {a, b}, {tenon::kw("alpha", alpha)});
  const auto factor = static_cast<float>(alpha.to_double());
  return binary(a, b, [factor](float x, float y) { return x + factor * y; });
}

Tensor mul(const Tensor& a, const Tensor& b) {
  if (!fits(a, b)) return on_host("aten::mul.Tensor", {a, b});
  return binary(a, b, [](float x, float y) { return x * y; });
}

Tensor neg(const Tensor& a) {
  return unary("aten::neg", a, [](float x) { return -x; });
}

Tensor relu(const Tensor& a) {
  return unary("aten::relu", a, [](float x) { return x < 0 ? 0.0f : x; });
}

Tensor mm(const Tensor& a, const Tensor& b) {
  if (!fits(a) || !fits(b) || a.ndim() != 2 || b.ndim() != 2 || a.size(1) != b.size(0)) {
    return on_host("aten::mm", {a, b});  // the CPU kernel raises the error, if there is one
  }
  const int64_t sizes[] = {a.size(0), b.size(1)};
  const Tensor out = Tensor::empty(sizes, Dtype::F32, a.device());
  enqueue(current_stream(), [a, b, out] {
    const int64_t rows = a.size(0), inner = a.size(1), columns = b.size(1);
    for (int64_t i = 0; i < rows; ++i) {
      for (int64_t j = 0; j < columns; ++j) {
        float sum = 0;
        for (int64_t k = 0; k < inner; ++k) {
          sum += a.data<float>()[i * inner + k] * b.data<float>()[k * columns + j];
        }
        out.data<float>()[i * columns + j] = sum;
      }
    }
  });
  return out;
}

Tensor& fill(Tensor& self, const Scalar& value) {
  if (!fits(self)) {
    on_host("aten::fill_.Scalar", {self, value});
    return self;
  }
  enqueue(current_stream(), [self, number = static_cast<float>(value.to_double())] {
    std::fill_n(self.data<float>(), self.numel(), number);
  });
  return self;
}

Tensor& zero(Tensor& self) {
  if (!self.is_contiguous()) return fill(self, 0);
  enqueue(current_stream(),
          [self] { std::memset(self.raw_data(), 0, static_cast<size_t>(byte_extent(self))); });
  return self;
}

// Copies in both directions and within the device: npu is always the highest backend of the
// arguments.
Tensor& copy(Tensor& self, const Tensor& src, bool non_blocking) {
  const bool plain = self.dtype() == src.dtype() && self.is_contiguous() && src.is_contiguous() &&
                     std::ranges::equal(self.sizes(), src.sizes());
  if (!plain) {
    on_host("aten::copy_", {self, src});
    return self;
  }
  enqueue(current_stream(), [self, src] {
    std::memcpy(self.raw_data(), src.raw_data(), static_cast<size_t>(byte_extent(src)));
  });
  const bool within = is_npu(self) && is_npu(src);
  if (!within && !non_blocking) synchronize(current_stream());
  return self;
}

Scalar item(const Tensor& self) {
  return on_host_values("aten::_local_scalar_dense", {self})[0].scalar();
}

tenon::Device npu_device() { return {device_type(), 0}; }

Tensor empty(Sizes size, std::optional<Dtype> dtype, std::optional<tenon::Layout>,
             std::optional<tenon::Device>, std::optional<bool>,
             std::optional<tenon::MemoryFormat>) {
  return Tensor::empty(size, dtype.value_or(Dtype::F32), npu_device());
}

Tensor empty_strided(Sizes size, Sizes stride, std::optional<Dtype> dtype,
                     std::optional<tenon::Layout>, std::optional<tenon::Device>,
                     std::optional<bool>) {
  return Tensor::empty(size, dtype.value_or(Dtype::F32), npu_device(), stride);
}

}  // namespace

void register_kernels(tenon::Library& aten) {
  aten.impl("empty.memory_format", &empty);
  aten.impl("empty_strided", &empty_strided);
  aten.impl("copy_", &copy);
  aten.impl("fill_.Scalar", &fill);
  aten.impl("zero_", &zero);
  aten.impl("_local_scalar_dense", &item);
  aten.impl("add.Tensor", &add);
  aten.impl("mul.Tensor", &mul);
  aten.impl("neg", &neg);
  aten.impl("relu", &relu);
  aten.impl("mm", &mm);
}

}  // namespace npu
