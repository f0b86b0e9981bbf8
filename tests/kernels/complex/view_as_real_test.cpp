// SPDX-License-Identifier: Apache-2.0
// aten::view_as_real, view_as_complex, real and imag.
#include "kernels/golden.h"
#include "tenon/autograd.h"

namespace tenon::tests {
namespace {

// The gradient of the real part of (a + ib)(1 - 2i) is (1, 2).
TEST(ViewAsReal, GradientOfPairs_IsThatOfTheNumbers) {
  const Tensor pairs = Tensor::from<double>({3, 4}, {1, 2});
  check(tenon_tensor_set_requires_grad(pairs.get(), 1));
  const Tensor factor = Tensor::from<std::complex<double>>({{1, -2}}, {1});
  const Tensor number = call("aten::view_as_complex", pairs);
  const Tensor sum =
      call("aten::sum", call("aten::real", call("aten::mul.Tensor", number, factor)));
  tenon_tensor* output = sum.get();
  tenon_backward_options options{};
  options.struct_size = sizeof(options);
  options.outputs = &output;
  options.noutputs = 1;
  check(tenon_backward(&options));
  tenon_tensor* gradient = nullptr;
  check(tenon_tensor_copy_grad(pairs.get(), &gradient));
  EXPECT_EQ(elements(Tensor(gradient)), (Doubles{1, 2}));
}

}  // namespace
}  // namespace tenon::tests
