// SPDX-License-Identifier: Apache-2.0
// aten::fill_ on the CPU.
#include "kernels/ops/factories/fill.h"

#include <cstring>
#include <string>

#include "kernels/common/walk.h"
#include "kernels/cpu/bind.h"
#include "kernels/cpu/factories/fill.h"
#include "kernels/cpu/loops/bits.h"
#include "kernels/cpu/parallel_loop.h"
#include "kernels/cpu/routine_of.h"

namespace tenon::kernels::cpu {
namespace {

// Writes elements as bits of their size, for any dtype.
template <class Bits>
void fill_loop(char* const* data, const int64_t* strides, int64_t count, const void* ctx) {
  Bits bits;
  std::memcpy(&bits, ctx, sizeof bits);
  if (strides[0] == sizeof bits) {
    std::fill_n(reinterpret_cast<Bits*>(data[0]), count, bits);
    return;
  }
  char* out = data[0];
  for (int64_t i = 0; i < count; ++i) {
    std::memcpy(out, &bits, sizeof bits);
    out += strides[0];
  }
}

void fill_(const Call& call) {
  const tenon_tensor_info info = call.get<Tensor>(0)->info();
  check_fill_target(call.op(), info);
  fill(call.op(), info, call.get<Scalar>(1));
}

struct BoundFill {
  std::string op;
  BoundInfo self;
  Scalar value;
  void run(void* const* data) const { fill(op.c_str(), self.at(data[0]), value); }
};

// Records fill_ and zero_; the latter has no value argument.
void capture_fill(const Call& call) {
  const tenon_tensor_info info = call.get<Tensor>(0)->info();
  const Scalar value = call.form.arguments > 1 ? call.get<Scalar>(1) : Scalar(0);
  check_fill(call.op(), info, value);
  capture_bound(call,
                std::make_unique<BoundFill>(BoundFill{call.form.name, BoundInfo(info), value}));
}

}  // namespace

void fill(const char* op, const tenon_tensor_info& self, const Scalar& value) {
  Walk walk;
  if (is_contiguous(self)) {
    walk.flat(self.numel, 1);
    walk.set_flat(0, self.data, size_of(dtype_of_info(self)));
  } else {
    int64_t perm[kMaxDims];
    order_dims(sizes_of(self), &self.strides, 1, perm);
    walk.begin(sizes_of(self), perm, 1);
    walk.set(0, self.data, size_of(dtype_of_info(self)), self.strides);
    walk.coalesce();
  }
  visit(op, "self", dtype_of_info(self), StoredTypes(), [&]<class T>(Element<T>) {
    const T element = checked_element_of<T>(op, "value", value);
    const Loop loop =
        with_bits(sizeof(T), []<class Bits>(Bits) -> Loop { return &fill_loop<Bits>; });
    parallel_walk(walk, walk.raw_data(), 1,
                  [&](const Walk& part, char* const*) { part.run(loop, &element); });
  });
}

Operator operator_kFillInPlace() { return routine_of<ops::kFillInPlace, &fill_>(); }

tenon_status bind_fill(void* ctx, const tenon_op* op, tenon_keyset keys, tenon_stack* stack,
                       tenon_bound* out_bound) {
  return bind_routine<&capture_fill>(ctx, op, keys, stack, out_bound);
}

}  // namespace tenon::kernels::cpu
