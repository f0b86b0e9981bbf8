// SPDX-License-Identifier: Apache-2.0
// The call path from C and C++: boxed and typed no-ops, redispatch, lookup, errors, small tensors.
#include <benchmark/benchmark.h>
#include <dlfcn.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <string>
#include <string_view>

#include <tenon/tenon.hpp>

#include "peers/peer.h"
#include "small_tensors.h"

namespace {

using tenon::Library;
using tenon::Op;
using tenon::Tensor;

// Returns nothing: what is measured is the way there and back.
tenon_status boxed_noop(void*, const tenon_op*, tenon_keyset, tenon_stack*) { return TENON_OK; }

tenon_status below_autograd(void*, const tenon_op* op, tenon_keyset keys, tenon_stack* stack) {
  static const tenon_keyset below = tenon_keyset_below(TENON_KEY_AUTOGRAD);
  return tenon_op_redispatch(op, keys & below, stack);
}

tenon_status fails(void*, const tenon_op*, tenon_keyset, tenon_stack*) {
  return tenon_error_raise(TENON_ERROR_INDEX, "as asked");
}

// One operator a shape of call, registered once for the process.
struct Operators {
  Library library{Library::Def, "bench"};
  Op none = library.def("none(int a) -> ()");
  Op one = library.def("one(Tensor a) -> ()");
  Op two = library.def("two(Tensor a, Tensor b) -> ()");
  Op eight = library.def(
      "eight(Tensor a, Tensor b, Tensor c, Tensor d, Tensor e, Tensor f, Tensor g, Tensor h)"
      " -> ()");
  Op list = library.def("list(Tensor[] tensors) -> ()");
  Op layered = library.def("layered(Tensor a, Tensor b) -> ()");
  Op typed = library.def("typed(Tensor a, Tensor b) -> ()");
  Op typed_layered = library.def("typed_layered(Tensor a, Tensor b) -> ()");
  Op failing = library.def("failing(Tensor a) -> ()");
  Tensor a = Tensor::from({1.0f}, {1});
  Tensor b = Tensor::from({2.0f}, {1});

  Operators() {
    library.impl_boxed("none", TENON_KEY_COMPOSITE_EXPLICIT_AUTOGRAD, &boxed_noop);
    for (const char* name : {"one", "two", "eight", "list", "layered"}) {
      library.impl_boxed(name, TENON_KEY_CPU, &boxed_noop);
    }
    library.impl_boxed("layered", TENON_KEY_AUTOGRAD, &below_autograd);
    library.impl("typed", TENON_KEY_CPU, [](const Tensor&, const Tensor&) {});
    library.impl("typed_layered", TENON_KEY_CPU, [](const Tensor&, const Tensor&) {});
    const auto lower = typed_layered.typed<void(const Tensor&, const Tensor&)>();
    const tenon::KeySet below{tenon_keyset_below(TENON_KEY_AUTOGRAD)};
    library.impl("typed_layered", TENON_KEY_AUTOGRAD,
                 [lower, below](tenon::KeySet keys, const Tensor& a, const Tensor& b) {
                   lower.redispatch(tenon::KeySet{keys.bits & below.bits}, a, b);
                 });
    library.impl_boxed("failing", TENON_KEY_CPU, &fails);
  }
  static Operators& get() {
    static auto* operators = new Operators;
    return *operators;
  }
};

tenon_value boxed(const Tensor& tensor) {
  tenon_value value{};
  value.tag = TENON_TAG_TENSOR;
  value.as.tensor = tensor.get();
  return value;
}

void must(tenon_status status) {
  if (status == TENON_OK) return;
  std::fprintf(stderr, "call_bench: %s\n", tenon_error_message(tenon_error_peek()));
  std::exit(1);
}

template <size_t N>
void call_boxed(benchmark::State& state, const Op& op, std::array<tenon_value, N> args) {
  tenon_stack stack{};
  stack.args = args.data();
  stack.nargs = N;
  must(tenon_op_call_checked(op.get(), &stack));
  for (auto _ : state) {
    benchmark::DoNotOptimize(tenon_op_call(op.get(), &stack));
  }
}

std::array<tenon_value, 2> pair() {
  const Operators& operators = Operators::get();
  return {boxed(operators.a), boxed(operators.b)};
}

// ---- Boxed ------------------------------------------------------------------------------------

void boxed_0_tensors(benchmark::State& state) {
  tenon_value number{};
  number.tag = TENON_TAG_INT;
  number.as.i = 1;
  call_boxed<1>(state, Operators::get().none, {number});
}
BENCHMARK(boxed_0_tensors);

void boxed_1_tensor(benchmark::State& state) {
  const Operators& operators = Operators::get();
  call_boxed<1>(state, operators.one, {boxed(operators.a)});
}
BENCHMARK(boxed_1_tensor);

void boxed_2_tensors(benchmark::State& state) { call_boxed(state, Operators::get().two, pair()); }
BENCHMARK(boxed_2_tensors);

void boxed_8_tensors(benchmark::State& state) {
  const Operators& operators = Operators::get();
  std::array<tenon_value, 8> args;
  args.fill(boxed(operators.a));
  call_boxed(state, operators.eight, args);
}
BENCHMARK(boxed_8_tensors);

void boxed_list_of_8_tensors(benchmark::State& state) {
  const Operators& operators = Operators::get();
  std::array<tenon_tensor*, 8> tensors;
  tensors.fill(operators.a.get());
  tenon_value value{};
  value.tag = TENON_TAG_TENSOR_LIST;
  value.count = tensors.size();
  value.as.list.data = tensors.data();
  call_boxed<1>(state, operators.list, {value});
}
BENCHMARK(boxed_list_of_8_tensors);

void boxed_2_tensors_one_redispatch(benchmark::State& state) {
  call_boxed(state, Operators::get().layered, pair());
}
BENCHMARK(boxed_2_tensors_one_redispatch);

void boxed_2_tensors_checked(benchmark::State& state) {
  const Operators& operators = Operators::get();
  auto args = pair();
  tenon_stack stack{};
  stack.args = args.data();
  stack.nargs = 2;
  for (auto _ : state) {
    benchmark::DoNotOptimize(tenon_op_call_checked(operators.two.get(), &stack));
  }
}
BENCHMARK(boxed_2_tensors_checked);

// ---- Typed ------------------------------------------------------------------------------------

void typed_2_tensors(benchmark::State& state) {
  const Operators& operators = Operators::get();
  const auto typed = operators.typed.typed<void(const Tensor&, const Tensor&)>();
  for (auto _ : state) typed(operators.a, operators.b);
}
BENCHMARK(typed_2_tensors);

void typed_2_tensors_one_redispatch(benchmark::State& state) {
  const Operators& operators = Operators::get();
  const auto typed = operators.typed_layered.typed<void(const Tensor&, const Tensor&)>();
  for (auto _ : state) typed(operators.a, operators.b);
}
BENCHMARK(typed_2_tensors_one_redispatch);

// Typed caller, kernel with a boxed form only.
void typed_2_tensors_boxed_kernel(benchmark::State& state) {
  const Operators& operators = Operators::get();
  const auto typed = operators.two.typed<void(const Tensor&, const Tensor&)>();
  for (auto _ : state) typed(operators.a, operators.b);
}
BENCHMARK(typed_2_tensors_boxed_kernel);

void begin2_and_end(benchmark::State& state) {
  const Operators& operators = Operators::get();
  using Typed = tenon_status (*)(const tenon_frame*, tenon_tensor*, tenon_tensor*);
  for (auto _ : state) {
    tenon_frame frame;
    const tenon_entry* entry =
        tenon_op_begin2(operators.typed.get(), operators.a.get(), operators.b.get(), &frame);
    const auto typed = reinterpret_cast<Typed>(entry->typed);
    const tenon_status status = typed(&frame, operators.a.get(), operators.b.get());
    benchmark::DoNotOptimize(tenon_op_end(&frame, status));
  }
}
BENCHMARK(begin2_and_end);

// ---- Errors, lookup, tensors ------------------------------------------------------------------

void error_made_taken_released(benchmark::State& state) {
  for (auto _ : state) {
    tenon_error_raise(TENON_ERROR_INDEX, "as asked");
    tenon_error_release(tenon_error_take());
  }
}
BENCHMARK(error_made_taken_released);

void failing_kernel(benchmark::State& state) {
  const Operators& operators = Operators::get();
  tenon_value args[1] = {boxed(operators.a)};
  tenon_stack stack{};
  stack.args = args;
  stack.nargs = 1;
  for (auto _ : state) {
    benchmark::DoNotOptimize(tenon_op_call(operators.failing.get(), &stack));
    tenon_error_release(tenon_error_take());
  }
}
BENCHMARK(failing_kernel);

void lookup_by_name(benchmark::State& state) {
  Operators::get();
  const tenon_op* op = nullptr;
  must(tenon_op_find("bench::two", &op));
  for (auto _ : state) benchmark::DoNotOptimize(tenon_op_find("bench::two", &op));
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
  const Operators& operators = Operators::get();
  for (auto _ : state) tenon_tensor_release(tenon_tensor_retain(operators.a.get()));
}
BENCHMARK(retain_and_release);

void aten_add_1_element(benchmark::State& state) {
  const Operators& operators = Operators::get();
  const auto add =
      Op("aten::add.Tensor").typed<Tensor(const Tensor&, const Tensor&, tenon::Scalar)>();
  for (auto _ : state) benchmark::DoNotOptimize(add(operators.a, operators.b, 1).get());
}
BENCHMARK(aten_add_1_element);

// ---- Peers ------------------------------------------------------------------------------------

// Rows that are loops of calls: a peer's loops are inside its shared library.
void run_loop(benchmark::State& state, void (*run)(int64_t), int64_t batch) {
  run(1);
  while (state.KeepRunningBatch(batch)) run(batch);
}

void add_rows(const tenon_bench_peer* rows) {
  for (; rows->name != nullptr; ++rows) {
    const bool large = std::string_view(rows->name).find("large/") != std::string_view::npos;
    benchmark::RegisterBenchmark(rows->name, run_loop, rows->run, large ? 10 : 1000);
  }
}

// TENON_BENCH_PEERS names shared libraries, separated by colons.
void add_peers() {
  const char* variable = std::getenv("TENON_BENCH_PEERS");
  std::istringstream paths(variable != nullptr ? variable : "");
  for (std::string path; std::getline(paths, path, ':');) {
    void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    void* symbol = handle != nullptr ? dlsym(handle, "tenon_bench_peers") : nullptr;
    if (symbol == nullptr) {
      std::fprintf(stderr, "call_bench: %s\n", dlerror());
      std::exit(1);
    }
    add_rows(reinterpret_cast<const tenon_bench_peer* (*)()>(symbol)());
  }
}

}  // namespace

int main(int argc, char** argv) {
  add_rows(small_tensor_rows());
  add_peers();
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
}
