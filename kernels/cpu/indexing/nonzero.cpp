// SPDX-License-Identifier: Apache-2.0
// aten::nonzero and aten::nonzero_static on the CPU.
#include "kernels/ops/indexing/nonzero.h"

#include "kernels/common/checked_size.h"
#include "kernels/common/overlap.h"
#include "kernels/cpu/loops/loops.h"
#include "kernels/cpu/routine_of.h"

namespace tenon::kernels::cpu {
namespace {

template <class T>
bool is_zero(const char* at) {
  const auto element = load<T>(at);
  if constexpr (is_complex_element<T>) {
    return element.real() == 0 && element.imag() == 0;
  } else {
    return element == Compute<T>(0);
  }
}

// Calls `found(index)` with the index per dim of each nonzero element.
template <class T, class Found>
void each_nonzero(const tenon_tensor_info& info, Found&& found) {
  if (info.numel == 0) return;
  int64_t index[kMaxDims] = {};
  const char* at = static_cast<const char*>(info.data);
  for (;;) {
    if (!is_zero<T>(at)) found(index);
    int32_t d = info.ndim - 1;
    for (; d >= 0; --d) {
      const int64_t stride = wrapped_product(info.strides[d], static_cast<int64_t>(sizeof(T)));
      if (++index[d] < info.sizes[d]) {
        at += stride;
        break;
      }
      at -= stride * (info.sizes[d] - 1);
      index[d] = 0;
    }
    if (d < 0) return;
  }
}

template <class T>
void write_indices(const tenon_tensor_info& self, const tenon_tensor_info& result) {
  auto* row = static_cast<int64_t*>(result.data);
  each_nonzero<T>(self, [&](const int64_t* index) {
    for (int32_t d = 0; d < self.ndim; ++d) row[d * result.strides[1]] = index[d];
    row += result.strides[0];
  });
}

// Writes one row for each nonzero element until the result is full; remaining rows get `fill`.
template <class T>
void write_rows(const tenon_tensor_info& self, const tenon_tensor_info& result, int64_t fill) {
  auto* row = static_cast<int64_t*>(result.data);
  int64_t left = result.sizes[0];
  each_nonzero<T>(self, [&](const int64_t* index) {
    if (left == 0) return;
    for (int32_t d = 0; d < self.ndim; ++d) row[d * result.strides[1]] = index[d];
    row += result.strides[0];
    --left;
  });
  for (; left > 0; --left) {
    for (int32_t d = 0; d < self.ndim; ++d) row[d * result.strides[1]] = fill;
    row += result.strides[0];
  }
}

void nonzero_static(const Call& call) {
  Tensor result = nonzero_static_result(call);
  const tenon_tensor_info self = call.get<Tensor>(0)->info(), info = result.info();
  visit(call.op(), "self", dtype_of_info(self), Joined<BoolType, NumberTypes>(),
        [&]<class T>(Element<T>) {
          if (info.numel != 0) write_rows<T>(self, info, call.get<int64_t>(2));
        });
  if (call.form.is_functional()) call.give(0, std::move(result));
}

void nonzero(const Call& call) {
  const auto self = call.get<Tensor>(0);
  const tenon_tensor_info info = self->info();
  check_defined(call.op(), "self", info);
  if (!call.form.is_functional()) {
    check_no_overlap(call.op(), call.get<Tensor>(1)->info(), info);
  }
  visit(call.op(), "self", dtype_of_info(info), Joined<BoolType, NumberTypes>(),
        [&]<class T>(Element<T>) {
          int64_t count = 0;
          each_nonzero<T>(info, [&](const int64_t*) { ++count; });
          const int64_t sizes[] = {count, info.ndim};
          // The indices of one dim are adjacent in memory.
          const int64_t strides[] = {1, count};
          Tensor result = result_for(call, sizes, Dtype::I64, Device(info.device), strides);
          if (count != 0 && info.ndim != 0) write_indices<T>(info, result.info());
          if (call.form.is_functional()) call.give(0, std::move(result));
        });
}

}  // namespace

Operator operator_kNonzero() { return routine_of<ops::kNonzero, &nonzero>(); }
Operator operator_kNonzeroStatic() { return routine_of<ops::kNonzeroStatic, &nonzero_static>(); }

}  // namespace tenon::kernels::cpu
