// SPDX-License-Identifier: Apache-2.0
// aten::_fft_c2c, aten::_fft_r2c and aten::_fft_c2r on the CPU.
#include "kernels/ops/fft.h"

#include <vector>

#include "kernels/common/promotion.h"
#include "kernels/cpu/cast.h"
#include "kernels/cpu/fft_plan.h"
#include "kernels/cpu/routine_of.h"
#include "kernels/cpu/shared_loop.h"

namespace tenon::kernels::cpu {
namespace {

// So many lines are transformed side by side, that loops over them are vectors.
constexpr int64_t kSide = 8;

// Where lines along a dim begin, in elements.
class LineStarts {
 public:
  LineStarts(const tenon_tensor_info& info, int64_t dim) : step_(info.strides[dim]) {
    for (int32_t d = 0; d < info.ndim; ++d) {
      if (d == dim) continue;
      sizes_.push_back(info.sizes[d]);
      strides_.push_back(info.strides[d]);
    }
  }
  int64_t step() const { return step_; }
  int64_t operator[](int64_t line) const {
    int64_t offset = 0;
    for (int64_t d = sizes_.size() - 1; d >= 0; --d) {
      offset += line % sizes_[d] * strides_[d];
      line /= sizes_[d];
    }
    return offset;
  }

 private:
  Dims sizes_;
  Dims strides_;
  int64_t step_;
};

// Element k of a whole line, of which the first `given` are there: the rest are conjugates of the
// first ones, from the end on.
template <class R, class From>
Complex<R> element(const From* line, int64_t step, int64_t k, int64_t given, int64_t size) {
  if constexpr (is_complex_element<From>) {
    if (k < given) return line[k * step];
    const Complex<R> other = line[(size - k) * step];
    return {other.re, -other.im};
  } else {
    return {line[k * step], 0};
  }
}

// Transforms the lines of `in` along a dim into those of `out`, of which each has as many elements
// as are kept; the whole lines have `size`.
template <class R, class From, class To>
void transform_lines(const tenon_tensor_info& out, const tenon_tensor_info& in, int64_t dim,
                     int64_t size, bool forward, double scale) {
  const auto plan = FftPlan<R>::of(size);
  const LineStarts from(in, dim), to(out, dim);
  // What a line of reals comes from is half of it.
  const int64_t given = is_complex_element<To> ? std::min(in.sizes[dim], size) : size / 2 + 1;
  const int64_t kept = out.sizes[dim];
  const int64_t lines = out.numel / kept;
  const auto* const source = static_cast<const From*>(in.data);
  auto* const target = static_cast<To*>(out.data);
  const auto factor = static_cast<R>(scale);
  const int64_t groups = (lines + kSide - 1) / kSide;
  const int64_t grain = std::max<int64_t>(kGrain / (size * kSide * 4), 1);
  parallel_for(groups, grain, [&](int64_t begin, int64_t end) {
    std::vector<Complex<R>> data(static_cast<size_t>(size * kSide));
    std::vector<Complex<R>> work(static_cast<size_t>(plan->work_size() * kSide));
    for (int64_t group = begin; group < end; ++group) {
      const int64_t first = group * kSide, side = std::min(kSide, lines - first);
      for (int64_t i = 0; i < side; ++i) {
        const From* const line = source + from[first + i];
        for (int64_t k = 0; k < size; ++k) {
          data[static_cast<size_t>(k * side + i)] = element<R>(line, from.step(), k, given, size);
        }
        // What stands for itself twice is real.
        if constexpr (!is_complex_element<To>) {
          data[static_cast<size_t>(i)].im = 0;
          if (size % 2 == 0) data[static_cast<size_t>(size / 2 * side + i)].im = 0;
        }
      }
      plan->run(data.data(), work.data(), side, forward);
      for (int64_t i = 0; i < side; ++i) {
        To* const line = target + to[first + i];
        for (int64_t k = 0; k < kept; ++k) {
          const Complex<R> made = data[static_cast<size_t>(k * side + i)];
          if constexpr (is_complex_element<To>) {
            line[k * to.step()] = {made.re * factor, made.im * factor};
          } else {
            line[k * to.step()] = made.re * factor;
          }
        }
      }
    }
  });
}

using ComplexLines = ElementTypes<Complex64, Complex128>;

// Along dims of a complex tensor, in place; the first one from `source`.
void transform_dims(const Call& call, const Tensor& out, const Tensor& source, const Dims& dims,
                    bool forward, double scale) {
  if (dims.empty()) return cast(out.info(), source.info());
  visit(call.op(), "self", out.dtype(), ComplexLines(), [&]<class T>(Element<T>) {
    using R = Real<T>;
    for (int64_t k = 0; k < dims.size(); ++k) {
      const Tensor& from = k == 0 ? source : out;
      const bool is_last = k == dims.size() - 1;
      transform_lines<R, T, T>(out.info(), from.info(), dims[k], out.size(dims[k]), forward,
                               is_last ? scale : 1);
    }
  });
}

void fft_c2c(const Call& call) {
  ops::Transform transform = ops::c2c_of(call);
  if (transform.result.numel() > 0) {
    transform_dims(call, transform.result, *call.get<Tensor>(0), transform.dims, transform.forward,
                   transform.scale);
  }
  if (call.form.is_functional()) call.give(0, std::move(transform.result));
}

void fft_r2c(const Call& call) {
  ops::Transform transform = ops::r2c_of(call);
  const Tensor self = *call.get<Tensor>(0);
  Dims others = transform.dims;
  const int64_t last = others[others.size() - 1];
  others.resize(others.size() - 1);
  if (transform.result.numel() > 0) {
    visit(call.op(), "self", self.dtype(), ElementTypes<float, double>(), [&]<class R>(Element<R>) {
      transform_lines<R, R, Complex<R>>(transform.result.info(), self.info(), last,
                                        transform.last_size, true,
                                        others.empty() ? transform.scale : 1);
    });
    if (!others.empty()) {
      transform_dims(call, transform.result, transform.result, others, true, transform.scale);
    }
  }
  if (call.form.is_functional()) call.give(0, std::move(transform.result));
}

void fft_c2r(const Call& call) {
  ops::Transform transform = ops::c2r_of(call);
  Tensor self = *call.get<Tensor>(0);
  Dims others = transform.dims;
  const int64_t last = others[others.size() - 1];
  others.resize(others.size() - 1);
  if (transform.result.numel() > 0) {
    if (!others.empty()) {
      const Tensor between = Tensor::empty(self.sizes(), self.dtype());
      transform_dims(call, between, self, others, false, 1);
      self = between;
    }
    visit(call.op(), "self", transform.result.dtype(), ElementTypes<float, double>(),
          [&]<class R>(Element<R>) {
            transform_lines<R, Complex<R>, R>(transform.result.info(), self.info(), last,
                                              transform.last_size, false, transform.scale);
          });
  }
  if (call.form.is_functional()) call.give(0, std::move(transform.result));
}

}  // namespace

Operator operator_kInnerFftC2c() { return routine_of<ops::kInnerFftC2c, &fft_c2c>(); }
Operator operator_kInnerFftR2c() { return routine_of<ops::kInnerFftR2c, &fft_r2c>(); }
Operator operator_kInnerFftC2r() { return routine_of<ops::kInnerFftC2r, &fft_c2r>(); }

}  // namespace tenon::kernels::cpu
