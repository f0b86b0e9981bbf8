// SPDX-License-Identifier: Apache-2.0
// Discrete Fourier transforms of one length: by small factors (Stockham's order, nothing is put
// in another order after), other lengths as a convolution of a length that has them (Bluestein).
#pragma once

#include <memory>
#include <vector>

#include "kernels/common/maths/element.h"

namespace tenon::kernels::cpu {

// So many lines are best transformed side by side: what a vector holds.
template <class R>
inline constexpr int64_t kFftSide = 64 / sizeof(R);

// Real and imaginary parts of lines side by side: element k of line i is at k * lines + i.
template <class R>
struct FftParts {
  R* re;
  R* im;
};

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

  // Transforms `lines` lines side by side, and says where the result is: there, or in `work`, which
  // has 2 * work_size() * lines numbers. Without scale; forward is exp(-2 pi i k j / n).
  FftParts<R> run(FftParts<R> parts, R* work, int64_t lines, bool forward) const;
  // Whether a line is transformed by itself rather than beside others, where these would leave the
  // nearer caches.
  bool is_alone() const { return columns_ != nullptr && size_ * kFftSide<R> > kNearNumbers; }

 private:
  // So many complex numbers stay near, with as many that they become. Measured.
  static constexpr int64_t kNearNumbers = 16384;

  using Parts = FftParts<R>;
  struct Pass {
    int64_t radix;
    int64_t length;  // of what is split by it
    size_t turns;    // where its roots of unity begin
  };
  void split();
  Parts run_forward(Parts from, R* work, int64_t lines) const;
  Parts run_split(Parts parts, R* work) const;
  void turn_columns(const Parts& from, const Parts& to) const;
  void run_chirp(const Parts& parts, R* work, int64_t lines) const;  // the result replaces them

  int64_t size_;
  std::vector<Pass> passes_;
  std::vector<Complex<R>> turns_;            // of each pass: roots of its length, then of its radix
  std::unique_ptr<FftPlan> inner_;           // of a convolution, where the size has large factors
  std::unique_ptr<FftPlan> columns_, rows_;  // of a line that is split
  std::vector<R> roots_re_, roots_im_;       // by which its numbers are turned in between
  std::vector<Complex<R>> chirp_;            // of a convolution
  std::vector<Complex<R>> kernel_;           // transformed
};

}  // namespace tenon::kernels::cpu
