// SPDX-License-Identifier: Apache-2.0
// Discrete Fourier transforms of one length: by small factors (Stockham's order, nothing is put
// in another order after), other lengths as a convolution of a length that has them (Bluestein).
#pragma once

#include <memory>
#include <vector>

#include "kernels/common/element.h"

namespace tenon::kernels::cpu {

template <class R>
class FftPlan {
 public:
  explicit FftPlan(int64_t size);

  // Kept from call to call, for the last few sizes.
  static std::shared_ptr<const FftPlan> of(int64_t size);

  // So many complex numbers of each line are worked with.
  int64_t work_size() const {
    if (inner_) return inner_->size_ + inner_->work_size();
    return columns_ ? 2 * size_ : size_;
  }

  // Transforms `lines` lines side by side: the parts of element k of line i are re[k * lines + i]
  // and im[k * lines + i]. `work` has 2 * work_size() * lines numbers. Without scale; forward is
  // exp(-2 pi i k j / n).
  void run(R* re, R* im, R* work, int64_t lines, bool forward) const;
  // Whether a line is transformed as well by itself as beside others.
  bool is_split() const { return columns_ != nullptr; }

 private:
  struct Pass {
    int64_t radix;
    int64_t length;  // of what is split by it
    size_t turns;    // where its roots of unity begin
  };
  void split(const std::vector<int64_t>& radixes);
  void run_forward(R* re, R* im, R* work, int64_t lines) const;
  void run_split(R* re, R* im, R* work) const;
  void run_chirp(R* re, R* im, R* work, int64_t lines) const;

  int64_t size_;
  std::vector<Pass> passes_;
  std::vector<Complex<R>> turns_;            // of each pass: roots of its length, then of its radix
  std::unique_ptr<FftPlan> inner_;           // of a convolution, where the size has large factors
  std::unique_ptr<FftPlan> columns_, rows_;  // of a line that is split
  std::vector<Complex<R>> chirp_;            // what elements of either are turned by in between
  std::vector<Complex<R>> kernel_;           // transformed
};

}  // namespace tenon::kernels::cpu
