// SPDX-License-Identifier: Apache-2.0
// Indexing: what a list of index tensors selects of a tensor. Masks become positions, indices are
// broadcast, and the dims of the selection are put together as PyTorch does.
#pragma once

#include <vector>

#include "kernels/common/shape.h"
#include "tenon/value.h"

namespace tenon::kernels {

// Refuses elements of an index tensor outside of [0, size), for operators that do not count from
// the end. Tensors without data on the CPU are not looked at.
void check_in_dim(const char* op, const char* name, const Tensor& index, int64_t size);

class Indexing {
 public:
  // `list` is a Tensor?[]: element d is for dim d of self, absent: all of it; a mask takes as many
  // dims as it has. Throws TENON_ERROR_INDEX for what fits no index, and
  // TENON_ERROR_DATA_DEPENDENT for a mask without data.
  Indexing(const char* op, const tenon_tensor_info& self, const tenon_value& list);

  Indexing(const Indexing&) = delete;
  Indexing& operator=(const Indexing&) = delete;

  // Of what is selected: dims of the indices in the place of those that they select from, in front
  // of all others where these are apart.
  const Dims& sizes() const { return sizes_; }
  // In which a new result is laid out: dims in the order that self and the indices have them in.
  Dims strides() const;

  // The dims that the indices broadcast to, and where they begin among `sizes`.
  const Dims& index_sizes() const { return index_sizes_; }
  int64_t index_dim() const { return index_dim_; }
  // Strides of self over `sizes`, with 0 for the dims of the indices.
  const Dims& self_strides() const { return self_strides_; }

  // How far what each place of `index_sizes` selects lies behind the first element of self, in
  // elements and in row-major order. Throws TENON_ERROR_INDEX for an index out of bounds.
  std::vector<int64_t> offsets() const;

 private:
  // The indices of one dim of self.
  struct Index {
    int64_t dim;
    const void* data;
    bool is_wide;  // int64, else int32
    Dims sizes;
    Dims strides;                    // in elements; once all are known, over `index_sizes_`
    std::vector<int64_t> positions;  // those of a mask, without `data`

    const void* elements() const { return data != nullptr ? data : positions.data(); }
  };

  void add(const tenon_tensor_info& tensor, int64_t at);
  void add_mask(const tenon_tensor_info& mask, int64_t at);
  void broadcast_all();
  void place();
  // Adds what an index of such elements selects to the offsets.
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
