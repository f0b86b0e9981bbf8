// SPDX-License-Identifier: Apache-2.0
// Sizes and strides: element counts, strides of memory formats, contiguity, bounds and overlap.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "tenon/tensor.h"

namespace tenon::tensor {

using Dims = std::span<const int64_t>;

/// Shape of a tensor and its position in its storage, in elements.
struct Geometry {
  Dims sizes;
  const int64_t* strides = nullptr;  // one per size; NULL: row-major
  int64_t offset = 0;
  bool symbolic = false;  // the numbers may be words of symbols, which are not computed with

  Geometry(Dims its_sizes) noexcept : sizes(its_sizes) {}
  Geometry(Dims its_sizes, const int64_t* its_strides, int64_t its_offset) noexcept
      : sizes(its_sizes), strides(its_strides), offset(its_offset) {}

  /// Returns true if the strides are row-major. Always returns false for a symbolic shape.
  bool is_row_major() const noexcept;
};

/// Appends a size or stride to a text; symbols as their expressions.
void append_dim(std::string& text, int64_t dim);
/// Formats sizes or strides for messages: "[2, -1]".
std::string print_dims(Dims dims);

/// Returns the number of elements. Throws TENON_ERROR_INVALID_ARGUMENT naming `function` for a
/// negative size, a product beyond int64 or more than TENON_TENSOR_MAX_DIMS dims.
int64_t checked_numel(const char* function, Dims sizes);

/// Returns the number of storage elements that a layout at offset 0 reaches: 0 if it has no
/// elements, otherwise one more than the highest index. Throws TENON_ERROR_INVALID_ARGUMENT naming
/// `function` for a negative stride or a result beyond int64.
int64_t checked_extent(const char* function, Dims sizes, Dims strides);

/// Returns the number of storage elements that a layout of `numel` elements reaches from the start
/// of the storage: the offset plus checked_extent(). Throws like that does, and for a negative
/// offset.
int64_t checked_reach(const char* function, int64_t numel, const Geometry& geometry);

/// Returns the number of elements, -1 for a symbolic shape. Throws TENON_ERROR_INVALID_ARGUMENT
/// naming `function` for bad sizes, strides or offset, and if the last element's index exceeds
/// int64.
int64_t check_geometry(const char* function, const Geometry& geometry);

/// Returns the size in bytes. Throws TENON_ERROR_INVALID_ARGUMENT if it exceeds int64.
int64_t checked_bytes(const char* function, int64_t elements, int64_t itemsize);

/// Computes row-major strides; a size of 0 counts as 1, as in PyTorch.
inline void row_major_strides(Dims sizes, int64_t* out_strides) noexcept {
  int64_t stride = 1;
  for (size_t dim = sizes.size(); dim-- > 0;) {
    out_strides[dim] = stride;
    if (sizes[dim] > 1) stride *= sizes[dim];
  }
}

/// Computes the strides of TENON_MEMORY_FORMAT_CONTIGUOUS, CHANNELS_LAST (4 dims) or
/// CHANNELS_LAST_3D (5 dims). Throws TENON_ERROR_INVALID_ARGUMENT for another format or number of
/// dims.
void memory_format_strides(int64_t memory_format, Dims sizes, int64_t* out_strides);

/// Returns true if a layout is row-major without gaps. Strides of dims of size 1 are ignored; any
/// layout without elements qualifies.
bool is_row_major(Dims sizes, Dims strides) noexcept;
/// Like is_row_major(), for any of the three memory formats; false if the number of dims does not
/// fit.
bool has_memory_format(int64_t memory_format, Dims sizes, Dims strides) noexcept;
/// Returns true if a layout fills a range of memory without gap or overlap, in any order of dims.
bool is_dense(Dims sizes, Dims strides) noexcept;
/// Returns true if two different indices may reach the same element: for an expanded dim (stride 0,
/// size > 1), and if the strides do not nest. Returns false only if all elements are distinct.
bool may_overlap_itself(Dims sizes, Dims strides) noexcept;

}  // namespace tenon::tensor
