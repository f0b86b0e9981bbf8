// SPDX-License-Identifier: Apache-2.0
#include "kernels/cpu/loops/cast.h"

#include "kernels/common/promotion.h"
#include "kernels/cpu/loops/cast_loops.h"
#include "kernels/cpu/loops/transpose.h"
#include "kernels/cpu/parallel_loop.h"

namespace tenon::kernels::cpu {
namespace {

constexpr int64_t kBetweenBytes = 4096;

// Returns the intermediate dtype for two dtypes that no single loop casts.
Dtype between(Dtype to, Dtype from) {
  const auto is_short = [](Dtype dtype) {
    return is_bool_or_integral(dtype) && size_of(dtype) < 4;
  };
  const auto is_whole = [](Dtype dtype) {
    return is_bool_or_integral(dtype) && size_of(dtype) >= 4;
  };
  const auto is_wide_unsigned = [](Dtype dtype) {
    return has(kWideUnsigned, static_cast<tenon_dtype>(dtype));
  };
  if (is_wide_unsigned(to) || is_wide_unsigned(from)) {
    if (is_bool_or_integral(to) && is_bool_or_integral(from)) return Dtype::I64;
    return to == Dtype::C128 || from == Dtype::C128 ? Dtype::F64 : Dtype::F32;
  }
  // bool is true for imaginary numbers, too.
  if (from == Dtype::C32) return to == Dtype::C128 || to == Dtype::Bool ? Dtype::C64 : Dtype::F32;
  if (to == Dtype::C32 && from == Dtype::C128) return Dtype::C64;
  if (is_short(to) && is_short(from)) return Dtype::I32;
  // Adding or dropping the imaginary part is a separate step, so that the real part keeps its
  // precision.
  if (from == Dtype::C128 && is_bool_or_integral(to)) return Dtype::F64;
  if (to == Dtype::C128 && is_whole(from)) return Dtype::F64;
  return Dtype::F32;
}

// Returns true if the rows of operand 0 are columns of operand 1.
bool is_turned(const Walk& walk, int64_t size) {
  return walk.stride(1, 1) == size && walk.stride(0, 0) == size &&
         walk.stride(1, 0) > walk.stride(1, 1) && walk.size(0) >= 8 && walk.size(1) >= 8;
}

void turn_all(const Walk& walk, char* const* base) {
  walk.steps<2, 2>(base, [&](char* const* plane) {
    transpose(
        plane[0], plane[1],
        {walk.stride(0, 0), walk.size(1), walk.size(0), walk.stride(0, 1), walk.stride(1, 0)});
  });
}

}  // namespace

Cast::Cast(Dtype to, Dtype from) : first_(cast_loop(to, from)) {
  if (first_ != nullptr) return;
  check_dtype("tenon::cast", "source", from, StoredTypes());
  check_dtype("tenon::cast", "target", to, StoredTypes());
  const Dtype step = between(to, from);
  first_ = cast_loop(step, from);
  second_ = cast_loop(to, step);
  between_size_ = size_of(step);
}

void Cast::run(char* const* data, const int64_t* strides, int64_t count) const {
  const char unused = 0;
  if (second_ == nullptr) return first_(data, strides, count, &unused);
  alignas(64) char block[kBetweenBytes];
  const int64_t most = kBetweenBytes / between_size_;
  for (int64_t i = 0; i < count; i += most) {
    const int64_t part = std::min(most, count - i);
    char* const in[] = {block, data[1] + i * strides[1]};
    const int64_t in_strides[] = {between_size_, strides[1]};
    first_(in, in_strides, part, &unused);
    char* const out[] = {data[0] + i * strides[0], block};
    const int64_t out_strides[] = {strides[0], between_size_};
    second_(out, out_strides, part, &unused);
  }
}

void Cast::run(const Walk& walk, char* const* base) const {
  if (walk.ndim() == 0) return run_row(walk, base);
  walk.rows<2>(base, [&](char* const* row) { run_row(walk, row); });
}

void Cast::run_row(const Walk& walk, char* const* data) const {
  const int64_t strides[] = {walk.stride(0, 0), walk.stride(1, 0)};
  run(data, strides, walk.size(0));
}

CastPlan::CastPlan(const tenon_tensor_info& target, const tenon_tensor_info& source)
    : cast_(dtype_of_info(target), dtype_of_info(source)) {
  const Dtype to = dtype_of_info(target);
  const Dtype from = dtype_of_info(source);
  const bool same_sizes = std::ranges::equal(sizes_of(target), sizes_of(source));
  if (same_sizes && is_contiguous(target) && is_contiguous(source)) {
    walk_.flat(target.numel, 2);
    walk_.set_flat(0, target.data, size_of(to));
    walk_.set_flat(1, source.data, size_of(from));
  } else {
    const Sizes shape = sizes_of(target);
    int64_t strides[kMaxDims];
    broadcast_strides(shape, sizes_of(source), strides_of(source), strides);
    const int64_t* order[] = {target.strides, strides};
    int64_t perm[kMaxDims];
    order_dims(shape, order, 2, perm);
    walk_.begin(shape, perm, 2);
    walk_.set(0, target.data, size_of(to), target.strides);
    walk_.set(1, source.data, size_of(from), strides);
    walk_.coalesce();
  }
  turns_ = to == from && walk_.ndim() > 1 && is_turned(walk_, size_of(to));
}

void CastPlan::run(char* const* data) const {
  parallel_walk(walk_, data, 1, [&](const Walk& part, char* const* base) {
    if (turns_) {
      turn_all(part, base);
    } else {
      cast_.run(part, base);
    }
  });
}

void cast(const tenon_tensor_info& target, const tenon_tensor_info& source) {
  char* const data[] = {static_cast<char*>(target.data), static_cast<char*>(source.data)};
  CastPlan(target, source).run(data);
}

}  // namespace tenon::kernels::cpu
