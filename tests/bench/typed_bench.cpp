// SPDX-License-Identifier: Apache-2.0
// Typed calls of a no-op through tenon.hpp: by number and kind of arguments.
#include <optional>

#include "call_bench.h"

namespace bench {
namespace {

using tenon::Sizes;
using tenon::TensorList;

using One = void(const Tensor&);
using Optional = void(const Tensor&, tenon::OptionalTensor);
using Two = void(const Tensor&, const Tensor&);
using Three = void(const Tensor&, const Tensor&, const Tensor&);
using Eight = void(const Tensor&, const Tensor&, const Tensor&, const Tensor&, const Tensor&,
                   const Tensor&, const Tensor&, const Tensor&);

// One operator per shape of call.
struct Operators {
  Library library{Library::Def, "bench_typed"};
  Op none = library.def("none(int a) -> int");
  Op one = library.def("one(Tensor a) -> ()");
  Op two = library.def("two(Tensor a, Tensor b) -> ()");
  Op three = library.def("three(Tensor a, Tensor b, Tensor c) -> ()");
  Op eight = library.def(
      "eight(Tensor a, Tensor b, Tensor c, Tensor d, Tensor e, Tensor f, Tensor g, Tensor h)"
      " -> ()");
  Op list = library.def("list(Tensor[] tensors) -> ()");
  Op optional = library.def("optional(Tensor a, Tensor? b) -> ()");
  Op mixed = library.def("mixed(Tensor a, int[] sizes, float? scale, bool flag) -> ()");
  Op first = library.def("first(Tensor a, Tensor b) -> Tensor");

  Operators() {
    library.impl("none", TENON_KEY_COMPOSITE_EXPLICIT_AUTOGRAD, [](int64_t a) { return a; });
    library.impl("one", TENON_KEY_CPU, [](const Tensor&) {});
    library.impl("two", TENON_KEY_CPU, [](const Tensor&, const Tensor&) {});
    library.impl("three", TENON_KEY_CPU, [](const Tensor&, const Tensor&, const Tensor&) {});
    library.impl("eight", TENON_KEY_CPU,
                 [](const Tensor&, const Tensor&, const Tensor&, const Tensor&, const Tensor&,
                    const Tensor&, const Tensor&, const Tensor&) {});
    library.impl("list", TENON_KEY_CPU, [](TensorList) {});
    library.impl("optional", TENON_KEY_CPU, [](const Tensor&, tenon::OptionalTensor) {});
    library.impl("mixed", TENON_KEY_CPU, [](const Tensor&, Sizes, std::optional<double>, bool) {});
    library.impl("first", TENON_KEY_CPU, [](const Tensor& a, const Tensor&) { return a; });
  }
  static const Operators& get() {
    static const auto* operators = new Operators;
    return *operators;
  }
};

void typed_0_tensors(benchmark::State& state) {
  const auto op = Operators::get().none.typed<int64_t(int64_t)>();
  for (auto _ : state) benchmark::DoNotOptimize(op(1));
}
BENCHMARK(typed_0_tensors);

void typed_1_tensor(benchmark::State& state) {
  const auto op = Operators::get().one.typed<One>();
  for (auto _ : state) op(tensors()[0]);
}
BENCHMARK(typed_1_tensor);

void typed_2_tensors(benchmark::State& state) {
  const auto op = Operators::get().two.typed<Two>();
  const auto& [a, b] = tensors();
  for (auto _ : state) op(a, b);
}
BENCHMARK(typed_2_tensors);

void typed_3_tensors(benchmark::State& state) {
  const auto op = Operators::get().three.typed<Three>();
  const auto& [a, b] = tensors();
  for (auto _ : state) op(a, b, a);
}
BENCHMARK(typed_3_tensors);

void typed_8_tensors(benchmark::State& state) {
  const auto op = Operators::get().eight.typed<Eight>();
  const auto& [a, b] = tensors();
  for (auto _ : state) op(a, b, a, b, a, b, a, b);
}
BENCHMARK(typed_8_tensors);

void typed_list_of_8_tensors(benchmark::State& state) {
  const auto op = Operators::get().list.typed<void(TensorList)>();
  std::array<tenon_tensor*, 8> handles;
  handles.fill(tensors()[0].get());
  for (auto _ : state) op(TensorList(handles.data(), handles.size()));
}
BENCHMARK(typed_list_of_8_tensors);

void typed_optional_tensor(benchmark::State& state) {
  const auto op = Operators::get().optional.typed<Optional>();
  const auto& [a, b] = tensors();
  for (auto _ : state) op(a, b);
}
BENCHMARK(typed_optional_tensor);

void typed_optional_tensor_absent(benchmark::State& state) {
  const auto op = Operators::get().optional.typed<Optional>();
  for (auto _ : state) op(tensors()[0], nullptr);
}
BENCHMARK(typed_optional_tensor_absent);

void typed_mixed(benchmark::State& state) {
  using Mixed = void(const Tensor&, Sizes, std::optional<double>, bool);
  const auto op = Operators::get().mixed.typed<Mixed>();
  const std::array<int64_t, 2> sizes{2, 3};
  for (auto _ : state) op(tensors()[0], Sizes(sizes), 0.5, false);
}
BENCHMARK(typed_mixed);

void typed_2_tensors_returning_argument(benchmark::State& state) {
  const auto op = Operators::get().first.typed<Tensor(const Tensor&, const Tensor&)>();
  for (auto _ : state) benchmark::DoNotOptimize(op(tensors()[0], tensors()[1]).get());
}
BENCHMARK(typed_2_tensors_returning_argument);

// A boxed caller and a kernel with both forms: uses the adapter that tenon.hpp makes.
void boxed_2_tensors_typed_kernel(benchmark::State& state) {
  call_boxed(state, Operators::get().two, two_boxed());
}
BENCHMARK(boxed_2_tensors_typed_kernel);

// The C functions that a binding calls.
void begin2_and_end(benchmark::State& state) {
  const auto& [a, b] = tensors();
  using Typed = tenon_status (*)(const tenon_frame*, tenon_tensor*, tenon_tensor*);
  for (auto _ : state) {
    tenon_frame frame;
    const tenon_entry* entry =
        tenon_frame_begin2(Operators::get().two.get(), a.get(), b.get(), &frame);
    const auto typed = reinterpret_cast<Typed>(entry->typed);
    const tenon_status status = typed(&frame, a.get(), b.get());
    benchmark::DoNotOptimize(tenon_frame_end(&frame, status));
  }
}
BENCHMARK(begin2_and_end);

}  // namespace
}  // namespace bench
