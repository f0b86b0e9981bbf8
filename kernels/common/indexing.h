// SPDX-License-Identifier: Apache-2.0
// Indexing: the selection that a list of index tensors makes from a tensor. Masks are converted to
// positions, indices are broadcast, and the dims of the selection are ordered as in PyTorch.
#pragma once

#include <vector>

#include "kernels/common/shape.h"
#include "tenon/value.h"

namespace tenon::kernels {

// Refuses elements of an index tensor outside [0, size), for operators that do not accept negative
// indices. Tensors without data on the CPU are not checked.
void check_in_dim(const char* op, const char* name, const Tensor& index, int64_t size);

class Indexing {
 public:
  // `list` is a Tensor?[]: each index applies to the next dim of self, a mask to the next dims, one
  // for each of its own, and an absent index selects a whole dim. Throws TENON_ERROR_INDEX for
  // invalid indices, and TENON_ERROR_DATA_DEPENDENT for a mask without data.
  Indexing(const char* op, const tenon_tensor_info& self, const tenon_value& list);

  Indexing(const Indexing&) = delete;
  Indexing& operator=(const Indexing&) = delete;

  // Returns the sizes of the selection. The dims of the indices replace the dims that they select
  // from, or come first if those are not adjacent.
  const Dims& sizes() const { return sizes_; }
  // Returns strides for a new result: dims are ordered as in self and the indices.
  Dims strides() const;

  // Return the dims that the indices broadcast to, and their position in sizes().
  const Dims& index_sizes() const { return index_sizes_; }
  int64_t index_dim() const { return index_dim_; }
  // Returns the strides of self over sizes(), with 0 for the dims of the indices.
  const Dims& self_strides() const { return self_strides_; }

  // Returns the offset from the first element of self, in elements, that each element of
  // index_sizes() selects, in row-major order. Throws TENON_ERROR_INDEX for an index out of bounds.
  std::vector<int64_t> offsets() const;

 private:
  // The indices of one dim of self.
  struct Index {
    int64_t dim;
    const void* data;
    bool is_wide;  // int64 elements; otherwise int32
    Dims sizes;
    Dims strides;                    // in elements; once all are known, over `index_sizes_`
    std::vector<int64_t> positions;  // those of a mask, without `data`

    const void* elements() const { return data != nullptr ? data : positions.data(); }
  };

  void add(const tenon_tensor_info& tensor, int64_t at);
  void add_mask(const tenon_tensor_info& mask, int64_t at);
  void broadcast_all();
  void place();
  // Adds the offsets that an index selects to `offset`.
  template <class Element>
  void add_offsets(const Index& index, int64_t* offset) const;

  const char* op_;
  const tenon_tensor_info& self_;
  std::vector<Index> indices_;
  int64_t next_dim_ = 0;
  Dims index_sizes_;
  int64_t index_dim_ = 0;
  Dims sizes_;
  Dims self_strides_;
};

}  // namespace tenon::kernels
