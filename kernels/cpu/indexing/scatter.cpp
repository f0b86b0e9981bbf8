// SPDX-License-Identifier: Apache-2.0
// aten::scatter and aten::scatter_add on the CPU.
#include "kernels/ops/indexing/scatter.h"

#include <cstring>

#include "kernels/cpu/indexing/places.h"
#include "kernels/cpu/loops/cast.h"
#include "kernels/cpu/routine_of.h"
#include "kernels/ops/arithmetic/add.h"

namespace tenon::kernels::cpu {
namespace {

// A number that is used in place of a tensor.
struct Number {
  alignas(16) char element[16];
  int64_t strides[kMaxDims] = {};
};

Number number_of(const Call& call, Dtype dtype) {
  Number number;
  const auto value = call.get<Scalar>(3);
  visit(call.op(), "self", dtype, StoredTypes(), [&]<class T>(Element<T>) {
    const T element = checked_element_of<T>(call.op(), "value", value);
    std::memcpy(number.element, &element, sizeof(T));
  });
  return number;
}

template <bool kAdds>
void scatter(const Call& call) {
  auto dim = call.get<int64_t>(1);
  Tensor result = scatter_result(call, dim);
  const tenon_tensor_info info = result.info();
  const tenon_tensor_info self = call.get<Tensor>(0)->info();
  const tenon_tensor_info index = call.get<Tensor>(2)->info();
  const Dtype dtype = dtype_of_info(info);
  Number number;
  void* source = number.element;
  const int64_t* strides = number.strides;
  tenon_tensor_info src;
  if (call.args[3].tag == TENON_TAG_TENSOR) {
    src = call.get<Tensor>(3)->info();
    source = src.data;
    strides = src.strides;
  } else {
    number = number_of(call, dtype);
  }
  const Places places(call.op(), info, dim, index, source, strides, check_of(call.form));
  if (info.data != self.data) cast(info, self);
  if constexpr (kAdds) {
    visit(call.op(), "self", dtype, Joined<BoolType, NumberTypes>(), [&]<class T>(Element<T>) {
      places.each_of_its_own<T>([](T& at, const T& term) {
        using C = Compute<T>;
        at = static_cast<T>(ops::Add<C>()(static_cast<C>(at), static_cast<C>(term)));
      });
    });
  } else {
    visit_size(dtype, [&]<class T>(T) { places.each_of_its_own<T>(MoveIn()); });
  }
  if (call.form.is_functional()) call.give(0, std::move(result));
}

}  // namespace

Operator operator_kScatterSrc() { return routine_of<ops::kScatterSrc, &scatter<false>>(); }
Operator operator_kScatterValue() { return routine_of<ops::kScatterValue, &scatter<false>>(); }
Operator operator_kScatterAdd() { return routine_of<ops::kScatterAdd, &scatter<true>>(); }

}  // namespace tenon::kernels::cpu
