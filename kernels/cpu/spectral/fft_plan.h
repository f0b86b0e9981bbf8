// SPDX-License-Identifier: Apache-2.0
// Discrete Fourier transforms of one length: by small factors (Stockham's algorithm, which needs no
// reordering), or as a convolution of a suitable length (Bluestein's algorithm).
#pragma once

#include <memory>
#include <vector>

#include "kernels/common/maths/element.h"

namespace tenon::kernels::cpu {

// Number of lines that are transformed side by side: those that fit a vector.
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

  // Returns the plan of a size. The plans of the last few sizes are cached.
  static std::shared_ptr<const FftPlan> of(int64_t size);

  // Returns the number of complex numbers of workspace per line.
  int64_t work_size() const {
    if (inner_) return inner_->size_ + inner_->work_size();
    return columns_ ? 2 * size_ : size_;
  }

  // Transforms `lines` lines side by side, without scaling; forward is exp(-2 pi i k j / n).
  // Returns the location of the result: the input, or `work`, which has 2 * work_size() * lines
  // numbers.
  FftParts<R> run(FftParts<R> parts, R* work, int64_t lines, bool forward) const;
  // Returns true if lines are transformed separately, because several side by side would exceed the
  // nearer caches.
  bool is_alone() const { return columns_ != nullptr && size_ * kFftSide<R> > kNearNumbers; }

 private:
  // Number of complex numbers that fit into the nearer caches together with their transforms.
  // Measured.
  static constexpr int64_t kNearNumbers = 16384;

  using Parts = FftParts<R>;
  struct Pass {
    int64_t radix;
    int64_t length;  // length of the transforms that the pass splits
    size_t turns;    // index of its roots of unity in `turns_`
  };
  void split();
  Parts run_forward(Parts from, R* work, int64_t lines) const;
  Parts run_split(Parts parts, R* work) const;
  void turn_columns(const Parts& from, const Parts& to) const;
  // Overwrites `parts` with the result.
  void run_chirp(const Parts& parts, R* work, int64_t lines) const;

  int64_t size_;
  std::vector<Pass> passes_;
  // For each pass: roots of unity of its length, then of its radix.
  std::vector<Complex<R>> turns_;
  // Plan of the convolution, if the size has large factors.
  std::unique_ptr<FftPlan> inner_;
  std::unique_ptr<FftPlan> columns_, rows_;  // plans of a line that is split
  std::vector<R> roots_re_, roots_im_;       // roots that multiply its elements between both steps
  std::vector<Complex<R>> chirp_;            // factors of the convolution
  std::vector<Complex<R>> kernel_;           // transformed kernel of the convolution
};

}  // namespace tenon::kernels::cpu
