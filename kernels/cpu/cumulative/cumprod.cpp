// SPDX-License-Identifier: Apache-2.0
// aten::cumprod on the CPU.
#include "kernels/ops/cumulative/cumprod.h"

#include "kernels/cpu/loops/cast.h"
#include "kernels/cpu/loops/lines.h"
#include "kernels/cpu/loops/loops.h"
#include "kernels/cpu/routine_of.h"

namespace tenon::kernels::cpu {
namespace {

// The type of the running product: integers wrap, and floats are multiplied in double.
template <class T>
struct RunningProduct {
  using type = std::conditional_t<std::is_integral_v<T>, uint64_t, Compute<T>>;
};
template <>
struct RunningProduct<float> {
  using type = double;
};
template <>
struct RunningProduct<Complex64> {
  using type = Complex128;
};

template <class T>
void multiply_up(char* const* data, const LineShape& line) {
  using Product = typename RunningProduct<T>::type;
  Product product(1);
  char* at = data[0];
  for (int64_t i = 0; i < line.count; ++i, at += line.steps[0]) {
    product = product * static_cast<Product>(load<T>(at));
    store<T>(at, product);
  }
}

void cumprod(const Call& call) {
  int64_t dim;
  Tensor result = running_result(call, dim);
  const tenon_tensor_info info = result.info(), self = call.get<Tensor>(0)->info();
  // Factors are cast to the result's dtype before they are multiplied.
  if (info.data != self.data || info.dtype != self.dtype) cast(info, self);
  visit(call.op(), "self", dtype_of_info(info), Joined<BoolType, NumberTypes>(),
        [&]<class T>(Element<T>) { each_line(dim, &multiply_up<T>, info); });
  if (call.form.is_functional()) call.give(0, std::move(result));
}

}  // namespace

Operator operator_kCumprod() { return routine_of<ops::kCumprod, &cumprod>(); }

}  // namespace tenon::kernels::cpu
