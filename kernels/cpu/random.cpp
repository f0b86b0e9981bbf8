// SPDX-License-Identifier: Apache-2.0
#include "kernels/cpu/random.h"

namespace tenon::kernels::cpu {

Generator generator_for(const char* op, const std::optional<Generator>& generator) {
  if (!generator) return Generator::default_of();
  const Device device = generator->device();
  if (device.type != TENON_DEVICE_CPU) [[unlikely]] {
    fail_argument(op, "generator", "one of cpu, where self is", "one of " + device.str());
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

}  // namespace tenon::kernels::cpu
