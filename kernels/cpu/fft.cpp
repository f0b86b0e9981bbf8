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

// So many lines are transformed side by side: what a vector holds.
template <class R>
constexpr int64_t kSide = sizeof(R) == 4 ? 16 : 8;

// So many complex numbers stay in the second cache, with as many that they become.
constexpr int64_t kNearNumbers = 65536;

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
// first ones, from the end on. What stands for itself twice is real.
template <class R>
Complex<R> whole_element(const Complex<R>* line, int64_t step, int64_t k, int64_t given,
                         int64_t size) {
  if (k == 0 || 2 * k == size) return {line[k * step].re, 0};
  if (k < given) return line[k * step];
  const Complex<R> other = line[(size - k) * step];
  return {other.re, -other.im};
}

// Lines side by side, real and imaginary parts apart. Two lines of reals are the parts of one.
template <class R>
struct Side {
  R* re;
  R* im;
  int64_t lines;
};

// Where lines begin, and how far their elements are apart.
struct Starts {
  const int64_t* at;
  int64_t step;
};

// Calls `each(i, first, end)` for parts of so many lines, in an order in which what is read and
// what is written stay in the nearest cache: one of both has the lines side by side.
template <class Each>
[[gnu::always_inline]] inline void by_parts(int64_t lines, int64_t size, Each&& each) {
  constexpr int64_t kPart = 16;
  for (int64_t first = 0; first < size; first += kPart) {
    const int64_t end = std::min(first + kPart, size);
    for (int64_t i = 0; i < lines; ++i) each(i, first, end);
  }
}

template <class R>
void take_lines(const Side<R>& side, const Complex<R>* source, const Starts& from, int64_t size) {
  by_parts(side.lines, size, [&](int64_t i, int64_t first, int64_t end) {
    const Complex<R>* const line = source + from.at[i];
    for (int64_t k = first; k < end; ++k) {
      side.re[k * side.lines + i] = line[k * from.step].re;
      side.im[k * side.lines + i] = line[k * from.step].im;
    }
  });
}
template <class R>
void give_lines(const Side<R>& side, Complex<R>* target, const Starts& to, int64_t kept, R factor) {
  by_parts(side.lines, kept, [&](int64_t i, int64_t first, int64_t end) {
    Complex<R>* const line = target + to.at[i];
    for (int64_t k = first; k < end; ++k) {
      const int64_t at = k * side.lines + i;
      line[k * to.step] = {side.re[at] * factor, side.im[at] * factor};
    }
  });
}

// From here on `count` is of lines of reals.
template <class R>
void take_reals(const Side<R>& side, const R* source, const Starts& from, int64_t count,
                int64_t size) {
  by_parts(2 * side.lines, size, [&](int64_t i, int64_t first, int64_t end) {
    R* const part = (i % 2 == 0 ? side.re : side.im) + i / 2;
    const R* const line = i < count ? source + from.at[i] : nullptr;
    for (int64_t k = first; k < end; ++k) {
      part[k * side.lines] = line == nullptr ? R(0) : line[k * from.step];
    }
  });
}
// The transforms of the two lines a and b that one of a + i b stands for.
template <class R>
void give_halves(const Side<R>& side, Complex<R>* target, const Starts& to, int64_t count,
                 int64_t size, int64_t kept, R factor) {
  const R half = factor / 2;
  by_parts(side.lines, kept, [&](int64_t i, int64_t first, int64_t end) {
    Complex<R>* const a = target + to.at[2 * i];
    Complex<R>* const b = 2 * i + 1 < count ? target + to.at[2 * i + 1] : nullptr;
    for (int64_t k = first; k < end; ++k) {
      const int64_t at = k * side.lines + i, mirror = (k == 0 ? 0 : size - k) * side.lines + i;
      const R re = side.re[at], im = side.im[at], re2 = side.re[mirror], im2 = side.im[mirror];
      a[k * to.step] = {(re + re2) * half, (im - im2) * half};
      if (b != nullptr) b[k * to.step] = {(im + im2) * half, (re2 - re) * half};
    }
  });
}
template <class R>
void take_halves(const Side<R>& side, const Complex<R>* source, const Starts& from, int64_t count,
                 int64_t given, int64_t size) {
  by_parts(side.lines, size, [&](int64_t i, int64_t first, int64_t end) {
    const Complex<R>* const a = source + from.at[2 * i];
    const Complex<R>* const b = 2 * i + 1 < count ? source + from.at[2 * i + 1] : nullptr;
    for (int64_t k = first; k < end; ++k) {
      const Complex<R> x = whole_element(a, from.step, k, given, size);
      const Complex<R> y =
          b == nullptr ? Complex<R>(0) : whole_element(b, from.step, k, given, size);
      side.re[k * side.lines + i] = x.re - y.im;
      side.im[k * side.lines + i] = x.im + y.re;
    }
  });
}
template <class R>
void give_reals(const Side<R>& side, R* target, const Starts& to, int64_t count, int64_t size,
                R factor) {
  by_parts(count, size, [&](int64_t i, int64_t first, int64_t end) {
    const R* const part = (i % 2 == 0 ? side.re : side.im) + i / 2;
    R* const line = target + to.at[i];
    for (int64_t k = first; k < end; ++k) line[k * to.step] = part[k * side.lines] * factor;
  });
}

// Transforms the lines of `in` along a dim into those of `out`, of which each has as many elements
// as are kept; the whole lines have `size`.
template <class R, class From, class To>
void transform_lines(const tenon_tensor_info& out, const tenon_tensor_info& in, int64_t dim,
                     int64_t size, bool forward, double scale) {
  constexpr bool kFromReals = !is_complex_element<From>, kToReals = !is_complex_element<To>;
  constexpr int64_t kTogether = kFromReals || kToReals ? 2 : 1;  // lines that one stands for
  const auto plan = FftPlan<R>::of(size);
  const LineStarts from(in, dim), to(out, dim);
  // What a line of reals comes from is half of it.
  const int64_t given = size / 2 + 1, kept = out.sizes[dim];
  const int64_t lines = out.numel / kept;
  const auto* const source = static_cast<const From*>(in.data);
  auto* const target = static_cast<To*>(out.data);
  const auto factor = static_cast<R>(scale);
  // Lines that can be split are transformed one by one, where many would leave the nearer caches.
  const bool is_alone = plan->is_split() && size * kSide<R> > kNearNumbers;
  const int64_t width = (is_alone ? 1 : kSide<R>)*kTogether;
  const int64_t groups = (lines + width - 1) / width;
  const int64_t grain = std::max<int64_t>(kGrain / (size * width * 4), 1);
  parallel_for(groups, grain, [&](int64_t begin, int64_t end) {
    const auto most = static_cast<size_t>(width / kTogether);
    const auto numbers = static_cast<size_t>(size) * most;
    std::vector<R> data(2 * numbers), work(2 * static_cast<size_t>(plan->work_size()) * most);
    int64_t in_starts[2 * kSide<R>], out_starts[2 * kSide<R>];
    for (int64_t group = begin; group < end; ++group) {
      const int64_t first = group * width, count = std::min(width, lines - first);
      for (int64_t i = 0; i < count; ++i) {
        in_starts[i] = from[first + i];
        out_starts[i] = to[first + i];
      }
      const Starts in_at{in_starts, from.step()}, out_at{out_starts, to.step()};
      const Side<R> side{data.data(), data.data() + numbers, (count + kTogether - 1) / kTogether};
      if constexpr (kFromReals) {
        take_reals(side, source, in_at, count, size);
      } else if constexpr (kToReals) {
        take_halves(side, source, in_at, count, given, size);
      } else {
        take_lines(side, source, in_at, size);
      }
      plan->run(side.re, side.im, work.data(), side.lines, forward);
      if constexpr (kFromReals) {
        give_halves(side, target, out_at, count, size, kept, factor);
      } else if constexpr (kToReals) {
        give_reals(side, target, out_at, count, size, factor);
      } else {
        give_lines(side, target, out_at, kept, factor);
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
