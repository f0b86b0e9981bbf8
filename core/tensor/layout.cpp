// SPDX-License-Identifier: Apache-2.0
#include "tensor/layout.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "base/symbol.h"

namespace tenon::tensor {

namespace {

// Order of dims from the innermost outwards.
constexpr size_t kChannelsLast[4] = {1, 3, 2, 0};
constexpr size_t kChannelsLast3d[5] = {1, 4, 3, 2, 0};

// Returns the order of dims of a memory format; empty for row-major or if the number of dims
// differs.
std::span<const size_t> order_of(int64_t memory_format, size_t ndim) noexcept {
  if (memory_format == TENON_MEMORY_FORMAT_CHANNELS_LAST && ndim == 4) return kChannelsLast;
  if (memory_format == TENON_MEMORY_FORMAT_CHANNELS_LAST_3D && ndim == 5) return kChannelsLast3d;
  return {};
}

bool has_no_elements(Dims sizes) noexcept {
  return std::find(sizes.begin(), sizes.end(), 0) != sizes.end();
}

// Dims of size > 1 as (stride, size) pairs, smallest stride first.
struct SortedDims {
  std::pair<int64_t, int64_t> dims[TENON_TENSOR_MAX_DIMS];
  size_t count = 0;

  SortedDims(Dims sizes, Dims strides) noexcept {
    for (size_t dim = 0; dim < sizes.size(); ++dim) {
      if (sizes[dim] > 1) dims[count++] = {strides[dim], sizes[dim]};
    }
    std::sort(dims, dims + count);
  }
};

}  // namespace

void append_dim(std::string& text, int64_t dim) {
  if (base::is_symbol(dim)) {
    const tenon_symbol* symbol = base::symbol_of(dim);
    symbol->owner->append_text(*symbol, text);
  } else {
    base::append(text, dim);
  }
}

std::string print_dims(Dims dims) {
  std::string text = "[";
  for (size_t dim = 0; dim < dims.size(); ++dim) {
    if (dim != 0) text += ", ";
    append_dim(text, dims[dim]);
  }
  return text += ']';
}

int64_t checked_numel(const char* function, Dims sizes) {
  TENON_CHECK_ARG(sizes.size() <= TENON_TENSOR_MAX_DIMS, function, ": ndim must be at most ",
                  TENON_TENSOR_MAX_DIMS, ", got ", sizes.size());
  int64_t numel = 1;
  bool overflow = false;
  bool empty = false;
  for (size_t dim = 0; dim < sizes.size(); ++dim) {
    TENON_CHECK_ARG(sizes[dim] >= 0, function, ": size of dim ", dim, " must be >= 0, got ",
                    sizes[dim]);
    empty = empty || sizes[dim] == 0;
    // Strides count a size of 0 as 1, so they overflow exactly if the product of the other sizes
    // does.
    if (sizes[dim] > 1) overflow = __builtin_mul_overflow(numel, sizes[dim], &numel) || overflow;
  }
  TENON_CHECK_ARG(!overflow, function, ": number of elements must fit in 63 bits, got sizes ",
                  print_dims(sizes));
  return empty ? 0 : numel;
}

int64_t checked_extent(const char* function, Dims sizes, Dims strides) {
  int64_t last = 0;
  bool overflow = false;
  bool empty = false;
  for (size_t dim = 0; dim < sizes.size(); ++dim) {
    TENON_CHECK_ARG(strides[dim] >= 0, function, ": stride of dim ", dim, " must be >= 0, got ",
                    strides[dim]);
    if (sizes[dim] == 0) {
      empty = true;
      continue;
    }
    int64_t reach = 0;
    overflow = __builtin_mul_overflow(sizes[dim] - 1, strides[dim], &reach) || overflow;
    overflow = __builtin_add_overflow(last, reach, &last) || overflow;
  }
  if (empty) return 0;
  TENON_CHECK_ARG(!overflow && last != INT64_MAX, function,
                  ": offset of the last element must fit in 63 bits, got sizes ", print_dims(sizes),
                  " and strides ", print_dims(strides));
  return last + 1;
}

int64_t check_geometry(const char* function, const Geometry& geometry) {
  const Dims sizes = geometry.sizes;
  if (geometry.symbolic) {
    TENON_CHECK_ARG(sizes.size() <= TENON_TENSOR_MAX_DIMS, function, ": ndim must be at most ",
                    TENON_TENSOR_MAX_DIMS, ", got ", sizes.size());
    return -1;
  }
  const int64_t numel = checked_numel(function, sizes);
  checked_reach(function, numel, geometry);
  return numel;
}

int64_t checked_reach(const char* function, int64_t numel, const Geometry& geometry) {
  const Dims sizes = geometry.sizes;
  TENON_CHECK_ARG(geometry.offset >= 0, function, ": storage_offset must be >= 0, got ",
                  geometry.offset);
  int64_t extent = numel;
  if (geometry.strides != nullptr) {
    extent = checked_extent(function, sizes, {geometry.strides, sizes.size()});
  }
  int64_t last = 0;
  TENON_CHECK_ARG(!__builtin_add_overflow(geometry.offset, extent, &last), function,
                  ": offset of the last element must fit in 63 bits, got sizes ", print_dims(sizes),
                  " and storage_offset ", geometry.offset);
  return last;
}

int64_t checked_bytes(const char* function, int64_t elements, int64_t itemsize) {
  int64_t bytes = 0;
  TENON_CHECK_ARG(!__builtin_mul_overflow(elements, itemsize, &bytes), function,
                  ": size in bytes must fit in 63 bits, got ", elements, " elements of ", itemsize);
  return bytes;
}

void memory_format_strides(int64_t memory_format, Dims sizes, int64_t* out_strides) {
  if (memory_format == TENON_MEMORY_FORMAT_CONTIGUOUS) {
    row_major_strides(sizes, out_strides);
    return;
  }
  const auto order = order_of(memory_format, sizes.size());
  TENON_CHECK_ARG(!order.empty(), "memory_format: must be contiguous, channels_last for 4 dims or ",
                  "channels_last_3d for 5, got number ", memory_format, " for ", sizes.size(),
                  " dims");
  int64_t stride = 1;
  for (size_t dim : order) {
    out_strides[dim] = stride;
    stride *= std::max<int64_t>(sizes[dim], 1);
  }
}

bool is_row_major(Dims sizes, Dims strides) noexcept {
  if (has_no_elements(sizes)) return true;
  int64_t expected = 1;
  for (size_t dim = sizes.size(); dim-- > 0;) {
    if (sizes[dim] == 1) continue;
    if (strides[dim] != expected) return false;
    expected *= sizes[dim];
  }
  return true;
}

bool Geometry::is_row_major() const noexcept {
  if (symbolic) return false;
  return strides == nullptr || tensor::is_row_major(sizes, {strides, sizes.size()});
}

bool has_memory_format(int64_t memory_format, Dims sizes, Dims strides) noexcept {
  if (memory_format == TENON_MEMORY_FORMAT_CONTIGUOUS) return is_row_major(sizes, strides);
  const auto order = order_of(memory_format, sizes.size());
  if (order.empty()) return false;
  int64_t expected = 1;
  for (size_t dim : order) {
    if (sizes[dim] == 1) continue;
    if (strides[dim] != expected) return false;
    expected *= sizes[dim];
  }
  return true;
}

bool is_dense(Dims sizes, Dims strides) noexcept {
  if (has_no_elements(sizes)) return true;
  const SortedDims sorted(sizes, strides);
  int64_t expected = 1;
  for (size_t i = 0; i < sorted.count; ++i) {
    if (sorted.dims[i].first != expected) return false;
    expected *= sorted.dims[i].second;
  }
  return true;
}

bool may_overlap_itself(Dims sizes, Dims strides) noexcept {
  if (has_no_elements(sizes)) return false;
  const SortedDims sorted(sizes, strides);
  int64_t last = 0;  // highest index that the dims so far reach
  for (size_t i = 0; i < sorted.count; ++i) {
    if (sorted.dims[i].first <= last) return true;
    last += sorted.dims[i].first * (sorted.dims[i].second - 1);
  }
  return false;
}

}  // namespace tenon::tensor
