// SPDX-License-Identifier: Apache-2.0
// Launches of operators that draw random numbers.
#include "kernels/cuda/random/draw.h"

#include "kernels/common/maths/element.h"
#include "kernels/cuda/loops/operands.h"
#include "kernels/cuda/provider.h"
#include "kernels/cuda/random/generator.h"
#include "kernels/cuda/runtime.h"

namespace tenon::kernels::cuda {
namespace {

// Views a complex tensor with an additional dim for the two parts of each element.
tenon_tensor_info parts_of(const Tensor& self, Tensor& parts) {
  if (!is_complex(self.dtype())) return self.info();
  static constinit const LazyOp<Tensor(const Tensor&)> view("aten::view_as_real");
  parts = view(self);
  return parts.info();
}

}  // namespace

PhiloxOffset place_of(const Call& call, int generator, const tenon_tensor_info& self,
                      bool is_wide) {
  return draw_place(call.op(), call.get<std::optional<Generator>>(generator), Device(self.device),
                    self.numel, drawn_together(is_wide));
}

void draw(const Call& call, int generator, Distribution which, double a, double b) {
  Tensor parts;
  const tenon_tensor_info self = parts_of(*call.get<Tensor>(0), parts);
  if (self.numel == 0) return;
  const DeviceGuard guard(self.device.index);
  const PhiloxOffset place = place_of(call, generator, self, dtype_of_info(self) == Dtype::F64);
  launch_distribution(call.op(), which, self.dtype, strided_pair(self, self), a, b, place,
                      current_stream(Device(self.device)));
}

}  // namespace tenon::kernels::cuda
