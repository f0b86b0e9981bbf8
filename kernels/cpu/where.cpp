// SPDX-License-Identifier: Apache-2.0
// aten::where on the CPU.
#include "kernels/ops/where.h"

#include "kernels/common/registrar.h"
#include "kernels/cpu/loops.h"

namespace tenon::kernels::cpu {
namespace {

// Elements are moved as bits of their size, whatever their dtype.
template <class Bits>
void where_loop(char* const* data, const int64_t* strides, int64_t count, const void*) {
  char* out = data[0];
  const char* condition = data[1];
  const char* self = data[2];
  const char* other = data[3];
  constexpr int64_t kSize = sizeof(Bits);
  if (strides[0] == kSize && strides[1] == 1 && strides[2] == kSize && strides[3] == kSize) {
    TENON_INDEPENDENT
    for (int64_t i = 0; i < count; ++i) {
      const Bits a = load<Bits>(self + i * kSize);
      const Bits b = load<Bits>(other + i * kSize);
      store<Bits>(out + i * kSize, load<bool>(condition + i) ? a : b);
    }
    return;
  }
  for (int64_t i = 0; i < count; ++i) {
    store<Bits>(out, load<bool>(condition) ? load<Bits>(self) : load<Bits>(other));
    out += strides[0];
    condition += strides[1];
    self += strides[2];
    other += strides[3];
  }
}

Tensor where(const Tensor& condition, const Tensor& self, const Tensor& other) {
  Elementwise plan("aten::where.self");
  plan_where(plan, condition, self, other);
  const char unused = 0;
  switch (size_of(plan.dtype())) {
    case 1:
      run(plan, &where_loop<uint8_t>, &unused);
      break;
    case 2:
      run(plan, &where_loop<uint16_t>, &unused);
      break;
    case 4:
      run(plan, &where_loop<uint32_t>, &unused);
      break;
    case 8:
      run(plan, &where_loop<uint64_t>, &unused);
      break;
    default:
      run(plan, &where_loop<Complex128>, &unused);
  }
  return plan.take_result();
}

}  // namespace

void register_where(Library& aten) {
  aten.impl("where.self", TENON_KEY_CPU, &where, quick("cpu::where", kQuickNumel));
}

}  // namespace tenon::kernels::cpu
