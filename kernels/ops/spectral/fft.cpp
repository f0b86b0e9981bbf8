// SPDX-License-Identifier: Apache-2.0
// Argument checks and gradients of transforms, and the implementation of aten::fft_fft and similar
// operators.
#include "kernels/ops/spectral/fft.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "kernels/common/checked_size.h"
#include "kernels/common/overlap.h"
#include "kernels/common/promotion.h"
#include "kernels/common/shape.h"
#include "kernels/ops/arithmetic.h"
#include "kernels/ops/calls.h"
#include "kernels/ops/factories/factory.h"
#include "kernels/ops/symbolic/calls.h"

namespace tenon::kernels::ops {

namespace {

constinit const LazyOp<Tensor(const Tensor&, Sizes, int64_t, bool)> c2c("aten::_fft_c2c"),
    r2c("aten::_fft_r2c");
constinit const LazyOp<Tensor(const Tensor&, Sizes, int64_t, int64_t)> c2r("aten::_fft_c2r");

Dims wrapped_dims(const Call& call, const Tensor& self, Sizes dims) {
  Dims wrapped;
  bool is_there[kMaxDims] = {};
  for (const int64_t given : dims) {
    const int64_t dim = wrap_dim(call.op(), given, self.ndim());
    if (is_there[dim]) fail_argument(call.op(), "dim", "have no repeated dim", dims);
    is_there[dim] = true;
    wrapped.push_back(dim);
  }
  return wrapped;
}

// Like wrapped_dims(), but refuses dims of a 0-dim tensor, which has no line to transform.
Dims line_dims(const Call& call, const Tensor& self, Sizes dims) {
  if (self.ndim() == 0 && !dims.empty())
    fail_argument(call.op(), "self", "have at least one dim", Dims(self.sizes()));
  return wrapped_dims(call, self, dims);
}

// Returns the strides of PyTorch with MKL: other dims first, by their strides, then those of the
// transform.
Dims transform_strides(const Dims& given, const Dims& sizes, const Dims& dims, bool keeps_last) {
  Dims order;
  bool is_there[kMaxDims] = {};
  for (const int64_t dim : dims) is_there[dim] = true;
  for (int64_t dim = 0; dim < given.size(); ++dim) {
    if (!is_there[dim]) order.push_back(dim);
  }
  const auto by_stride = [&](int64_t a, int64_t b) { return given[a] > given[b]; };
  std::stable_sort(order.begin(), order.end(), by_stride);
  Dims sorted = dims;
  std::stable_sort(sorted.begin(), sorted.end() - (keeps_last && !sorted.empty() ? 1 : 0),
                   by_stride);
  for (const int64_t dim : sorted) order.push_back(dim);
  Dims strides = Dims::filled(sizes.size(), 1);
  int64_t next = 1;
  for (int64_t k = order.size() - 1; k >= 0; --k) {
    strides[order[k]] = next;
    next = wrapped_product(next, std::max<int64_t>(sizes[order[k]], 1));
  }
  return strides;
}

// An out that is resized is row-major.
const int64_t* own_strides(const Call& call, const Dims& strides) {
  return call.form.is_functional() ? strides.begin() : nullptr;
}

double scale_of(const Call& call, int64_t normalization, double count) {
  if (normalization < 0 || normalization > 2)
    fail_argument(call.op(), "normalization", "0, 1 or 2", normalization);
  return normalization == 0 ? 1 : 1 / (normalization == 1 ? std::sqrt(count) : count);
}

double count_of(const Dims& sizes, const Dims& dims) {
  double count = 1;
  for (const int64_t dim : dims) count *= static_cast<double>(sizes[dim]);
  return count;
}

}  // namespace

Transform c2c_of(const Call& call) {
  const Tensor self = *call.get<Tensor>(0);
  if (!is_complex(self.dtype())) fail_dtype(call.op(), "self", self.dtype(), "complex");
  const Dims dims = line_dims(call, self, call.get<Sizes>(1));
  const Dims sizes(self.sizes());
  const Dims strides = transform_strides(self.strides(), sizes, dims, false);
  Transform transform{
      dims, 0, scale_of(call, call.get<int64_t>(2), count_of(sizes, dims)), call.get<bool>(3),
      result_for(call, sizes, self.dtype(), self.device(), own_strides(call, strides))};
  if (!call.form.is_functional()) {
    check_no_partial_overlap(call.op(), transform.result.info(), self.info());
  }
  return transform;
}

Transform r2c_of(const Call& call) {
  const Tensor self = *call.get<Tensor>(0);
  if (self.dtype() != Dtype::F32 && self.dtype() != Dtype::F64)
    fail_dtype(call.op(), "self", self.dtype(), "float32, float64");
  const Dims dims = line_dims(call, self, call.get<Sizes>(1));
  if (dims.empty()) fail_argument(call.op(), "dim", "have at least one dim", dims);
  Dims sizes(self.sizes());
  const int64_t last = dims[dims.size() - 1], size = sizes[last];
  const double scale = scale_of(call, call.get<int64_t>(2), count_of(sizes, dims));
  // An empty line would have a spectrum of one number, the sum of nothing.
  if (size == 0)
    fail_argument(call.op(), "self", "have a nonzero size along the last dim of dim", sizes);
  if (call.get<bool>(3)) sizes[last] = size / 2 + 1;
  const Dims strides = transform_strides(self.strides(), sizes, dims, true);
  Transform transform{
      dims, size, scale, true,
      result_for(call, sizes, to_complex(self.dtype()), self.device(), own_strides(call, strides))};
  if (!call.form.is_functional()) {
    check_no_overlap(call.op(), transform.result.info(), self.info());
  }
  return transform;
}

Transform c2r_of(const Call& call) {
  const Tensor self = *call.get<Tensor>(0);
  if (!is_complex(self.dtype())) fail_dtype(call.op(), "self", self.dtype(), "complex");
  const Dims dims = line_dims(call, self, call.get<Sizes>(1));
  if (dims.empty()) fail_argument(call.op(), "dim", "have at least one dim", dims);
  Dims sizes(self.sizes());
  const int64_t last = dims[dims.size() - 1], size = call.get<int64_t>(3);
  if (size < 1) fail_argument(call.op(), "last_dim_size", "at least 1", size);
  if (sizes[last] < size / 2 + 1) {
    fail(TENON_ERROR_INVALID_ARGUMENT,
         {call.op(), ": self must have ", size / 2 + 1, " elements along dim ", last,
          " for last_dim_size ", size, ", got ", sizes[last]});
  }
  // Transforms all other dims first, into a separate tensor.
  Dims between(self.strides()), others = dims;
  others.resize(others.size() - 1);
  if (!others.empty()) between = transform_strides(between, sizes, others, false);
  sizes[last] = size;
  const Dims one{last};
  const Dims strides = transform_strides(between, sizes, one, false);
  Transform transform{
      dims, size, scale_of(call, call.get<int64_t>(2), count_of(sizes, dims)), false,
      result_for(call, sizes, to_real(self.dtype()), self.device(), own_strides(call, strides))};
  if (!call.form.is_functional()) {
    check_no_overlap(call.op(), transform.result.info(), self.info());
  }
  return transform;
}

void fft_c2c_meta(const Call& call) {
  Transform transform = c2c_of(call);
  if (call.form.is_functional()) call.give(0, std::move(transform.result));
}
void fft_r2c_meta(const Call& call) {
  Transform transform = r2c_of(call);
  if (call.form.is_functional()) call.give(0, std::move(transform.result));
}
void fft_c2r_meta(const Call& call) {
  Transform transform = c2r_of(call);
  if (call.form.is_functional()) call.give(0, std::move(transform.result));
}

void fft_c2c_backward(const Call& call) {
  call.give(
      0, c2c(*call.get<Tensor>(0), call.get<Sizes>(1), call.get<int64_t>(2), !call.get<bool>(3)));
}

void fft_r2c_backward(const Call& call) {
  Tensor grad = *call.get<Tensor>(0);
  const auto dims = call.get<Sizes>(1), sizes = call.get<Sizes>(4);
  if (dims.empty()) fail_argument(call.op(), "dim", "have at least one dim", dims);
  const int64_t last = wrap_dim(call.op(), dims.back(), grad.ndim());
  if (static_cast<int64_t>(sizes.size()) != grad.ndim()) {
    fail_argument(call.op(), call.form.names[4], "have as many sizes as grad has dims", sizes);
  }
  const CheckedSize whole(call.op(), sizes[static_cast<size_t>(last)]);
  const int64_t missing = (whole - grad.size(last)).value();
  if (call.get<bool>(3) && missing > 0) {  // the other half was not used
    Dims rest(grad.sizes());
    rest[last] = missing;
    grad = call_cat({grad, call_zeros(rest, options_like(kind_of(grad), {}))}, last);
  }
  call.give(0, call_real(c2c(grad, dims, call.get<int64_t>(2), false)));
}

// All elements except the first, and the middle one of an even size, represent two.
void fft_c2r_backward(const Call& call) {
  const Tensor grad = *call.get<Tensor>(0);
  const auto dims = call.get<Sizes>(1);
  if (dims.empty()) fail_argument(call.op(), "dim", "have at least one dim", dims);
  const int64_t last = wrap_dim(call.op(), dims.back(), grad.ndim());
  const Tensor half = r2c(grad, dims, call.get<int64_t>(2), true);
  const int64_t twice = grad.size(last) - half.size(last);
  if (twice <= 0) return call.give(0, Tensor(half));
  const int64_t count = half.size(last);
  call.give(0, call_cat({call_slice(half, last, 0, 1),
                         call_mul(call_slice(half, last, 1, 1 + twice), Scalar(2)),
                         call_slice(half, last, 1 + twice, count)},
                        last));
}

namespace {

// "backward" scales the inverse transform, "forward" the forward one.
int64_t normalization_of(const Call& call, int k, bool forward) {
  const auto word = call.get<std::optional<std::string_view>>(k).value_or("backward");
  if (word == "ortho") return 1;
  if (word != "backward" && word != "forward") {
    fail_argument(call.op(), "norm", "\"backward\", \"ortho\" or \"forward\"", std::string(word));
  }
  return (word == "forward") == forward ? 2 : 0;
}

Tensor inexact(const Call& call, const Tensor& self, bool wants_complex) {
  if (is_half_precision(self.dtype())) {
    fail_dtype(call.op(), "self", self.dtype(), "float32, float64, complex or integral");
  }
  const Dtype dtype = is_bool_or_integral(self.dtype()) ? default_dtype() : self.dtype();
  return cast(self, wants_complex ? to_complex(to_real(dtype)) : dtype);
}

Tensor real_input(const Call& call, const Tensor& self) {
  if (is_complex(self.dtype())) fail_dtype(call.op(), "self", self.dtype(), "real");
  return inexact(call, self, false);
}

// Truncates a dim to `size` elements, or pads it with zeros at the end.
Tensor resized_along(const Call& call, const Tensor& self, int64_t dim, SymbolicSize size) {
  if (size < 1) fail_argument(call.op(), call.form.names[1], "at least 1", text_of(size));
  const SymbolicSize own = word_along(self, dim);
  if (size == own) return self;
  if (size < own) return call_slice(self, dim, SymbolicSize(0), size);
  SymbolicDims rest = words_of(self);
  rest[dim] = size - own;
  Tensor zeros = call_empty_of_words(rest, options_like(kind_of(self), {}));
  call_zero(zeros);
  return call_cat({self, zeros}, dim);
}

// Returns the size in argument 1, or `size` if it is absent.
SymbolicSize given_or(const Call& call, SymbolicSize size) {
  return call.args[1].tag == TENON_TAG_NONE ? size : size_argument(call, 1);
}

Tensor reals_of(const Tensor& self, Sizes dims, int64_t normalization, SymbolicSize size) {
  if (size.is_number()) return c2r(self, dims, normalization, size.word());
  tenon_value args[] = {tenon_value_of_tensor(self.get()),
                        tenon_value_of_ints(dims.data(), static_cast<uint32_t>(dims.size())),
                        tenon_value_of_int(normalization), size_value(size)};
  return call_boxed("aten::_fft_c2r", args, 4);
}

int64_t only_dim(const Call& call, const Tensor& self) {
  if (self.ndim() == 0) fail_argument(call.op(), "self", "have at least 1 dim", "a 0-dim tensor");
  return wrap_dim(call.op(), call.get<int64_t>(2), self.ndim());
}

void transform_line(const Call& call, bool forward) {
  Tensor self = inexact(call, *call.get<Tensor>(0), false);
  const int64_t dim = only_dim(call, self);
  self = resized_along(call, self, dim, given_or(call, word_along(self, dim)));
  const int64_t normalization = normalization_of(call, 3, forward);
  const int64_t dims[] = {dim};
  if (is_complex(self.dtype())) return call.give(0, c2c(self, dims, normalization, forward));
  const Tensor whole = r2c(self, dims, normalization, false);
  call.give(0, forward ? whole : call_conj(whole));
}

void line_from_reals(const Call& call, bool forward) {
  Tensor self = real_input(call, *call.get<Tensor>(0));
  const int64_t dim = only_dim(call, self);
  self = resized_along(call, self, dim, given_or(call, word_along(self, dim)));
  const int64_t dims[] = {dim};
  const Tensor half = r2c(self, dims, normalization_of(call, 3, forward), true);
  call.give(0, forward ? half : call_conj(half));
}

void line_to_reals(const Call& call, bool forward) {
  Tensor self = inexact(call, *call.get<Tensor>(0), true);
  const int64_t dim = only_dim(call, self);
  const SymbolicSize size = given_or(call, (word_along(self, dim) - 1) * 2);
  if (size < 1) fail_argument(call.op(), "n", "at least 1", text_of(size));
  self = resized_along(call, self, dim, size / 2 + 1);
  const int64_t dims[] = {dim};
  call.give(0, reals_of(forward ? call_conj(self) : self, dims, normalization_of(call, 3, forward),
                        size));
}

// The dims of a multi-dim transform, and the sizes along them; -1 means the size of self.
struct Grid {
  Dims dims;
  SymbolicDims sizes;
};

Grid grid_of(const Call& call, const Tensor& self) {
  const bool is_given = call.args[1].tag != TENON_TAG_NONE;
  const SymbolicDims given = sizes_argument(call, 1);
  const auto given_dims = call.get<std::optional<Sizes>>(2);
  Grid grid;
  if (given_dims) {
    grid.dims = wrapped_dims(call, self, *given_dims);
  } else {
    const int64_t count = is_given ? given.size() : self.ndim();
    if (count > self.ndim()) {
      fail_argument(call.op(), "s", "have at most one size for each dim", text_of(given));
    }
    for (int64_t dim = self.ndim() - count; dim < self.ndim(); ++dim) grid.dims.push_back(dim);
  }
  if (is_given && given.size() != grid.dims.size()) {
    fail_argument(call.op(), "s", "have one size for each of the dims", text_of(given));
  }
  for (int64_t k = 0; k < grid.dims.size(); ++k) {
    const SymbolicSize size = is_given ? given[k] : SymbolicSize(-1);
    if (size < -1 || size == 0) {
      fail_argument(call.op(), "s", "have sizes of at least 1, or -1", text_of(given));
    }
    grid.sizes.push_back(size == -1 ? word_along(self, grid.dims[k]) : size);
  }
  return grid;
}

// Returns all dims except the last one.
Dims others_of(const Grid& grid) {
  Dims others = grid.dims;
  others.resize(others.size() - 1);
  return others;
}
Dims last_of(const Grid& grid) { return Dims{grid.dims[grid.dims.size() - 1]}; }

Tensor resized_to(const Call& call, Tensor self, const Grid& grid) {
  for (int64_t k = 0; k < grid.dims.size(); ++k)
    self = resized_along(call, self, grid.dims[k], grid.sizes[k]);
  return self;
}

void transform_grid(const Call& call, bool forward) {
  Tensor self = inexact(call, *call.get<Tensor>(0), true);
  const Grid grid = grid_of(call, self);
  self = resized_to(call, self, grid);
  call.give(0, c2c(self, grid.dims, normalization_of(call, 3, forward), forward));
}

void grid_from_reals(const Call& call, bool forward) {
  Tensor self = real_input(call, *call.get<Tensor>(0));
  const Grid grid = grid_of(call, self);
  if (grid.dims.empty()) fail_argument(call.op(), "dim", "have at least one dim", grid.dims);
  const int64_t normalization = normalization_of(call, 3, forward);
  self = resized_to(call, self, grid);
  if (forward) return call.give(0, r2c(self, grid.dims, normalization, true));
  const Dims others = others_of(grid), last = last_of(grid);
  const Tensor half = call_conj(r2c(self, last, normalization, true));
  call.give(0, others.empty() ? half : c2c(half, others, normalization, false));
}

void grid_to_reals(const Call& call, bool forward) {
  Tensor self = inexact(call, *call.get<Tensor>(0), true);
  Grid grid = grid_of(call, self);
  if (grid.dims.empty()) fail_argument(call.op(), "dim", "have at least one dim", grid.dims);
  const SymbolicDims given = sizes_argument(call, 1);
  const int64_t last = grid.dims.size() - 1;
  const SymbolicSize size = !given.empty() && !(given.back() == -1)
                                ? given.back()
                                : (word_along(self, grid.dims[last]) - 1) * 2;
  if (size < 1) fail_argument(call.op(), "s", "at least 1 along the last dim", text_of(size));
  grid.sizes[last] = size / 2 + 1;
  self = resized_to(call, self, grid);
  const int64_t normalization = normalization_of(call, 3, forward);
  if (!forward) return call.give(0, reals_of(self, grid.dims, normalization, size));
  const Dims others = others_of(grid), last_dim = last_of(grid);
  if (!others.empty()) self = c2c(self, others, normalization, true);
  call.give(0, reals_of(call_conj(self), last_dim, normalization, size));
}

void shift_by(const Call& call, bool forward) {
  const Tensor self = *call.get<Tensor>(0);
  const auto given = call.get<std::optional<Sizes>>(1);
  Dims dims;
  SymbolicDims shifts;
  if (given) {
    dims = wrapped_dims(call, self, *given);
  } else {
    for (int64_t dim = 0; dim < self.ndim(); ++dim) dims.push_back(dim);
  }
  for (const int64_t dim : dims) {
    shifts.push_back((word_along(self, dim) + SymbolicSize(forward ? 0 : 1)) / 2);
  }
  call.give(
      0, dims.empty() ? call_clone(self, MemoryFormat::Preserve) : call_roll(self, shifts, dims));
}

// Returns 0, 1, ... and, for a full spectrum, the negative frequencies, divided by n times the
// sample distance.
void give_frequencies(const Call& call, bool is_half) {
  static constinit const LazyOp<Tensor(const Scalar&, const Scalar&, std::optional<Dtype>,
                                       std::optional<Layout>, std::optional<Device>,
                                       std::optional<bool>)>
      arange("aten::arange.start");
  const auto count = call.get<int64_t>(0);
  if (count < 1) fail_argument(call.op(), "n", "at least 1", count);
  FactoryOptions options = options_of(call);
  if (call.form.is_out()) options = options_like(Tensor::retain(call.written()).info(), {});
  const Dtype dtype = options.dtype.value_or(default_dtype());
  if (is_bool_or_integral(dtype)) fail_dtype(call.op(), "dtype", dtype, "floating or complex");
  const auto range = [&](int64_t from, int64_t to) {
    return arange(Scalar(from), Scalar(to), dtype, options.layout, options.device,
                  options.pin_memory);
  };
  const int64_t above = is_half ? count / 2 + 1 : ceil_quotient(count, 2);
  Tensor numbers = range(0, above);
  if (!is_half) numbers = call_cat({numbers, range(above - count, 0)}, 0);
  call.give(0, call_mul(numbers, Scalar(1 / (static_cast<double>(count) * call.get<double>(1)))));
}

}  // namespace

void fft_fft(const Call& call) { transform_line(call, true); }
void fft_ifft(const Call& call) { transform_line(call, false); }
void fft_rfft(const Call& call) { line_from_reals(call, true); }
void fft_ihfft(const Call& call) { line_from_reals(call, false); }
void fft_irfft(const Call& call) { line_to_reals(call, false); }
void fft_hfft(const Call& call) { line_to_reals(call, true); }
void fft_fftn(const Call& call) { transform_grid(call, true); }
void fft_ifftn(const Call& call) { transform_grid(call, false); }
void fft_rfftn(const Call& call) { grid_from_reals(call, true); }
void fft_ihfftn(const Call& call) { grid_from_reals(call, false); }
void fft_irfftn(const Call& call) { grid_to_reals(call, false); }
void fft_hfftn(const Call& call) { grid_to_reals(call, true); }
void fft_fftshift(const Call& call) { shift_by(call, true); }
void fft_ifftshift(const Call& call) { shift_by(call, false); }
void fft_fftfreq(const Call& call) { give_frequencies(call, false); }
void fft_rfftfreq(const Call& call) { give_frequencies(call, true); }

}  // namespace tenon::kernels::ops
