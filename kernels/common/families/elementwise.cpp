// SPDX-License-Identifier: Apache-2.0
// Building the output and the walk of a pointwise call from its arguments.
#include "kernels/common/families/elementwise.h"

#include "kernels/common/checked_size.h"
#include "kernels/common/overlap.h"

namespace tenon::kernels {
namespace {

// Uses a loop because a call of memcmp is slower for a few dims.
bool same(const int64_t* a, const int64_t* b, int32_t count) {
  for (int32_t d = 0; d < count; ++d) {
    if (a[d] != b[d]) return false;
  }
  return true;
}

// Returns true if the tensor is row-major without gaps; strides of dims of size 1 do not count.
bool is_row_major(Sizes sizes, Sizes strides) {
  int64_t next = 1;
  for (size_t d = sizes.size(); d-- > 0;) {
    if (sizes[d] == 1) continue;
    if (strides[d] != next) return false;
    next *= sizes[d];
  }
  return true;
}

bool same_sizes(const tenon_tensor_info& a, const tenon_tensor_info& b) {
  return a.ndim == b.ndim && same(a.sizes, b.sizes, a.ndim);
}

}  // namespace

void Elementwise::refuse_input(const tenon_tensor_info& info, const char* name) const {
  check_defined(op_, name, info);
  fail_argument(op_, name, "a tensor with memory or on meta", "a tensor without memory of its own");
}

void Elementwise::promote_mixed(Promotion promotion, int first) {
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

// Returns true if each input is row-major, on the first input's device, and either of its shape or
// a single element that broadcasts to it. The result is then row-major too, and the walk needs only
// one dim.
bool Elementwise::inputs_follow_lead() const {
  const tenon_tensor_info& lead = infos_[0];
  if (!is_contiguous(lead)) return false;
  bool stretched = false;
  for (int k = 1; k < ninputs_; ++k) {
    const tenon_tensor_info& info = infos_[k];
    if (!is_contiguous(info) || !(Device(info.device) == Device(lead.device))) return false;
    if (same_sizes(info, lead)) continue;
    if (info.numel != 1 || info.ndim > lead.ndim) return false;
    stretched = true;
  }
  // If shapes differ, PyTorch orders dims by strides, including those of dims of size 1, and an
  // empty result gets special strides.
  return !stretched || (lead.numel != 0 && has_row_major_strides(lead));
}

void Elementwise::finish_like_lead() {
  result_ = kernels::allocate_like(inputs_[0], result_dtype_, &output_data_);
  output_dtype_ = result_dtype_;
  const int64_t numel = infos_[0].numel;
  walk_.flat(numel, ninputs_ + 1);
  walk_.set_flat(0, output_data_, size_of(result_dtype_));
  for (int k = 0; k < ninputs_; ++k) {
    const bool stretched = infos_[k].numel != numel;
    has_casts_ = has_casts_ || needs_cast(k);
    walk_.set_flat(k + 1, infos_[k].data, stretched ? 0 : size_of(dtype_of_info(infos_[k])));
  }
}

// Finds the device that all inputs share. A 0-dim CPU tensor may be mixed with any device.
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

void Elementwise::take_output(tenon_tensor* given, bool may_resize) {
  given_ = given;
  const tenon_tensor_info output = info_of(given);
  check_output(output, may_resize ? "out" : "self", result_dtype_);
  describe_output(output);
}

void Elementwise::check_output(const tenon_tensor_info& output, const char* name,
                               Dtype result) const {
  check_defined(op_, name, output);
  check_not_read_only(op_, name, output);
  const Dtype dtype = dtype_of_info(output);
  if (dtype != result && !can_cast(result, dtype)) [[unlikely]] {
    fail(TENON_ERROR_INVALID_ARGUMENT,
         {op_, ": ", name, " must have a dtype that ", result, " can be cast to, got ", dtype});
  }
  if (!(Device(output.device) == device_)) [[unlikely]] {
    fail(TENON_ERROR_INVALID_ARGUMENT, {op_, ": ", name, " must be on ", device_,
                                        " like the inputs, got ", Device(output.device)});
  }
  check_no_internal_overlap(op_, output);
  for (int k = 0; k < ninputs_; ++k) check_no_partial_overlap(op_, output, infos_[k]);
}

void Elementwise::describe_output(const tenon_tensor_info& info) {
  output_dtype_ = dtype_of_info(info);
  output_data_ = info.data;
}

void Elementwise::allocate(Sizes sizes, const int64_t* strides) {
  result_ = kernels::allocate(sizes, result_dtype_, device_, strides);
  describe_output(result_.info());
}

// Inputs may be views of the storage that grows. Refuses inputs that would overlap the output
// partially, before anything changes. Growing moves the storage, so all inputs are described anew.
void Elementwise::resize_output(tenon_tensor* given, Sizes sizes, const int64_t* strides,
                                bool row_major) {
  tenon_tensor_info planned = info_of(given);
  planned.ndim = static_cast<int32_t>(sizes.size());
  planned.sizes = sizes.data();
  planned.strides = strides;
  planned.numel = numel_of(sizes);
  planned.flags &= ~TENON_TENSOR_CONTIGUOUS;
  if (row_major) planned.flags |= TENON_TENSOR_CONTIGUOUS;
  const tenon_storage* storage = tenon_tensor_storage(given);
  for (int k = 0; k < ninputs_; ++k) {
    // Memory past the end of another storage cannot be reached by growing this one.
    if (tenon_tensor_storage(inputs_[k]) != storage) continue;
    check_no_partial_overlap(op_, planned, infos_[k]);
  }
  resize_out(op_, given, sizes, row_major ? nullptr : strides);
  for (int k = 0; k < ninputs_; ++k) check(tenon_tensor_describe(inputs_[k], &infos_[k]));
}

void Elementwise::finish(Dtype result, Output output) {
  result_dtype_ = result;
  if (output.tensor() == nullptr && inputs_follow_lead()) {
    finish_like_lead();
  } else {
    finish_given_or_strided(output);
  }
}

void Elementwise::finish_preserving(Dtype result) {
  result_dtype_ = result;
  device_ = infos_[0].device;
  const Sizes sizes = sizes_of(infos_[0]);
  const Dims dense = preserving_strides(sizes, strides_of(infos_[0]));
  allocate(sizes, dense.begin());
  const int64_t* order[] = {dense.begin(), infos_[0].strides};
  int64_t perm[kMaxDims];
  order_dims(sizes, order, 2, perm);
  walk_.begin(sizes, perm, 2);
  walk_.set(0, output_data_, size_of(result_dtype_), dense.begin());
  walk_.set(1, infos_[0].data, size_of(input_dtypes_[0]), infos_[0].strides);
  walk_.coalesce();
}

void Elementwise::finish_given_or_strided(Output output) {
  common_device();
  if (output.tensor() != nullptr) take_output(output.tensor(), output.may_resize());

  bool one_shape = true;
  for (int k = 1; k < ninputs_; ++k) one_shape = one_shape && same_sizes(infos_[0], infos_[k]);
  Dims shape;
  Sizes sizes = sizes_of(infos_[0]);
  if (!one_shape) {
    shape = Dims(sizes);
    for (int k = 1; k < ninputs_; ++k) shape = broadcast(op_, shape, sizes_of(infos_[k]));
    sizes = shape;
  }
  tenon_tensor_info out{};
  if (given_ != nullptr) {
    out = info_of(given_);
    if (!std::ranges::equal(sizes_of(out), sizes)) {
      if (!output.may_resize()) {
        fail(TENON_ERROR_INVALID_ARGUMENT, {op_, ": self must have the broadcast sizes ", sizes,
                                            " to be written in place, got ", sizes_of(out)});
      }
      resize_ = true;
    }
  }
  for (int k = 0; k < ninputs_; ++k) has_casts_ = has_casts_ || needs_cast(k);

  // All contiguous, or all with the same dense strides: one dim is enough. Inputs that need a cast
  // count with the strides that they will have afterwards.
  if (one_shape && !resize_) {
    int64_t scratch[kMaxInputs][kMaxDims];
    Sizes strides[kMaxInputs];
    bool contiguous = given_ == nullptr || is_contiguous(out);
    bool channels_last = given_ == nullptr || is_channels_last(sizes, strides_of(out));
    for (int k = 0; k < ninputs_; ++k) {
      strides[k] = input_strides(k, scratch[k]);
      contiguous = contiguous && (is_contiguous(infos_[k]) || is_row_major(sizes, strides[k]));
      channels_last = channels_last && is_channels_last(sizes, strides[k]);
    }
    if (contiguous) return finish_flat(nullptr);
    if (channels_last) {
      return finish_flat(channels_last_strides(op_, sizes, MemoryFormat::ChannelsLast).begin());
    }
    bool one_order = given_ == nullptr || same(out.strides, strides[0].data(), out.ndim);
    for (int k = 1; k < ninputs_; ++k) {
      one_order = one_order && same(strides[0].data(), strides[k].data(), infos_[0].ndim);
    }
    if (one_order && is_non_overlapping_and_dense(sizes, strides[0])) {
      return finish_flat(strides[0].data());
    }
  }
  finish_general(sizes);
}

void Elementwise::finish_flat(const int64_t* strides) {
  if (given_ == nullptr) allocate(sizes_of(infos_[0]), strides);
  has_casts_ = has_casts_ || output_needs_cast();
  if (has_casts_) {
    bool one_dim = true;
    for (int k = 0; k < ninputs_; ++k) one_dim = one_dim && lies_as_cast(k);
    if (!one_dim) return walk_in_order_of_output(sizes_of(infos_[0]));
  }
  walk_.flat(infos_[0].numel, ninputs_ + 1);
  walk_.set_flat(0, output_data_, size_of(output_dtype_));
  for (int k = 0; k < ninputs_; ++k)
    walk_.set_flat(k + 1, infos_[k].data, size_of(dtype_of_info(infos_[k])));
}

// Returns true if a cast of the input would have the input's strides.
bool Elementwise::lies_as_cast(int k) const {
  return !needs_cast(k) || std::ranges::equal(cast_strides(k), strides_of(infos_[k]));
}

void Elementwise::walk_in_order_of_output(Sizes shape) {
  const tenon_tensor_info output = output_info();
  int64_t strides[kMaxOperands][kMaxDims];
  const int64_t* order[kMaxOperands] = {output.strides};
  for (int k = 0; k < ninputs_; ++k) {
    broadcast_strides(shape, sizes_of(infos_[k]), strides_of(infos_[k]), strides[k]);
    order[k + 1] = strides[k];
  }
  int64_t perm[kMaxDims];
  order_dims(shape, order, ninputs_ + 1, perm);
  walk_.begin(shape, perm, ninputs_ + 1);
  walk_.set(0, output_data_, size_of(output_dtype_), output.strides);
  for (int k = 0; k < ninputs_; ++k) {
    walk_.set(k + 1, infos_[k].data, size_of(dtype_of_info(infos_[k])), strides[k]);
  }
  walk_.coalesce();
}

// Returns the strides of an input, after its cast if it needs one.
Sizes Elementwise::input_strides(int k, int64_t* storage) const {
  if (!needs_cast(k)) return strides_of(infos_[k]);
  const Dims strides = cast_strides(k);
  std::copy(strides.begin(), strides.end(), storage);
  return {storage, static_cast<size_t>(strides.size())};
}

void Elementwise::finish_general(Sizes shape) {
  const auto ndim = static_cast<int64_t>(shape.size());
  int64_t strides[kMaxOperands][kMaxDims];
  int64_t scratch[kMaxDims];
  for (int k = 0; k < ninputs_; ++k) {
    broadcast_strides(shape, sizes_of(infos_[k]), input_strides(k, scratch), strides[k + 1]);
  }
  // An existing output has priority in the order of dims.
  const int64_t* order[kMaxOperands];
  int count = 0;
  const bool fresh = given_ == nullptr || resize_;
  if (!fresh) {
    const Dims own =
        output_needs_cast() ? output_cast_strides() : Dims(strides_of(info_of(given_)));
    std::copy(own.begin(), own.end(), strides[0]);
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
      next = wrapped_product(next, shape[static_cast<size_t>(perm[d])]);
    }
    if (given_ == nullptr) {
      allocate(shape, row_major ? nullptr : strides[0]);
    } else {
      resize_output(given_, shape, strides[0], row_major);
      describe_output(info_of(given_));
    }
  }
  has_casts_ = has_casts_ || output_needs_cast();
  walk_in_order_of_output(shape);
}

}  // namespace tenon::kernels
