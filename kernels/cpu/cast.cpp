// SPDX-License-Identifier: Apache-2.0
// One copying loop for each pair of dtypes.
#include "kernels/cpu/cast.h"

#include <cstring>

#include "kernels/cpu/bits.h"
#include "kernels/cpu/loops.h"
#include "kernels/cpu/vector_cast.h"

namespace tenon::kernels::cpu {
namespace {

// Elements of one size are copied as plain bytes, whatever their dtype.
template <class Bits>
void copy_loop(char* const* data, const int64_t* strides, int64_t count, const void*) {
  if (strides[0] == sizeof(Bits) && strides[1] == sizeof(Bits)) {
    std::memmove(data[0], data[1], static_cast<size_t>(count) * sizeof(Bits));
    return;
  }
  char* out = data[0];
  const char* in = data[1];
  for (int64_t i = 0; i < count; ++i) {
    std::memcpy(out, in, sizeof(Bits));
    out += strides[0];
    in += strides[1];
  }
}

// Reads through `load`, so that small floats arrive as float.
template <class To, class From>
constexpr Loop loop_of() {
  return &unary_loop<To, From, Convert<To, Compute<From>>>;
}

template <class From, class... To>
Loop loop_to(Dtype to, ElementTypes<To...>) {
  Loop loop = nullptr;
  ((to == element_dtype<To> ? (loop = loop_of<To, From>(), true) : false) || ...);
  return loop;
}

}  // namespace

Loop cast_loop(Dtype to, Dtype from) {
  if (to == from) {
    return with_bits(size_of(to), []<class Bits>(Bits) -> Loop { return &copy_loop<Bits>; });
  }
  if (const Loop wide = vector_cast_loop(to, from)) return wide;
  return visit("tenon::cast", "source", from, AllTypes(),
               [&]<class From>(Element<From>) { return loop_to<From>(to, AllTypes()); });
}

void cast(const tenon_tensor_info& target, const tenon_tensor_info& source) {
  const Dtype to = dtype_of_info(target);
  const Dtype from = dtype_of_info(source);
  const Loop loop = cast_loop(to, from);
  Walk walk;
  const bool same_sizes = std::ranges::equal(sizes_of(target), sizes_of(source));
  if (same_sizes && is_contiguous(target) && is_contiguous(source)) {
    walk.flat(target.numel, 2);
    walk.set_flat(0, target.data, size_of(to));
    walk.set_flat(1, source.data, size_of(from));
  } else {
    const Sizes shape = sizes_of(target);
    int64_t strides[kMaxDims];
    broadcast_strides(shape, sizes_of(source), strides_of(source), strides);
    const int64_t* order[] = {target.strides, strides};
    int64_t perm[kMaxDims];
    order_dims(shape, order, 2, perm);
    walk.begin(shape, perm, 2);
    walk.set(0, target.data, size_of(to), target.strides);
    walk.set(1, source.data, size_of(from), strides);
    walk.coalesce();
  }
  const char unused = 0;
  walk.run(loop, &unused);
}

}  // namespace tenon::kernels::cpu
