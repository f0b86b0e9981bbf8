// SPDX-License-Identifier: Apache-2.0
// From the arguments of a pointwise operator to its output and walk.
#include "kernels/common/elementwise.h"

#include "kernels/common/overlap.h"

namespace tenon::kernels {
namespace {

// A loop: for the few dims there are, a call of memcmp costs more.
bool same(const int64_t* a, const int64_t* b, int32_t count) {
  for (int32_t d = 0; d < count; ++d) {
    if (a[d] != b[d]) return false;
  }
  return true;
}

bool same_sizes(const tenon_tensor_info& a, const tenon_tensor_info& b) {
  return a.ndim == b.ndim && same(a.sizes, b.sizes, a.ndim);
}

}  // namespace

void Elementwise::input(const Tensor& tensor, const char* name) {
  tenon_tensor_info& info = infos_[ninputs_];
  info = tensor.info();
  if ((info.flags & TENON_TENSOR_UNDEFINED) != 0) [[unlikely]] {
    fail_argument(op_, name, "a defined tensor", "the undefined tensor");
  }
  names_[ninputs_] = name;
  input_dtypes_[ninputs_] = dtype_of_info(info);
  ++ninputs_;
}

void Elementwise::promote(Promotion promotion, int first) {
  bool all_same = true;
  for (int k = first + 1; k < ninputs_; ++k) {
    all_same = all_same && infos_[k].dtype == infos_[first].dtype;
  }
  const bool wrapped_only = all_same && (infos_[first].flags & TENON_TENSOR_WRAPPED_NUMBER) != 0;
  if (all_same && !wrapped_only) {
    dtype_ = dtype_of_info(infos_[first]);
  } else {
    ResultType result;
    for (int k = first; k < ninputs_; ++k) result.add(infos_[k]);
    dtype_ = result.get();
  }
  if (promotion == Promotion::CommonFloat && is_bool_or_integral(dtype_)) {
    dtype_ = default_dtype();
  }
  for (int k = first; k < ninputs_; ++k) input_dtypes_[k] = dtype_;
}

// All inputs are on one device; a 0-dim CPU tensor goes with any.
void Elementwise::common_device() {
  int chosen = 0;
  for (int k = 0; k < ninputs_; ++k) {
    if (infos_[k].ndim > 0 || infos_[k].device.type != TENON_DEVICE_CPU) {
      chosen = k;
      break;
    }
  }
  device_ = infos_[chosen].device;
  for (int k = 0; k < ninputs_; ++k) {
    if (infos_[k].ndim == 0 && infos_[k].device.type == TENON_DEVICE_CPU) continue;
    if (!(Device(infos_[k].device) == device_)) [[unlikely]] {
      fail(TENON_ERROR_INVALID_ARGUMENT,
           {op_, ": ", names_[k], " must be on ", device_, " like the other tensors, got ",
            Device(infos_[k].device)});
    }
  }
}

void Elementwise::check_output(const Tensor& given, bool may_resize) {
  given_ = &given;
  output_ = given.info();
  const char* name = may_resize ? "out" : "self";
  if ((output_.flags & TENON_TENSOR_UNDEFINED) != 0) [[unlikely]] {
    fail_argument(op_, name, "a defined tensor", "the undefined tensor");
  }
  if ((output_.flags & TENON_TENSOR_READ_ONLY) != 0) [[unlikely]] {
    fail_argument(op_, name, "writable", "a read-only tensor");
  }
  const Dtype dtype = dtype_of_info(output_);
  if (dtype != result_dtype_ && !can_cast(result_dtype_, dtype)) [[unlikely]] {
    fail(TENON_ERROR_INVALID_ARGUMENT, {op_, ": ", name, " must be of a dtype that ", result_dtype_,
                                        " can be cast to, got ", dtype});
  }
  if (!(Device(output_.device) == device_)) [[unlikely]] {
    fail(TENON_ERROR_INVALID_ARGUMENT, {op_, ": ", name, " must be on ", device_,
                                        " like the inputs, got ", Device(output_.device)});
  }
  check_no_internal_overlap(op_, output_);
  for (int k = 0; k < ninputs_; ++k) check_no_partial_overlap(op_, output_, infos_[k]);
}

void Elementwise::finish(Dtype result, Output output) {
  result_dtype_ = result;
  common_device();
  if (output.tensor() != nullptr) check_output(*output.tensor(), output.may_resize());

  bool one_shape = true;
  for (int k = 1; k < ninputs_; ++k) one_shape = one_shape && same_sizes(infos_[0], infos_[k]);
  Dims shape;
  Sizes sizes = sizes_of(infos_[0]);
  if (!one_shape) {
    shape = Dims(sizes);
    for (int k = 1; k < ninputs_; ++k) shape = broadcast(op_, shape, sizes_of(infos_[k]));
    sizes = shape;
  }
  if (given_ != nullptr && !std::ranges::equal(sizes_of(output_), sizes)) {
    if (!output.may_resize()) {
      fail(TENON_ERROR_INVALID_ARGUMENT, {op_, ": self must have the broadcast sizes ", sizes,
                                          " to be written in place, got ", sizes_of(output_)});
    }
    resize_ = true;
  }
  for (int k = 0; k < ninputs_; ++k) has_casts_ = has_casts_ || needs_cast(k);

  // Contiguous throughout, or the same dense strides throughout: one dim is enough.
  if (one_shape && !resize_) {
    bool contiguous = given_ == nullptr || is_contiguous(output_);
    for (int k = 0; k < ninputs_; ++k) contiguous = contiguous && is_contiguous(infos_[k]);
    if (contiguous) return finish_flat(nullptr);
    bool one_order = given_ == nullptr || same(output_.strides, infos_[0].strides, output_.ndim);
    for (int k = 1; k < ninputs_; ++k) {
      one_order = one_order && same(infos_[0].strides, infos_[k].strides, infos_[0].ndim);
    }
    bool channels_last = given_ == nullptr || is_channels_last(sizes, strides_of(output_));
    for (int k = 0; k < ninputs_; ++k) {
      channels_last = channels_last && is_channels_last(sizes, strides_of(infos_[k]));
    }
    if (channels_last) {
      return finish_flat(channels_last_strides(op_, sizes, MemoryFormat::ChannelsLast).begin());
    }
    if (one_order && is_non_overlapping_and_dense(sizes, strides_of(infos_[0]))) {
      return finish_flat(infos_[0].strides);
    }
  }
  finish_general(sizes);
}

void Elementwise::finish_flat(const int64_t* strides) {
  if (given_ == nullptr) {
    tenon_tensor* handle = nullptr;
    check(tenon_tensor_new(static_cast<tenon_dtype>(result_dtype_), &device_, infos_[0].ndim,
                           infos_[0].sizes, strides, &handle));
    result_ = Tensor(handle);
    output_ = result_.info();
  }
  has_casts_ = has_casts_ || output_needs_cast();
  walk_.flat(infos_[0].numel, ninputs_ + 1);
  walk_.set_flat(0, output_data(), size_of(result_dtype_));
  for (int k = 0; k < ninputs_; ++k) {
    walk_.set_flat(k + 1, input_data(k), size_of(input_dtypes_[k]));
  }
}

// The strides of an input, as they will be once it is cast.
Sizes Elementwise::input_strides(int k, Dims& storage) const {
  if (!needs_cast(k)) return strides_of(infos_[k]);
  storage = cast_strides(k);
  return storage;
}

void Elementwise::finish_general(Sizes shape) {
  const auto ndim = static_cast<int64_t>(shape.size());
  int64_t strides[kMaxOperands][kMaxDims];
  Dims scratch;
  for (int k = 0; k < ninputs_; ++k) {
    broadcast_strides(shape, sizes_of(infos_[k]), input_strides(k, scratch), strides[k + 1]);
  }
  // A given output has the first say in the order of dims.
  const int64_t* order[kMaxOperands];
  int count = 0;
  const bool fresh = given_ == nullptr || resize_;
  if (!fresh) {
    scratch = output_needs_cast() ? output_cast_strides() : Dims(strides_of(output_));
    std::copy(scratch.begin(), scratch.end(), strides[0]);
    order[count++] = strides[0];
  }
  for (int k = 0; k < ninputs_; ++k) order[count++] = strides[k + 1];
  int64_t perm[kMaxDims];
  order_dims(shape, order, count, perm);

  if (fresh) {
    bool row_major = true;
    int64_t next = 1;
    for (int64_t d = 0; d < ndim; ++d) {
      row_major = row_major && perm[d] == ndim - 1 - d;
      strides[0][perm[d]] = next;
      next *= shape[static_cast<size_t>(perm[d])];
    }
    const int64_t* new_strides = row_major ? nullptr : strides[0];
    if (given_ == nullptr) {
      tenon_tensor* handle = nullptr;
      check(tenon_tensor_new(static_cast<tenon_dtype>(result_dtype_), &device_, ndim, shape.data(),
                             new_strides, &handle));
      result_ = Tensor(handle);
      output_ = result_.info();
    } else {
      check(tenon_tensor_resize(given_->get(), ndim, shape.data(), new_strides));
      output_ = given_->info();
    }
  }
  has_casts_ = has_casts_ || output_needs_cast();
  walk_.begin(shape, perm, ninputs_ + 1);
  walk_.set(0, output_data(), size_of(result_dtype_), strides[0]);
  for (int k = 0; k < ninputs_; ++k) {
    walk_.set(k + 1, input_data(k), size_of(input_dtypes_[k]), strides[k + 1]);
  }
  walk_.coalesce();
}

}  // namespace tenon::kernels
