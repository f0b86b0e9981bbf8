// SPDX-License-Identifier: Apache-2.0
// Indexing by tensors: checks, conversion of masks to positions, and dims of the selection.
#include "kernels/common/indexing.h"

#include "kernels/common/checked_size.h"
#include "kernels/common/walk.h"

namespace tenon::kernels {
namespace {

bool is_mask(Dtype dtype) { return dtype == Dtype::Bool || dtype == Dtype::U8; }

// Returns the sizes of all indices, for messages: "[2, 3] and [4]".
template <class Indices>
std::string shapes_of(const Indices& indices) {
  std::string text;
  for (const auto& index : indices) {
    text += (text.empty() ? "" : " and ") + Part(index.sizes).text();
  }
  return text;
}

// Refuses elements outside [0, size).
template <class Element>
void check_elements(const char* op, const char* name, const tenon_tensor_info& index,
                    int64_t size) {
  int64_t perm[kMaxDims];
  row_major_order(index.ndim, perm);
  Walk walk;
  walk.begin(sizes_of(index), perm, 1);
  walk.set(0, index.data, sizeof(Element), index.strides);
  walk.coalesce();
  const int64_t step = walk.stride(0, 0);
  walk.rows<1>(walk.raw_data(), [&](char* const* row) {
    const char* element = row[0];
    for (int64_t i = 0; i < walk.size(0); ++i, element += step) {
      const int64_t at = *reinterpret_cast<const Element*>(element);
      if (at < 0 || at >= size) [[unlikely]] {
        fail(TENON_ERROR_INDEX, {op, ": ", name, " must be from 0 to ", size - 1, ", got ", at});
      }
    }
  });
}

}  // namespace

void check_in_dim(const char* op, const char* name, const Tensor& index, int64_t size) {
  const tenon_tensor_info info = index.info();
  if (info.data == nullptr || info.device.type != TENON_DEVICE_CPU || info.numel <= 0) return;
  if (dtype_of_info(info) == Dtype::I64) {
    check_elements<int64_t>(op, name, info, size);
  } else {
    check_elements<int32_t>(op, name, info, size);
  }
}

Indexing::Indexing(const char* op, const tenon_tensor_info& self, const tenon_value& list)
    : op_(op), self_(self) {
  check_defined(op, "self", self);
  auto* const* tensors = static_cast<tenon_tensor* const*>(list.as.list.data);
  for (uint32_t i = 0; i < list.count; ++i) {
    const bool is_absent =
        tensors[i] == nullptr || (tenon_tensor_flags(tensors[i]) & TENON_TENSOR_UNDEFINED) != 0;
    if (is_absent) {
      ++next_dim_;
    } else {
      add(TensorRef(tensors[i])->info(), i);
    }
  }
  if (next_dim_ > self.ndim) {
    fail(TENON_ERROR_INDEX, {op, ": indices must be for at most ", self.ndim,
                             " dims, the dims of self, got indices for ", next_dim_});
  }
  broadcast_all();
  place();
}

void Indexing::add(const tenon_tensor_info& tensor, int64_t at) {
  const Dtype dtype = dtype_of_info(tensor);
  const Device device(tensor.device);
  if (!(device == Device(self_.device)) && tensor.device.type != TENON_DEVICE_CPU) {
    fail(TENON_ERROR_INVALID_ARGUMENT, {op_, ": indices must be on ", Device(self_.device),
                                        " like self or on cpu, got ", device, " at position ", at});
  }
  if (is_mask(dtype)) return add_mask(tensor, at);
  if (dtype != Dtype::I64 && dtype != Dtype::I32) {
    fail(TENON_ERROR_INDEX,
         {op_, ": indices must have dtype int64, int32, bool or uint8, got ", dtype});
  }
  indices_.push_back({next_dim_++,
                      tensor.data,
                      dtype == Dtype::I64,
                      Dims(sizes_of(tensor)),
                      Dims(strides_of(tensor)),
                      {}});
}

void Indexing::add_mask(const tenon_tensor_info& mask, int64_t at) {
  for (int32_t d = 0; d < mask.ndim; ++d) {
    const int64_t dim = next_dim_ + d;
    if (dim >= self_.ndim || mask.sizes[d] != self_.sizes[dim]) {
      fail(TENON_ERROR_INDEX,
           {op_, ": indices must have a mask of the shape of the dims that it selects from, got ",
            sizes_of(mask), " at position ", at, " for self of shape ", sizes_of(self_)});
    }
  }
  if (!has_data(mask)) {
    fail_without_data(
        op_, "indices must have data where they are masks, on which the result's sizes depend",
        mask);
  }
  std::vector<std::vector<int64_t>> positions(static_cast<size_t>(mask.ndim));
  int64_t perm[kMaxDims];
  row_major_order(mask.ndim, perm);
  int64_t flat = 0;
  Walk walk;
  walk.begin(sizes_of(mask), perm, 1);
  walk.set(0, mask.data, 1, mask.strides);
  walk.steps<0, 1>(walk.raw_data(), [&](char* const* element) {
    if (*element[0] != 0) {
      int64_t rest = flat;
      for (int32_t d = mask.ndim - 1; d >= 0; --d) {
        positions[static_cast<size_t>(d)].push_back(rest % mask.sizes[d]);
        rest /= mask.sizes[d];
      }
    }
    ++flat;
  });
  for (std::vector<int64_t>& of_dim : positions) {
    const Dims sizes{static_cast<int64_t>(of_dim.size())};
    indices_.push_back({next_dim_++, nullptr, true, sizes, Dims{1}, std::move(of_dim)});
  }
}

void Indexing::broadcast_all() {
  index_sizes_.resize(0);
  for (const Index& index : indices_) {
    if (broadcast_into(index_sizes_, index.sizes) >= 0) {
      fail(TENON_ERROR_INDEX,
           {op_, ": indices must have shapes that broadcast together, got ", shapes_of(indices_)});
    }
  }
  for (Index& index : indices_) {
    Dims strides;
    strides.resize(index_sizes_.size());
    broadcast_strides(index_sizes_, index.sizes, index.strides, strides.begin());
    index.strides = strides;
  }
}

void Indexing::place() {
  bool are_apart = false;
  for (size_t i = 1; i < indices_.size(); ++i) {
    are_apart = are_apart || indices_[i].dim != indices_[i - 1].dim + 1;
  }
  index_dim_ = indices_.empty() || are_apart ? 0 : indices_[0].dim;
  sizes_.resize(0);
  self_strides_.resize(0);
  const auto add_indices = [&] {
    for (const int64_t size : index_sizes_) {
      sizes_.push_back(size);
      self_strides_.push_back(0);
    }
  };
  if (are_apart) add_indices();
  size_t next = 0;
  for (int64_t d = 0; d < self_.ndim; ++d) {
    if (next < indices_.size() && indices_[next].dim == d) {
      if (next++ == 0 && !are_apart) add_indices();
      if (self_.sizes[d] == 0 && numel_of(index_sizes_) != 0) {
        fail(TENON_ERROR_INDEX,
             {op_, ": indices must select no elements from dim ", d, " of size 0, got an index"});
      }
      continue;
    }
    sizes_.push_back(self_.sizes[d]);
    self_strides_.push_back(self_.strides[d]);
  }
}

Dims Indexing::strides() const {
  std::vector<Dims> all{self_strides_};
  for (const Index& index : indices_) {
    Dims strides = Dims::filled(sizes_.size(), 0);
    std::copy(index.strides.begin(), index.strides.end(), strides.begin() + index_dim_);
    all.push_back(strides);
  }
  std::vector<const int64_t*> operands;
  for (const Dims& strides : all) operands.push_back(strides.begin());
  int64_t perm[kMaxDims];
  order_dims(sizes_, operands.data(), static_cast<int>(operands.size()), perm);
  Dims strides;
  strides.resize(sizes_.size());
  int64_t next = 1;
  for (int64_t i = 0; i < sizes_.size(); ++i) {
    strides[perm[i]] = next;
    next = wrapped_product(next, std::max<int64_t>(sizes_[perm[i]], 1));
  }
  return strides;
}

template <class Element>
void Indexing::add_offsets(const Index& index, int64_t* offset) const {
  const int64_t size = self_.sizes[index.dim];
  const int64_t stride = self_.strides[index.dim];
  int64_t perm[kMaxDims];
  row_major_order(index_sizes_.size(), perm);
  Walk walk;
  walk.begin(index_sizes_, perm, 1);
  walk.set(0, const_cast<void*>(index.elements()), sizeof(Element), index.strides.begin());
  walk.coalesce();
  const int64_t step = walk.stride(0, 0);
  walk.rows<1>(walk.raw_data(), [&](char* const* row) {
    const char* element = row[0];
    for (int64_t i = 0; i < walk.size(0); ++i, element += step) {
      const int64_t at = *reinterpret_cast<const Element*>(element);
      if (at < -size || at >= size) [[unlikely]] {
        fail(TENON_ERROR_INDEX, {op_, ": indices must be in [", -size, ", ", size - 1, "] for dim ",
                                 index.dim, " of size ", size, ", got ", at});
      }
      *offset++ += (at < 0 ? at + size : at) * stride;
    }
  });
}

std::vector<int64_t> Indexing::offsets() const {
  std::vector<int64_t> offsets(static_cast<size_t>(numel_of(index_sizes_)), 0);
  for (const Index& index : indices_) {
    if (index.is_wide) {
      add_offsets<int64_t>(index, offsets.data());
    } else {
      add_offsets<int32_t>(index, offsets.data());
    }
  }
  return offsets;
}

}  // namespace tenon::kernels
