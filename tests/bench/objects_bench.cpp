// SPDX-License-Identifier: Apache-2.0
// Benchmarks of operations around calls: errors, lookup by name, creating and retaining tensors.
#include "call_bench.h"

namespace bench {
namespace {

tenon_status fails(void*, const tenon_op*, tenon_keyset, tenon_stack*) {
  return tenon_error_raise(TENON_ERROR_INDEX, "as asked");
}

struct Operators {
  Library library{Library::Def, "bench_objects"};
  Op failing = library.def("failing(Tensor a) -> ()");

  Operators() { library.impl_boxed("failing", TENON_KEY_CPU, &fails); }
};

const Op& failing() {
  static const auto* operators = new Operators;
  return operators->failing;
}

void error_made_taken_released(benchmark::State& state) {
  for (auto _ : state) {
    tenon_error_raise(TENON_ERROR_INDEX, "as asked");
    tenon_error_release(tenon_error_take());
  }
}
BENCHMARK(error_made_taken_released);

void failing_kernel(benchmark::State& state) {
  tenon_value args[1] = {boxed(tensors()[0])};
  tenon_stack stack{};
  stack.args = args;
  stack.nargs = 1;
  for (auto _ : state) {
    benchmark::DoNotOptimize(tenon_op_call_fast(failing().get(), &stack));
    tenon_error_release(tenon_error_take());
  }
}
BENCHMARK(failing_kernel);

void lookup_by_name(benchmark::State& state) {
  failing();
  const tenon_op* op = nullptr;
  must(tenon_op_find("bench_objects::failing", &op));
  for (auto _ : state) benchmark::DoNotOptimize(tenon_op_find("bench_objects::failing", &op));
}
BENCHMARK(lookup_by_name);

void new_and_release_1_element_tensor(benchmark::State& state) {
  const int64_t size = 1;
  for (auto _ : state) {
    tenon_tensor* tensor = nullptr;
    tenon_tensor_new(TENON_DTYPE_F32, nullptr, 1, &size, nullptr, &tensor);
    tenon_tensor_release(tensor);
  }
}
BENCHMARK(new_and_release_1_element_tensor);

void retain_and_release(benchmark::State& state) {
  for (auto _ : state) tenon_tensor_release(tenon_tensor_retain(tensors()[0].get()));
}
BENCHMARK(retain_and_release);

void aten_add_1_element(benchmark::State& state) {
  const auto add =
      Op("aten::add.Tensor").typed<Tensor(const Tensor&, const Tensor&, tenon::Scalar)>();
  for (auto _ : state) benchmark::DoNotOptimize(add(tensors()[0], tensors()[1], 1).get());
}
BENCHMARK(aten_add_1_element);

}  // namespace
}  // namespace bench
