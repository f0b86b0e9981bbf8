// SPDX-License-Identifier: Apache-2.0
// aten::_fft_c2c, aten::_fft_r2c and aten::_fft_c2r on the CPU.
#include "kernels/ops/spectral/fft.h"

#include "kernels/common/promotion.h"
#include "kernels/cpu/loops/cache_lines.h"
#include "kernels/cpu/loops/cast.h"
#include "kernels/cpu/parallel_loop.h"
#include "kernels/cpu/routine_of.h"
#include "kernels/cpu/spectral/fft_lines.h"
#include "kernels/cpu/spectral/fft_plan.h"

namespace tenon::kernels::cpu {
namespace {

// The offsets of lines along a dim, in elements.
class LineStarts {
 public:
  LineStarts(const tenon_tensor_info& info, int64_t dim) : step_(info.strides[dim]) {
    for (int32_t d = 0; d < info.ndim; ++d) {
      if (d == dim || info.sizes[d] == 1) continue;  // one index, whatever the stride
      sizes_.push_back(info.sizes[d]);
      strides_.push_back(info.strides[d]);
    }
  }
  int64_t step() const { return step_; }

  // Computes the offsets of `count` lines, starting with line `first`.
  void fill(int64_t first, int64_t count, int64_t* starts) const {
    Dims at = sizes_;
    int64_t offset = 0;
    for (int64_t d = sizes_.size() - 1; d >= 0; --d) {
      at[d] = first % sizes_[d];
      first /= sizes_[d];
      offset += at[d] * strides_[d];
    }
    for (int64_t k = 0; k < count;) {
      const int64_t last = sizes_.size() - 1;
      const int64_t run = last < 0 ? 1 : std::min(sizes_[last] - at[last], count - k);
      const int64_t step = last < 0 ? 0 : strides_[last];
      for (int64_t j = 0; j < run; ++j) starts[k + j] = offset + j * step;
      k += run;
      for (int64_t d = last, more = run; d >= 0; --d, more = 1) {
        at[d] += more;
        offset += more * strides_[d];
        if (at[d] < sizes_[d]) break;
        offset -= at[d] * strides_[d];
        at[d] = 0;
      }
    }
  }

 private:
  Dims sizes_;
  Dims strides_;
  int64_t step_;
};

// Transforms the lines of `in` along a dim to those of `out`. Lines have `size` elements, of which
// only those that in and out keep are stored.
template <class R, class From, class To>
void transform_lines(const tenon_tensor_info& out, const tenon_tensor_info& in, int64_t dim,
                     int64_t size, bool forward, double scale) {
  constexpr bool kFromReals = !is_complex_element<From>, kToReals = !is_complex_element<To>;
  // Number of real lines per complex one.
  constexpr int64_t kTogether = kFromReals || kToReals ? 2 : 1;
  const auto plan = FftPlan<R>::of(size);
  const LineStarts from(in, dim), to(out, dim);
  const int64_t kept = out.sizes[dim];
  const int64_t lines = out.numel / kept;
  const auto* const source = static_cast<const From*>(in.data);
  auto* const target = static_cast<To*>(out.data);
  const auto factor = static_cast<R>(scale);
  const int64_t width = (plan->is_alone() ? 1 : kFftSide<R>)*kTogether;
  const int64_t groups = (lines + width - 1) / width;
  const int64_t grain = std::max<int64_t>(kGrain / (size * width * 4), 1);
  parallel_for(groups, grain, [&](int64_t begin, int64_t end) {
    const int64_t most = width / kTogether;
    const int64_t numbers = size * most;
    const auto data_lines = cache_lines(2 * numbers * int64_t{sizeof(R)});
    const auto work_lines = cache_lines(2 * plan->work_size() * most * int64_t{sizeof(R)});
    auto* const data = reinterpret_cast<R*>(data_lines.get());
    auto* const work = reinterpret_cast<R*>(work_lines.get());
    int64_t in_starts[2 * kFftSide<R>], out_starts[2 * kFftSide<R>];
    for (int64_t group = begin; group < end; ++group) {
      const int64_t first = group * width, count = std::min(width, lines - first);
      from.fill(first, count, in_starts);
      to.fill(first, count, out_starts);
      const Starts in_at{in_starts, from.step()}, out_at{out_starts, to.step()};
      LinePair<R> side{{data, data + numbers}, (count + kTogether - 1) / kTogether};
      if constexpr (kFromReals) {
        take_reals(side, source, in_at, count, size);
      } else if constexpr (kToReals) {
        take_halves(side, source, in_at, count, size);
      } else {
        take_lines(side, source, in_at, size);
      }
      side.parts = plan->run(side.parts, work, side.lines, forward);
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

// Transforms a complex tensor along several dims in place; the first transform reads `source`.
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
