// SPDX-License-Identifier: Apache-2.0
// Overlap tests from bounds and strides.
#include "kernels/common/overlap.h"

#include "kernels/common/call.h"

namespace tenon::kernels {
namespace {

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
    const Sizes strides_a = strides_of(a);
    const Sizes strides_b = strides_of(b);
    const bool same =
        std::equal(strides_a.begin(), strides_a.end(), strides_b.begin(), strides_b.end());
    return same ? Overlap::Full : Overlap::Partial;
  }
  return begin_a < end_b && begin_b < end_a ? Overlap::Partial : Overlap::None;
}

}  // namespace

void check_no_internal_overlap(const char* op, const tenon_tensor_info& output) {
  for (int32_t i = 0; i < output.ndim; ++i) {
    if (output.strides[i] == 0 && output.sizes[i] > 1) [[unlikely]] {
      fail(TENON_ERROR_INVALID_ARGUMENT,
           {op, ": output must have each element at a place of its own, got sizes ",
            sizes_of(output), " with strides ", strides_of(output), "; clone() it first"});
    }
  }
}

void check_no_partial_overlap(const char* op, const tenon_tensor_info& output,
                              const tenon_tensor_info& input) {
  if (compare(output, input) == Overlap::Partial) [[unlikely]] {
    fail(TENON_ERROR_INVALID_ARGUMENT,
         {op,
          ": output must not overlap an input in part, got two views that share some memory; "
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
