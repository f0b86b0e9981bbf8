// SPDX-License-Identifier: Apache-2.0
// Sizes and strides: element counts, strides of memory formats, contiguity, bounds and overlap.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "tenon/tensor.h"

namespace tenon::tensor {

using Dims = std::span<const int64_t>;

/// Shape and place of a tensor in its storage; in elements.
struct Geometry {
  Dims sizes;
  const int64_t* strides = nullptr;  // as many; NULL: row-major
  int64_t offset = 0;
  bool symbolic = false;  // the numbers may be symbols: nothing is computed from them

  Geometry(Dims its_sizes) noexcept : sizes(its_sizes) {}
  Geometry(Dims its_sizes, const int64_t* its_strides, int64_t its_offset) noexcept
      : sizes(its_sizes), strides(its_strides), offset(its_offset) {}

  /// False for a symbolic shape.
  bool is_row_major() const noexcept;
};

/// A size or stride in texts; symbols as their expressions.
void append_dim(std::string& text, int64_t dim);
/// Sizes or strides in messages: "[2, -1]".
std::string print_dims(Dims dims);

/// Number of elements. Throws TENON_ERROR_INVALID_ARGUMENT naming `function` for a negative size, a
/// product beyond int64 or more than TENON_TENSOR_MAX_DIMS dims.
int64_t checked_numel(const char* function, Dims sizes);

/// How many elements of a storage the layout reaches, from offset 0: 0 without elements, else one
/// more than the highest index. Throws TENON_ERROR_INVALID_ARGUMENT naming `function` for a
/// negative stride or a result beyond int64.
int64_t checked_extent(const char* function, Dims sizes, Dims strides);

/// How many elements of the storage a layout of `numel` elements reaches from its start, the offset
/// included; what checked_extent() gives, from the offset on. Throws as that does, and for a
/// negative offset.
int64_t checked_reach(const char* function, int64_t numel, const Geometry& geometry);

/// Number of elements, -1 for a symbolic shape. Throws TENON_ERROR_INVALID_ARGUMENT naming
/// `function` for bad sizes, strides or offset, and where the last element's index exceeds int64.
int64_t check_geometry(const char* function, const Geometry& geometry);

/// Throws TENON_ERROR_INVALID_ARGUMENT when `elements` of `itemsize` bytes exceed int64 bytes.
int64_t checked_bytes(const char* function, int64_t elements, int64_t itemsize);

/// Row-major strides; a dim of size 0 counts as 1, as in PyTorch.
inline void row_major_strides(Dims sizes, int64_t* out_strides) noexcept {
  int64_t stride = 1;
  for (size_t dim = sizes.size(); dim-- > 0;) {
    out_strides[dim] = stride;
    if (sizes[dim] > 1) stride *= sizes[dim];
  }
}

/// Strides of TENON_MEMORY_FORMAT_CONTIGUOUS, CHANNELS_LAST (4 dims) or CHANNELS_LAST_3D (5 dims).
/// Throws TENON_ERROR_INVALID_ARGUMENT for another format or number of dims.
void memory_format_strides(int64_t memory_format, Dims sizes, int64_t* out_strides);

/// Row-major without gaps; strides of dims of size 1 do not count, and without elements all is.
bool is_row_major(Dims sizes, Dims strides) noexcept;
/// The same for any of the three memory formats; false where the number of dims does not fit.
bool has_memory_format(int64_t memory_format, Dims sizes, Dims strides) noexcept;
/// Fills a stretch of memory without gap or overlap, in any order of dims.
bool is_dense(Dims sizes, Dims strides) noexcept;
/// Tells whether two different indices certainly reach the same element: true for an expanded dim
/// (stride 0, size > 1) and wherever strides nest badly; false only when elements are all distinct.
bool may_overlap_itself(Dims sizes, Dims strides) noexcept;

}  // namespace tenon::tensor
