// SPDX-License-Identifier: Apache-2.0
// Shape rules that depend neither on data nor on devices.
#include "kernels/common/shape.h"

#include <numeric>

#include "kernels/common/checked_size.h"
#include "kernels/common/shape_rules.h"

namespace tenon::kernels {

void refuse_overflow(const char* op, int64_t a, char sign, int64_t b) {
  fail(TENON_ERROR_INVALID_ARGUMENT,
       {op, ": sizes must fit into 63 bits, got ", a, " ", std::string_view(&sign, 1), " ", b});
}

int64_t numel_of(Sizes sizes) {
  int64_t numel = 1;
  bool overflow = false;
  for (const int64_t size : sizes) {
    if (size == 0) return 0;
    overflow = __builtin_mul_overflow(numel, size, &numel) || overflow;
  }
  if (overflow) [[unlikely]] {
    fail(TENON_ERROR_INVALID_ARGUMENT,
         {"size: number of elements must fit 63 bits, got sizes ", sizes});
  }
  return numel;
}

int64_t reach(Sizes sizes, Sizes strides) {
  if (sizes.size() != strides.size()) [[unlikely]] {
    fail(TENON_ERROR_INVALID_ARGUMENT,
         {"strides: numbers must be as many as sizes ", sizes, ", got ", strides});
  }
  CheckedSize last("strides", 0);
  for (size_t dim = 0; dim < sizes.size(); ++dim) {
    if (sizes[dim] == 0) return 0;
    last = last + (CheckedSize("sizes", sizes[dim]) - 1) * strides[dim];
  }
  return (last + 1).value();
}

void refuse_dim(const char* op, int64_t dim, int64_t bound) {
  fail(TENON_ERROR_INDEX, {op, ": dim must be in [", -bound, ", ", bound - 1, "], got ", dim});
}

int64_t broadcast_into(Dims& shape, Sizes other) { return rules::broadcast_into(shape, other); }

Dims broadcast(const char* op, Sizes a, Sizes b) {
  if (a.size() < b.size()) std::swap(a, b);
  Dims result(a);
  if (const int64_t at = broadcast_into(result, b); at >= 0) [[unlikely]] {
    fail(TENON_ERROR_INVALID_ARGUMENT,
         {op, ": sizes must broadcast, got ", a, " and ", b, ", which differ at dim ", at});
  }
  return result;
}

Dims row_major_strides(Sizes sizes) { return rules::row_major_strides<Dims>(sizes); }

void order_dims(Sizes sizes, const int64_t* const* strides, int ntensors, int64_t* perm) {
  rules::order_dims(sizes, strides, ntensors, perm);
}

bool is_non_overlapping_and_dense(Sizes sizes, Sizes strides) {
  const auto ndim = static_cast<int64_t>(sizes.size());
  if (ndim == 1) return sizes[0] < 2 || strides[0] == 1;
  Dims perm;
  perm.resize(ndim);
  std::iota(perm.begin(), perm.end(), int64_t{0});
  const auto at = [](Sizes list, int64_t dim) { return list[static_cast<size_t>(dim)]; };
  // Dims of size 0 and 1 go last: their strides do not matter.
  std::sort(perm.begin(), perm.end(), [&](int64_t a, int64_t b) {
    if (at(sizes, a) < 2) return false;
    if (at(sizes, b) < 2) return true;
    return at(strides, a) < at(strides, b);
  });
  int64_t next = 1;
  for (const int64_t dim : perm) {
    if (at(sizes, dim) < 2) return true;
    if (at(strides, dim) != next) return false;
    next *= at(sizes, dim);
  }
  return true;
}

Dims preserving_strides(Sizes sizes, Sizes strides) {
  if (is_non_overlapping_and_dense(sizes, strides)) return Dims(strides);
  const auto ndim = static_cast<int64_t>(sizes.size());
  int64_t perm[kMaxDims];
  const int64_t* one = strides.data();
  order_dims(sizes, &one, 1, perm);
  Dims result;
  result.resize(ndim);
  int64_t next = 1;
  for (int64_t i = 0; i < ndim; ++i) {
    result[perm[i]] = next;
    const int64_t size = sizes[static_cast<size_t>(perm[i])];
    if (size > 1) next *= size;
  }
  return result;
}

bool is_channels_last(Sizes sizes, Sizes strides) {
  if (sizes.size() != 4) return false;
  int64_t next = 1;
  for (const size_t d : {1, 3, 2, 0}) {
    if (sizes[d] == 1) continue;
    if (strides[d] != next) return false;
    next *= sizes[d];
  }
  return true;
}

Dims channels_last_strides(const char* op, Sizes sizes, MemoryFormat format) {
  const size_t wanted = format == MemoryFormat::ChannelsLast ? 4 : 5;
  if (sizes.size() != wanted) [[unlikely]] {
    fail(TENON_ERROR_INVALID_ARGUMENT,
         {op, ": sizes must have ", wanted, " dims for this memory format, got ", sizes});
  }
  Dims strides = Dims::filled(static_cast<int64_t>(wanted), 1);
  int64_t next = std::max<int64_t>(sizes[1], 1);
  for (size_t i = wanted - 1; i >= 2; --i) {
    strides[static_cast<int64_t>(i)] = next;
    next = wrapped_product(next, std::max<int64_t>(sizes[i], 1));
  }
  strides[0] = next;
  return strides;
}

namespace {

// Reports why infer_sizes() refuses sizes.
[[noreturn, gnu::cold, gnu::noinline]] void refuse_sizes(const char* op, Sizes sizes,
                                                         int64_t numel) {
  const auto unknown = std::count(sizes.begin(), sizes.end(), -1);
  if (unknown > 1) fail_argument(op, "size", "have at most one -1", sizes);
  if (std::ranges::any_of(sizes, [](int64_t size) { return size < -1; })) {
    fail_argument(op, "size", "have no negative size other than one -1", sizes);
  }
  const bool empty = std::ranges::any_of(sizes, [](int64_t size) { return size == 0; });
  if (unknown == 1 && empty && numel == 0) {
    fail(TENON_ERROR_INVALID_ARGUMENT,
         {op, ": size must not be ambiguous: -1 can be any value for 0 elements, got ", sizes});
  }
  fail(TENON_ERROR_INVALID_ARGUMENT, {op, ": size must have ", numel, " elements, got ", sizes});
}

}  // namespace

Dims infer_sizes(const char* op, Sizes sizes, int64_t numel) {
  Dims result(sizes);
  int64_t unknown = -1;
  int64_t known = 1;
  bool overflow = false;
  for (int64_t i = 0; i < result.size(); ++i) {
    if (result[i] >= 0) {
      overflow = __builtin_mul_overflow(known, result[i], &known) || overflow;
    } else if (result[i] == -1 && unknown < 0) {
      unknown = i;
    } else {
      refuse_sizes(op, sizes, numel);
    }
  }
  if (unknown >= 0 && known > 0 && !overflow) {
    result[unknown] = numel / known;
    known *= result[unknown];
  } else if (unknown >= 0) {
    refuse_sizes(op, sizes, numel);
  }
  if (known != numel || overflow) refuse_sizes(op, sizes, numel);
  return result;
}

std::optional<Dims> view_strides(const tenon_tensor_info& info, Sizes new_sizes) {
  const Sizes sizes = sizes_of(info);
  const Sizes strides = strides_of(info);
  const auto new_ndim = static_cast<int64_t>(new_sizes.size());
  // All dims are one run, whose stride is that of the last dim.
  if (is_contiguous(info) && info.numel != 0 && !sizes.empty() && strides.back() == 1) {
    return row_major_strides(new_sizes);
  }
  if (sizes.empty()) return Dims::filled(new_ndim, 1);
  if (info.numel == 0) {
    if (std::equal(sizes.begin(), sizes.end(), new_sizes.begin(), new_sizes.end())) {
      return Dims(strides);
    }
    return row_major_strides(new_sizes);
  }
  Dims result;
  if (!rules::view_strides(sizes, strides, new_sizes, &result)) return std::nullopt;
  return result;
}

}  // namespace tenon::kernels
