// SPDX-License-Identifier: Apache-2.0
// Calls through functional layers: fallthrough, kernels that redispatch, fallbacks, guards.
#include "call_bench.h"

namespace bench {
namespace {

using tenon::IncludeKeys;
using tenon::KeySet;

using Two = void(const Tensor&, const Tensor&);

tenon_status below_autograd(void*, const tenon_op* op, tenon_keyset keys, tenon_stack* stack) {
  static const tenon_keyset below = tenon_keyset_below(TENON_KEY_AUTOGRAD);
  return tenon_op_redispatch(op, keys & below, stack);
}

// Redispatches to the keys in `ctx`, which are below the layer's own.
tenon_status below_own_key(void* ctx, const tenon_op* op, tenon_keyset keys, tenon_stack* stack) {
  return tenon_op_redispatch(op, keys & *static_cast<const tenon_keyset*>(ctx), stack);
}

// Three custom functionality keys, and operators named after the kind of kernel they have there.
struct Layers {
  static constexpr size_t kCount = 3;
  Library library{Library::Def, "bench_layers"};
  Library fallbacks{Library::Impl, "_"};
  std::array<tenon_key, kCount> keys;
  std::array<tenon_keyset, kCount> below;
  KeySet lowest, all;
  Op autograd = two("autograd");
  Op typed_autograd = two("typed_autograd");
  Op fallthrough = two("fallthrough");
  Op boxed = two("boxed");
  Op typed = two("typed");
  Op fallback = two("fallback");

  Layers() {
    const char* names[kCount] = {"BenchLow", "BenchMiddle", "BenchHigh"};
    const char* anchors[kCount] = {"Autograd", "Tracer", "Batched"};
    for (size_t i = 0; i < kCount; ++i) {
      must(tenon_functionality_register(names[i], anchors[i], TENON_KEY_FLAG_ABOVE, &keys[i]));
      below[i] = tenon_keyset_below(keys[i]);
    }
    lowest = KeySet::of({keys[0]});
    all = KeySet::of({keys[0], keys[1], keys[2]});
    library.impl_boxed("autograd", TENON_KEY_AUTOGRAD, &below_autograd);
    layer(typed_autograd, "typed_autograd", TENON_KEY_AUTOGRAD,
          tenon_keyset_below(TENON_KEY_AUTOGRAD));
    for (size_t i = 0; i < kCount; ++i) {
      library.fallthrough("fallthrough", keys[i]);
      library.impl_boxed("boxed", keys[i], &below_own_key, &below[i]);
      layer(typed, "typed", keys[i], below[i]);
      fallbacks.fallback(keys[i], &below_own_key, &below[i]);
    }
  }
  // Defines an operator of two tensors with a no-op kernel, boxed and typed, below the layers.
  Op two(const std::string& name) {
    Op op = library.def(name + "(Tensor a, Tensor b) -> ()");
    library.impl(name, TENON_KEY_CPU, [](const Tensor&, const Tensor&) {});
    return op;
  }
  void layer(const Op& op, const char* name, tenon_key key, tenon_keyset below_key) {
    const auto lower = op.typed<Two>();
    library.impl(name, key, [lower, below_key](KeySet call_keys, const Tensor& a, const Tensor& b) {
      lower.redispatch(KeySet(call_keys.bits & below_key), a, b);
    });
  }
  static const Layers& get() {
    static const auto* layers = new Layers;
    return *layers;
  }
};

void call_typed(benchmark::State& state, const Op& op) {
  const auto typed = op.typed<Two>();
  const auto& [a, b] = tensors();
  typed(a, b);
  for (auto _ : state) typed(a, b);
}

// A kernel at Autograd that every call passes through.
void boxed_2_tensors_one_redispatch(benchmark::State& state) {
  call_boxed(state, Layers::get().autograd, two_boxed());
}
BENCHMARK(boxed_2_tensors_one_redispatch);

void typed_2_tensors_one_redispatch(benchmark::State& state) {
  call_typed(state, Layers::get().typed_autograd);
}
BENCHMARK(typed_2_tensors_one_redispatch);

// ---- One or three layers that a guard turns on --------------------------------------------------

enum class Form { kBoxed, kTyped };

template <Form kForm, size_t kDepth, Op Layers::*kOp>
void through(benchmark::State& state) {
  static_assert(kDepth == 1 || kDepth == Layers::kCount);
  const Layers& layers = Layers::get();
  const IncludeKeys include(kDepth == 1 ? layers.lowest : layers.all);
  if constexpr (kForm == Form::kBoxed) {
    call_boxed(state, layers.*kOp, two_boxed());
  } else {
    call_typed(state, layers.*kOp);
  }
}

BENCHMARK_TEMPLATE(through, Form::kBoxed, 1, &Layers::fallthrough)->Name("layers/1_fallthrough");
BENCHMARK_TEMPLATE(through, Form::kBoxed, 3, &Layers::fallthrough)->Name("layers/3_fallthrough");
BENCHMARK_TEMPLATE(through, Form::kBoxed, 1, &Layers::boxed)->Name("layers/1_boxed");
BENCHMARK_TEMPLATE(through, Form::kBoxed, 3, &Layers::boxed)->Name("layers/3_boxed");
BENCHMARK_TEMPLATE(through, Form::kTyped, 1, &Layers::typed)->Name("layers/1_typed");
BENCHMARK_TEMPLATE(through, Form::kTyped, 3, &Layers::typed)->Name("layers/3_typed");
BENCHMARK_TEMPLATE(through, Form::kBoxed, 1, &Layers::fallback)->Name("layers/1_fallback");
BENCHMARK_TEMPLATE(through, Form::kBoxed, 3, &Layers::fallback)->Name("layers/3_fallback");
// Typed caller, boxed fallback, typed kernel below.
BENCHMARK_TEMPLATE(through, Form::kTyped, 1, &Layers::fallback)
    ->Name("layers/1_fallback_typed_caller");

// ---- Guards -------------------------------------------------------------------------------------

void guard_enter_and_leave(benchmark::State& state) {
  const KeySet keys = Layers::get().lowest;
  for (auto _ : state) {
    const IncludeKeys include(keys);
    benchmark::ClobberMemory();
  }
}
BENCHMARK(guard_enter_and_leave);

void boxed_2_tensors_in_a_guard(benchmark::State& state) {
  const Layers& layers = Layers::get();
  auto args = two_boxed();
  tenon_stack stack{};
  stack.args = args.data();
  stack.nargs = 2;
  for (auto _ : state) {
    const IncludeKeys include(layers.lowest);
    benchmark::DoNotOptimize(tenon_op_call_fast(layers.fallthrough.get(), &stack));
  }
}
BENCHMARK(boxed_2_tensors_in_a_guard);

}  // namespace
}  // namespace bench
