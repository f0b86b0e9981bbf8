// SPDX-License-Identifier: Apache-2.0
// Overlap tests based on bounds and strides.
#include "kernels/common/overlap.h"

#include <cstdlib>
#include <numeric>

#include "kernels/common/call.h"

namespace tenon::kernels {
namespace {

// Decides whether two different indices of a view address the same element. This is the case if
// some steps along its dims, fewer than each dim's size and not all zero, add up to a distance of
// zero.
class SelfOverlap {
 public:
  SelfOverlap(Sizes sizes, Sizes strides) {
    for (size_t d = 0; d < sizes.size(); ++d) {
      if (sizes[d] > 1) dims_[count_++] = {std::abs(strides[d]), sizes[d] - 1};
    }
    std::sort(dims_, dims_ + count_,
              [](const Dim& a, const Dim& b) { return a.stride < b.stride; });
  }

  bool exists() {
    if (count_ != 0 && dims_[0].stride == 0) return true;
    int64_t reach = 0;
    int64_t divisor = 0;
    bool nested = true;
    for (int k = 0; k < count_; ++k) {
      nested = nested && dims_[k].stride > reach;
      reaches_[k] = reach;
      divisors_[k] = divisor;
      reach += dims_[k].stride * dims_[k].most;
      divisor = std::gcd(divisor, dims_[k].stride);
    }
    if (nested) return false;  // each stride exceeds the reach of all smaller ones
    // Search for steps that cancel. Those of the outermost dim may be assumed to be positive, since
    // negating all steps describes the same pair of indices.
    for (int k = 1; k < count_; ++k) {
      for (int64_t steps = 1; steps <= dims_[k].most; ++steps) {
        const int64_t distance = steps * dims_[k].stride;
        if (distance > reaches_[k]) break;
        if (can_reach(k, distance)) return true;
      }
    }
    return false;
  }

 private:
  struct Dim {
    int64_t stride;
    int64_t most;  // number of steps
  };
  // Limit of the search. Layouts in practice need far fewer tries; beyond the limit, the view is
  // treated as overlapping.
  static constexpr int64_t kMostTries = 1'000'000;

  // Returns true if steps along the dims before the k-th add up to `distance`.
  bool can_reach(int k, int64_t distance) {
    if (distance == 0) return true;
    if (k == 0 || std::abs(distance) > reaches_[k] || distance % divisors_[k] != 0) return false;
    const Dim& dim = dims_[k - 1];
    if (k == 1) return true;  // a multiple of its stride, within reach
    if (++tries_ > kMostTries) return true;
    const int64_t below = reaches_[k - 1];
    // Only steps in this range leave a remainder within the reach of the preceding dims.
    const int64_t middle = distance / dim.stride;
    const int64_t around = below / dim.stride + 1;
    const int64_t first = std::max(-dim.most, middle - around);
    const int64_t last = std::min(dim.most, middle + around);
    for (int64_t steps = first; steps <= last; ++steps) {
      if (can_reach(k - 1, distance - steps * dim.stride)) return true;
    }
    return false;
  }

  Dim dims_[kMaxDims];
  int64_t reaches_[kMaxDims];   // combined reach of the preceding dims
  int64_t divisors_[kMaxDims];  // greatest common divisor of their strides
  int count_ = 0;
  int64_t tries_ = 0;
};

// Returns true if two views of the same memory address its elements in the same order. Strides of
// dims of size 1 are ignored.
bool have_same_layout(const tenon_tensor_info& a, const tenon_tensor_info& b) {
  int32_t i = 0, j = 0;
  while (true) {
    while (i < a.ndim && a.sizes[i] == 1) ++i;
    while (j < b.ndim && b.sizes[j] == 1) ++j;
    if (i == a.ndim || j == b.ndim) return i == a.ndim && j == b.ndim;
    if (a.sizes[i] != b.sizes[j] || a.strides[i] != b.strides[j]) return false;
    ++i, ++j;
  }
}

bool is_dense(const tenon_tensor_info& info) {
  return is_contiguous(info) || is_non_overlapping_and_dense(sizes_of(info), strides_of(info));
}

enum class Overlap { None, Full, Partial, Unknown };

Overlap compare(const tenon_tensor_info& a, const tenon_tensor_info& b) {
  if (a.data == nullptr || b.data == nullptr || a.numel == 0 || b.numel == 0) return Overlap::None;
  if (!is_dense(a) || !is_dense(b)) return Overlap::Unknown;
  const auto begin_a = reinterpret_cast<uintptr_t>(a.data);
  const auto begin_b = reinterpret_cast<uintptr_t>(b.data);
  const uintptr_t end_a = begin_a + static_cast<uintptr_t>(a.numel * size_of(dtype_of_info(a)));
  const uintptr_t end_b = begin_b + static_cast<uintptr_t>(b.numel * size_of(dtype_of_info(b)));
  if (begin_a == begin_b && end_a == end_b) {
    return have_same_layout(a, b) ? Overlap::Full : Overlap::Partial;
  }
  return begin_a < end_b && begin_b < end_a ? Overlap::Partial : Overlap::None;
}

}  // namespace

void check_no_internal_overlap(const char* op, const tenon_tensor_info& output) {
  if (is_contiguous(output) || output.numel < 2) return;
  if (SelfOverlap(sizes_of(output), strides_of(output)).exists()) [[unlikely]] {
    fail(TENON_ERROR_INVALID_ARGUMENT,
         {op, ": output must have each element at its own memory location, got sizes ",
          sizes_of(output), " with strides ", strides_of(output), "; clone() it first"});
  }
}

void check_no_partial_overlap(const char* op, const tenon_tensor_info& output,
                              const tenon_tensor_info& input) {
  if (compare(output, input) == Overlap::Partial) [[unlikely]] {
    fail(TENON_ERROR_INVALID_ARGUMENT,
         {op,
          ": output must not partially overlap an input, got two views that share some memory; "
          "clone() one of them first"});
  }
}

void check_outputs_apart(const char* op, const tenon_tensor_info& a, const tenon_tensor_info& b) {
  const Overlap overlap = compare(a, b);
  if (overlap == Overlap::Partial || overlap == Overlap::Full) [[unlikely]] {
    fail(TENON_ERROR_INVALID_ARGUMENT,
         {op, ": outputs must not share memory, got two views of the same; clone() one of them"});
  }
}

void check_no_overlap(const char* op, const tenon_tensor_info& output,
                      const tenon_tensor_info& input) {
  const Overlap overlap = compare(output, input);
  if (overlap == Overlap::Partial || overlap == Overlap::Full) [[unlikely]] {
    fail(TENON_ERROR_INVALID_ARGUMENT,
         {op, ": output must not share memory with an input; clone() one of them first"});
  }
}

void check_written_apart(const Call& call, const tenon_tensor_info& input) {
  if (call.form.is_functional()) return;
  check_no_overlap(call.op(), Tensor::retain(call.written()).info(), input);
}

}  // namespace tenon::kernels
