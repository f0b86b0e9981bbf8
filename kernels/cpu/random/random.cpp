// SPDX-License-Identifier: Apache-2.0
// The source of numbers for random elements, and aten::random_ on the CPU. It draws the same
// numbers as PyTorch: one of 32 bits for each element, or two if the range has 2^28 or more
// integers.
#include "kernels/cpu/random/random.h"

#include "kernels/cpu/loops/loops.h"
#include "kernels/cpu/routine_of.h"
#include "kernels/ops/random/random.h"

namespace tenon::kernels::cpu {

Generator generator_for(const char* op, const std::optional<Generator>& generator) {
  if (!generator) return Generator::default_of();
  const Device device = generator->device();
  if (device.type != TENON_DEVICE_CPU) [[unlikely]] {
    fail_argument(op, "generator", "on cpu like self", "a generator on " + device.str());
  }
  return *generator;
}

Walk walk_in_memory_order(const tenon_tensor_info& self) {
  Walk walk;
  const int64_t element_size = size_of(dtype_of_info(self));
  if (is_contiguous(self)) {
    walk.flat(self.numel, 1);
    walk.set_flat(0, self.data, element_size);
  } else {
    int64_t perm[kMaxDims];
    order_dims(sizes_of(self), &self.strides, 1, perm);
    walk.begin(sizes_of(self), perm, 1);
    walk.set(0, self.data, element_size, self.strides);
    walk.coalesce();
  }
  return walk;
}

namespace {

template <class T, int kNumbers>
void draw_elements(const tenon_tensor_info& info, const Drawn& drawn, const Generator& generator) {
  const Walk walk = walk_in_memory_order(info);
  Draws<uint32_t> draws(generator, info.numel * kNumbers);
  char* base = walk.data(0);
  walk.rows<1>(&base, [&](char* const* data) {
    const int64_t stride = walk.stride(0, 0), count = walk.size(0);
    for (int64_t i = 0; i < count;) {
      const auto numbers = draws.take((count - i) * kNumbers);
      const auto taken = static_cast<int64_t>(numbers.size()) / kNumbers;
      for (int64_t k = 0; k < taken; ++k) {
        uint64_t number = numbers[static_cast<size_t>(k * kNumbers)];
        if constexpr (kNumbers == 2) {
          number = number << 32 | numbers[static_cast<size_t>(k * kNumbers + 1)];
        }
        if (drawn.count != 0) number %= drawn.count;
        const auto integer = static_cast<int64_t>(number + static_cast<uint64_t>(drawn.first));
        store<T>(data[0] + (i + k) * stride, integer);
      }
      i += taken;
    }
  });
}

void random_(const Call& call) {
  const Drawn drawn = drawn_by(call);
  const tenon_tensor_info info = call.get<Tensor>(0)->info();
  const Generator generator =
      generator_for(call.op(), call.get<std::optional<Generator>>(call.form.arguments - 1));
  visit(call.op(), "self", dtype_of_info(info), Joined<BoolType, RealTypes>(),
        [&]<class T>(Element<T>) {
          if (drawn.is_wide) {
            draw_elements<T, 2>(info, drawn, generator);
          } else {
            draw_elements<T, 1>(info, drawn, generator);
          }
        });
}

}  // namespace

Operator operator_kRandomInPlace() { return routine_of<ops::kRandomInPlace, &random_>(); }
Operator operator_kRandomFromInPlace() { return routine_of<ops::kRandomFromInPlace, &random_>(); }
Operator operator_kRandomToInPlace() { return routine_of<ops::kRandomToInPlace, &random_>(); }

}  // namespace tenon::kernels::cpu
