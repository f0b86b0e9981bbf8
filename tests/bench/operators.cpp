// SPDX-License-Identifier: Apache-2.0
// A plugin of operators that do almost nothing, for the Python and Java benchmarks.
#include <tenon/tenon.hpp>

using tenon::Tensor;

namespace {

void nothing(const Tensor&, const Tensor&) {}

void scaled(const Tensor&, const Tensor&, const tenon::Scalar&) {}

Tensor first(const Tensor& a, const Tensor&) { return a; }

Tensor fresh(const Tensor& a, const Tensor&) { return Tensor::empty(a.sizes(), a.dtype()); }

Tensor scalars(const Tensor& a, int64_t, double) { return a; }

Tensor listed(tenon::TensorList list) { return list[0]; }

tenon_status fails(void*, const tenon_op*, tenon_keyset, tenon_stack*) {
  return tenon_error_raise(TENON_ERROR_INDEX, "as asked");
}

// These kernels are fast and never block, so a binding need not release its interpreter lock.
constexpr tenon::KernelOptions kQuick{.noblock_max_numel = 1 << 20};

}  // namespace

TENON_LIBRARY(tenon_bench, m) {
  m.def("nothing(Tensor a, Tensor b) -> ()");
  m.def("scaled(Tensor a, Tensor b, *, Scalar alpha=1) -> ()");
  m.def("first(Tensor a, Tensor b) -> Tensor");
  m.def("fresh(Tensor a, Tensor b) -> Tensor");
  m.def("waiting(Tensor a, Tensor b) -> Tensor");
  m.def("scalars(Tensor a, int n=1, *, float alpha=1.0) -> Tensor");
  m.def("listed(Tensor[] list) -> Tensor");
  m.def("fails(Tensor a) -> ()");
  m.impl("nothing", TENON_KEY_CPU, &nothing, kQuick);
  m.impl("scaled", TENON_KEY_CPU, &scaled, kQuick);
  m.impl("first", TENON_KEY_CPU, &first, kQuick);
  m.impl("fresh", TENON_KEY_CPU, &fresh, kQuick);
  m.impl("waiting", TENON_KEY_CPU, &first);
  m.impl("scalars", TENON_KEY_CPU, &scalars, kQuick);
  m.impl("listed", TENON_KEY_CPU, &listed, kQuick);
  m.impl_boxed("fails", TENON_KEY_CPU, &fails, nullptr, nullptr, kQuick);
}

TENON_PLUGIN("tenon_bench_operators", "0.1.0");
