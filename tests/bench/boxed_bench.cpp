// SPDX-License-Identifier: Apache-2.0
// Boxed calls of a no-op: by number and kind of arguments, checked and unchecked.
#include "call_bench.h"

namespace bench {
namespace {

// One operator per shape of call.
struct Operators {
  Library library{Library::Def, "bench_boxed"};
  Op none = noop("none(int a) -> ()", TENON_KEY_COMPOSITE_EXPLICIT_AUTOGRAD);
  Op one = noop("one(Tensor a) -> ()");
  Op two = noop("two(Tensor a, Tensor b) -> ()");
  Op eight = noop(
      "eight(Tensor a, Tensor b, Tensor c, Tensor d, Tensor e, Tensor f, Tensor g, Tensor h)"
      " -> ()");
  Op list = noop("list(Tensor[] tensors) -> ()");
  Op optional = noop("optional(Tensor a, Tensor? b) -> ()");
  Op mixed = noop("mixed(Tensor a, int[] sizes, float? scale=None, *, bool flag=False) -> ()");

  Op noop(const char* schema, tenon_key key = TENON_KEY_CPU) {
    Op op = library.def(schema);
    library.impl_boxed(tenon_op_name(op.get()), key, &boxed_noop);
    return op;
  }
  static const Operators& get() {
    static const auto* operators = new Operators;
    return *operators;
  }
};

void boxed_0_tensors(benchmark::State& state) {
  tenon_value number{};
  number.tag = TENON_TAG_INT;
  number.as.i = 1;
  call_boxed<1>(state, Operators::get().none, {number});
}
BENCHMARK(boxed_0_tensors);

void boxed_1_tensor(benchmark::State& state) {
  call_boxed<1>(state, Operators::get().one, {boxed(tensors()[0])});
}
BENCHMARK(boxed_1_tensor);

void boxed_2_tensors(benchmark::State& state) {
  call_boxed(state, Operators::get().two, two_boxed());
}
BENCHMARK(boxed_2_tensors);

void boxed_8_tensors(benchmark::State& state) {
  std::array<tenon_value, 8> args;
  args.fill(boxed(tensors()[0]));
  call_boxed(state, Operators::get().eight, args);
}
BENCHMARK(boxed_8_tensors);

void boxed_list_of_8_tensors(benchmark::State& state) {
  std::array<tenon_tensor*, 8> handles;
  handles.fill(tensors()[0].get());
  tenon_value value{};
  value.tag = TENON_TAG_TENSOR_LIST;
  value.count = handles.size();
  value.as.list.data = handles.data();
  call_boxed<1>(state, Operators::get().list, {value});
}
BENCHMARK(boxed_list_of_8_tensors);

void boxed_optional_tensor(benchmark::State& state) {
  call_boxed(state, Operators::get().optional, two_boxed());
}
BENCHMARK(boxed_optional_tensor);

void boxed_optional_tensor_absent(benchmark::State& state) {
  call_boxed<2>(state, Operators::get().optional, {boxed(tensors()[0]), tenon_value{}});
}
BENCHMARK(boxed_optional_tensor_absent);

std::array<tenon_value, 4> mixed_args(std::array<int64_t, 2>& sizes) {
  std::array<tenon_value, 4> args{};
  args[0] = boxed(tensors()[0]);
  args[1].tag = TENON_TAG_INT_LIST;
  args[1].count = sizes.size();
  args[1].as.list.data = sizes.data();
  args[3].tag = TENON_TAG_BOOL;
  return args;
}

// A tensor, a list of integers, an absent float and a bool.
void boxed_mixed(benchmark::State& state) {
  std::array<int64_t, 2> sizes{2, 3};
  call_boxed(state, Operators::get().mixed, mixed_args(sizes));
}
BENCHMARK(boxed_mixed);

template <size_t N>
void call_checked(benchmark::State& state, const Op& op, std::array<tenon_value, N> args) {
  tenon_stack stack{};
  stack.args = args.data();
  stack.nargs = N;
  must(tenon_op_call(op.get(), &stack));
  for (auto _ : state) {
    benchmark::DoNotOptimize(tenon_op_call(op.get(), &stack));
  }
}

void boxed_2_tensors_checked(benchmark::State& state) {
  call_checked(state, Operators::get().two, two_boxed());
}
BENCHMARK(boxed_2_tensors_checked);

void boxed_mixed_checked(benchmark::State& state) {
  std::array<int64_t, 2> sizes{2, 3};
  call_checked(state, Operators::get().mixed, mixed_args(sizes));
}
BENCHMARK(boxed_mixed_checked);

// The call sequence of the Python and Java packages: begin, call the boxed kernel, leave.
void begin_call_end(benchmark::State& state) {
  const Op& op = Operators::get().two;
  auto args = two_boxed();
  tenon_stack stack{};
  stack.args = args.data();
  stack.nargs = 2;
  for (auto _ : state) {
    tenon_frame frame;
    tenon_frame_begin_boxed(op.get(), args.data(), 2, &frame);
    const tenon_status status = tenon_frame_call(&frame, &stack);
    benchmark::DoNotOptimize(tenon_frame_end(&frame, status));
  }
}
BENCHMARK(begin_call_end);

// Typed caller, boxed-only kernel.
void typed_2_tensors_boxed_kernel(benchmark::State& state) {
  const auto typed = Operators::get().two.typed<void(const Tensor&, const Tensor&)>();
  for (auto _ : state) typed(tensors()[0], tensors()[1]);
}
BENCHMARK(typed_2_tensors_boxed_kernel);

}  // namespace
}  // namespace bench
