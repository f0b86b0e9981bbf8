// SPDX-License-Identifier: Apache-2.0
// Batches of matrices in LAPACK's layout: column-major and contiguous.
#pragma once

#include <cmath>
#include <limits>
#include <optional>

#include "kernels/cpu/linalg/lapack.h"
#include "kernels/cpu/loops/cast.h"
#include "kernels/ops/linalg/matrices.h"

namespace tenon::kernels::cpu {

// Column-major matrices for LAPACK, for a tensor that may have another layout.
class ColumnMajor {
 public:
  // Makes matrices with these sizes in a new tensor.
  ColumnMajor(Sizes sizes, Dtype dtype) { allocate(sizes, dtype); }
  // Makes matrices for a result: in the result itself if it has the layout.
  explicit ColumnMajor(const Tensor& result);

  ColumnMajor(const ColumnMajor&) = delete;
  ColumnMajor& operator=(const ColumnMajor&) = delete;

  // Copies the elements of a tensor that broadcasts to these sizes.
  void take(const Tensor& source) { cast(work_.info(), source.info()); }
  // Writes a result of these sizes; vectors if each matrix is one column, or transposes.
  void give(const Tensor& result, bool is_vector, bool is_turned) const;
  // Copies to the result, unless it is the same memory.
  void finish() {
    if (result_) cast(result_->info(), work_.info());
  }
  int64_t rows() const { return work_.size(-2); }
  int64_t columns() const { return work_.size(-1); }
  int64_t count() const {
    const int64_t each = rows() * columns();
    return each == 0 ? numel_of(batch_sizes(work_.sizes())) : work_.numel() / each;
  }
  template <class T>
  T* matrix(int64_t k) const {
    return static_cast<T*>(work_.raw_data()) + k * rows() * columns();
  }
  // Returns the leading dimension, which LAPACK requires to be at least 1.
  int lead() const { return static_cast<int>(std::max<int64_t>(rows(), 1)); }

 private:
  void allocate(Sizes sizes, Dtype dtype) {
    work_ = Tensor::empty(sizes, dtype, {}, column_major_strides(sizes));
  }

  Tensor work_;
  std::optional<Tensor> result_;
};

// Refuses infinities and NaN, for which some of LAPACK's iterations do not terminate.
template <class T>
void check_finite(const char* op, const char* name, const ColumnMajor& a) {
  using R = Real<T>;
  const auto* const parts = reinterpret_cast<const R*>(a.matrix<T>(0));
  const int64_t count = a.count() * a.rows() * a.columns() * int64_t{sizeof(T) / sizeof(R)};
  for (int64_t i = 0; i < count; ++i) {
    if (!std::isfinite(parts[i])) {
      fail_argument(op, name, "have finite elements", Scalar(static_cast<double>(parts[i])));
    }
  }
}

inline ColumnMajor::ColumnMajor(const Tensor& result) {
  const Dims wanted = column_major_strides(result.sizes());
  bool is_so = true;
  for (int64_t dim = 0; dim < wanted.size(); ++dim) {
    is_so = is_so &&
            (result.size(dim) <= 1 || result.strides()[static_cast<size_t>(dim)] == wanted[dim]);
  }
  if (is_so) {
    work_ = result;
    return;
  }
  allocate(result.sizes(), result.dtype());
  result_ = result;
}

inline void ColumnMajor::give(const Tensor& result, bool is_vector, bool is_turned) const {
  Tensor whole = is_turned ? turned_alias(work_) : work_;
  if (is_vector) {
    Dims strides(work_.strides());
    strides.erase(strides.size() - 1);
    whole = work_.alias(result.sizes(), strides, 0);
  }
  cast(result.info(), whole.info());
}

// Refuses sizes that do not fit LAPACK's integers.
inline int lapack_size(const char* op, int64_t size) {
  if (size > std::numeric_limits<int>::max()) {
    fail(TENON_ERROR_NOT_SUPPORTED, {op, ": matrices must have fewer than 2^31 rows, got ", size});
  }
  return static_cast<int>(size);
}

// Results that are a small vector per matrix, int32 or real and row-major; an `out` may have
// another layout.
template <class T>
class Rows {
 public:
  explicit Rows(const Tensor& result) : result_(result) {
    work_ = result.is_contiguous() ? result : Tensor::empty(result.sizes(), result.dtype());
  }
  T* data() const { return static_cast<T*>(work_.raw_data()); }
  void finish() {
    if (work_.get() != result_.get()) cast(result_.info(), work_.info());
  }

 private:
  Tensor result_;
  Tensor work_;
};

// Throws "<op>: <what>" for the first matrix of a batch whose info is not 0.
inline void check_info(const char* op, const int32_t* info, int64_t count, const char* what) {
  for (int64_t k = 0; k < count; ++k) {
    if (info[k] == 0) continue;
    if (count == 1) {
      fail(TENON_ERROR_INVALID_ARGUMENT, {op, ": ", what, " at ", info[k]});
    }
    fail(TENON_ERROR_INVALID_ARGUMENT,
         {op, ": ", what, " at ", info[k], " in matrix ", k, " of the batch"});
  }
}

}  // namespace tenon::kernels::cpu
