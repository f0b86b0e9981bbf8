// SPDX-License-Identifier: Apache-2.0
// Behaviours of the boxed calling convention that need native code (section F).
#include <map>
#include <memory>

#include "support.h"

namespace tenon_behaviour {
namespace {

using tenon::Dtype;
using tenon::Library;
using tenon::Op;
using tenon::Tensor;

tenon_value owned(tenon_tensor* tensor) {
  tenon_value value{};
  value.tag = TENON_TAG_TENSOR;
  value.flags = TENON_VALUE_OWNED;
  value.as.tensor = tenon_tensor_retain(tensor);
  return value;
}

// Returns (x, n + 1).
tenon_status pair_boxed(void*, const tenon_op*, tenon_keyset, tenon_stack* stack) {
  stack->rets[0] = owned(stack->args[0].as.tensor);
  stack->rets[1] = integer(stack->args[1].as.i + 1);
  return TENON_OK;
}

// item 148, same: A typed kernel called boxed and a boxed one called typed, with no, one and
// several results
TEST(Behaviour, Item148_BoxedAndUnboxed_MeetEachWay) {
  Library library(Library::Fragment, "item148");
  const Op many = library.def("many(Tensor x, int n) -> (Tensor, int)");
  const Op none = library.def("none(Tensor x) -> ()");
  const Op single = library.def("single(Tensor x) -> Tensor");
  const Tensor x = one();
  const auto typed_many = many.typed<std::tuple<Tensor, int64_t>(const Tensor&, int64_t)>();
  const auto typed_none = none.typed<void(const Tensor&)>();
  const auto typed_single = single.typed<Tensor(const Tensor&)>();
  int calls = 0;
  const auto check = [&] {
    EXPECT_EQ(std::get<1>(typed_many(x, 4)), 5);
    EXPECT_EQ(many(x, 4)[1].to_int(), 5);
    EXPECT_EQ(many(x, 4)[0].tensor().get(), x.get());
    typed_none(x);
    EXPECT_TRUE(none(x).empty());
    EXPECT_EQ(typed_single(x).get(), x.get());
    EXPECT_EQ(single(x)[0].tensor().get(), x.get());
  };
  {
    Library typed(Library::Impl, "item148", TENON_KEY_CPU);
    typed.impl("many",
               [](const Tensor& t, int64_t n) { return std::tuple<Tensor, int64_t>(t, n + 1); });
    typed.impl("none", [&calls](const Tensor&) { ++calls; });
    typed.impl("single", [](const Tensor& t) { return t; });
    check();
  }
  {
    Library boxed(Library::Impl, "item148", TENON_KEY_CPU);
    boxed.impl_boxed("many", TENON_KEY_CPU, &pair_boxed);
    boxed.impl_boxed(
        "none", TENON_KEY_CPU,
        [](void* ctx, const tenon_op*, tenon_keyset, tenon_stack*) -> tenon_status {
          ++*static_cast<int*>(ctx);
          return TENON_OK;
        },
        &calls);
    boxed.impl_boxed("single", TENON_KEY_CPU,
                     [](void*, const tenon_op*, tenon_keyset, tenon_stack* stack) -> tenon_status {
                       stack->rets[0] = owned(stack->args[0].as.tensor);
                       return TENON_OK;
                     });
    check();
  }
  EXPECT_EQ(calls, 4);
}

// Returns its written arguments, which begin at index *ctx.
tenon_status return_written(void* ctx, const tenon_op*, tenon_keyset, tenon_stack* stack) {
  const size_t first = *static_cast<size_t*>(ctx);
  for (uint32_t i = 0; i < stack->nrets; ++i) {
    stack->rets[i] = owned(stack->args[first + i].as.tensor);
  }
  return TENON_OK;
}

// item 149, better: In-place, out and several outs return the caller's own tensors | and a kernel
// that returns another tensor there is refused; PyTorch ignores what the kernel returned.
TEST(Behaviour, Item149_WrittenArguments_AreReturnedThemselves) {
  Library library(Library::Fragment, "item149");
  const Op inplace = library.def("inplace_(Tensor(a!) self, Tensor other) -> Tensor(a!)");
  const Op out = library.def("out(Tensor x, *, Tensor(a!) out) -> Tensor(a!)");
  const Op outs =
      library.def("outs(Tensor x, *, Tensor(a!) out, Tensor(b!) two) -> (Tensor(a!), Tensor(b!))");
  size_t zero = 0, first = 1;
  library.impl_boxed("inplace_", TENON_KEY_CPU, &return_written, &zero);
  library.impl_boxed("out", TENON_KEY_CPU, &return_written, &first);
  library.impl_boxed("outs", TENON_KEY_CPU, &return_written, &first);
  const Tensor x = one(), y = one(), z = one();
  EXPECT_EQ(inplace(x, y)[0].tensor().get(), x.get());
  EXPECT_EQ(out(x, tenon::kw("out", y))[0].tensor().get(), y.get());
  const auto both = outs(x, tenon::kw("out", y), tenon::kw("two", z));
  EXPECT_EQ(both[0].tensor().get(), y.get());
  EXPECT_EQ(both[1].tensor().get(), z.get());
  library.impl_boxed("out", TENON_KEY_CPU, &return_written, &zero);  // returns x instead of out
  expect_error(
      TENON_ERROR_TYPE, [&] { out(x, tenon::kw("out", y)); }, "item149::out", "result 0");
}

// item 150, better: A kernel sees its own arguments and results, left to right, and nothing of its
// callers | because each call has its own frame instead of a place on a shared stack.
TEST(Behaviour, Item150_Frame_IsTheCallsOwn) {
  Library library(Library::Fragment, "item150");
  const Op op = library.def("f(Tensor x, int n) -> (Tensor, int)");
  library.impl_boxed("f", TENON_KEY_CPU, &pair_boxed);
  const Tensor x = one();
  std::vector<tenon_value> around{integer(111), borrowed(x), integer(4), integer(222)};
  std::vector<tenon_value> results{integer(333), tenon_value{}, tenon_value{}, integer(444)};
  tenon_stack stack{};
  stack.args = around.data() + 1;
  stack.nargs = 2;
  stack.rets = results.data() + 1;
  stack.nrets = 2;
  tenon::check(tenon_op_call_fast(op.get(), &stack));
  EXPECT_EQ(around[0].as.i, 111);
  EXPECT_EQ(around[3].as.i, 222);
  EXPECT_EQ(results[0].as.i, 333);
  EXPECT_EQ(results[1].as.tensor, x.get());
  EXPECT_EQ(results[2].as.i, 5);
  EXPECT_EQ(results[3].as.i, 444);
  tenon_value_clear_n(results.data() + 1, 2);
}

// Drops its argument if the caller allows that, and reports the number of owners that are left.
tenon_status drop_early(void* ctx, const tenon_op*, tenon_keyset, tenon_stack* stack) {
  tenon_value& argument = stack->args[0];
  const bool movable = (argument.flags & TENON_VALUE_MOVABLE) != 0;
  if (movable) tenon_value_clear(&argument);
  *static_cast<int64_t*>(ctx) = tenon_introspect_live_count(TENON_HANDLE_TENSOR);
  return TENON_OK;
}

// item 151, same: A kernel that drops its input before it computes releases the memory, if the
// caller gives up the input
TEST(Behaviour, Item151_InputDroppedEarly_IsFreed) {
  Library library(Library::Fragment, "item151");
  const Op op = library.def("f(Tensor x) -> ()");
  int64_t inside = 0;
  library.impl_boxed("f", TENON_KEY_CPU, &drop_early, &inside);
  const int64_t before = tenon_introspect_live_count(TENON_HANDLE_TENSOR);
  Tensor x = one();
  tenon_value given = borrowed(x);
  Frame borrowing({given}, 0);
  tenon::check(tenon_op_call_fast(op.get(), borrowing.stack()));
  EXPECT_EQ(inside, before + 1);  // borrowed, so it is not freed
  given.flags = TENON_VALUE_OWNED | TENON_VALUE_MOVABLE;
  given.as.tensor = x.release();
  tenon_stack stack{};
  stack.args = &given;
  stack.nargs = 1;
  tenon::check(tenon_op_call_fast(op.get(), &stack));
  EXPECT_EQ(inside, before);
  tenon_value_clear(&given);
  EXPECT_EQ(tenon_introspect_live_count(TENON_HANDLE_TENSOR), before);
}

// A kernel with constructor arguments and state.
class Counter {
 public:
  Counter(int64_t start, std::shared_ptr<int> alive) : count_(start), alive_(std::move(alive)) {}
  int64_t operator()(const Tensor&) { return count_++; }

 private:
  int64_t count_;
  std::shared_ptr<int> alive_;
};

// item 155, same: A functor made with arguments keeps its state between calls, each registration
// its own
TEST(Behaviour, Item155_Functor_KeepsItsState) {
  Library library(Library::Fragment, "item155");
  const Op a = library.def("a(Tensor x) -> int"), b = library.def("b(Tensor x) -> int");
  const auto alive = std::make_shared<int>(0);
  library.impl("a", TENON_KEY_CPU, Counter(10, alive));
  library.impl("b", TENON_KEY_CPU, Counter(20, alive));
  const Tensor x = one();
  EXPECT_EQ(a(x)[0].to_int(), 10);
  EXPECT_EQ(a.typed<int64_t(const Tensor&)>()(x), 11);
  EXPECT_EQ(b(x)[0].to_int(), 20);
  EXPECT_EQ(a(x)[0].to_int(), 12);
}

// item 156, better: A functor is destroyed exactly once when its registration goes | and also when
// the registration failed.
TEST(Behaviour, Item156_Functor_DiesOnce) {
  const auto alive = std::make_shared<int>(0);
  {
    Library library(Library::Fragment, "item156");
    library.def("f(Tensor x) -> int");
    tenon::Registration registration = library.impl("f", TENON_KEY_CPU, Counter(0, alive));
    library.impl("f", TENON_KEY_META, Counter(0, alive));
    EXPECT_EQ(alive.use_count(), 3);
    registration.remove();
    registration.remove();
    tenon_registry_reap();
    EXPECT_EQ(alive.use_count(), 2);
    expect_error(TENON_ERROR_INVALID_ARGUMENT,
                 [&] { library.impl("other::f", TENON_KEY_CPU, Counter(0, alive)); });
    EXPECT_EQ(alive.use_count(), 2);
  }
  EXPECT_EQ(alive.use_count(), 1);
}

// Simulates a wrapper type by a map from each wrapper to its inner tensor.
struct Wrappers {
  std::map<const tenon_tensor*, Tensor> inner;
  int unwrapped = 0;

  Tensor wrap(const Tensor& tensor) {
    const Tensor wrapper = one();
    inner.emplace(wrapper.get(), tensor);
    return wrapper;
  }
  tenon_tensor* unwrap(tenon_tensor* tensor) {
    const auto found = inner.find(tensor);
    if (found == inner.end()) return tensor;
    ++unwrapped;
    return found->second.get();
  }
};

// Replaces wrappers in the frame by their inner tensors for one redispatch, and wraps the results.
tenon_status wrapper_fallback(void* ctx, const tenon_op* op, tenon_keyset keys,
                              tenon_stack* stack) {
  auto* wrappers = static_cast<Wrappers*>(ctx);
  std::vector<tenon_value> inside(stack->args, stack->args + stack->nargs);
  std::vector<std::vector<tenon_tensor*>> lists;
  for (tenon_value& value : inside) {
    if (value.tag == TENON_TAG_TENSOR) value.as.tensor = wrappers->unwrap(value.as.tensor);
    if (value.tag != TENON_TAG_TENSOR_LIST) continue;
    const auto* items = static_cast<tenon_tensor* const*>(value.as.list.data);
    lists.emplace_back(items, items + value.count);
    for (tenon_tensor*& item : lists.back()) item = wrappers->unwrap(item);
    value.as.list.data = lists.back().data();
  }
  tenon_value* const before = stack->args;
  stack->args = inside.data();
  const tenon_status status =
      tenon_op_redispatch(op, keys & tenon_keyset_below(TENON_KEY_WRAPPER), stack);
  stack->args = before;
  if (status != TENON_OK) return status;
  for (uint32_t i = 0; i < stack->nrets; ++i) {
    const Tensor result(stack->rets[i].as.tensor);
    stack->rets[i] = owned(wrappers->wrap(result).get());
  }
  return TENON_OK;
}

// item 158, better: A fallback for wrapper tensors unwraps, calls the kernel once and wraps its
// results | in tensor lists as well: it replaces the arguments of the frame for one redispatch.
TEST(Behaviour, Item158_WrapperFallback_UnwrapsAndWraps) {
  Library library(Library::Fragment, "item158");
  const Op op = library.def("sum(Tensor x, Tensor[] list) -> Tensor");
  int calls = 0;
  library.impl("sum", TENON_KEY_CPU, [&calls](const Tensor& x, tenon::TensorList list) {
    ++calls;
    float sum = *x.data<float>();
    for (int64_t i = 0; i < list.size(); ++i) sum += *list[i]->data<float>();
    return Tensor::from({sum}, {1});
  });
  Wrappers wrappers;
  Library fallbacks(Library::Impl, "_");
  fallbacks.fallback(TENON_KEY_WRAPPER, &wrapper_fallback, &wrappers);
  const Tensor two = wrappers.wrap(Tensor::from({2.0f}, {1}));
  const Tensor three = wrappers.wrap(Tensor::from({3.0f}, {1}));
  const tenon::IncludeKeys wrapping(tenon::KeySet::of({TENON_KEY_WRAPPER}));
  const Tensor result = op(two, std::vector<Tensor>{three, one()})[0].tensor();
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(wrappers.unwrapped, 2);
  ASSERT_EQ(wrappers.inner.count(result.get()), 1u);
  EXPECT_EQ(*wrappers.inner.at(result.get()).data<float>(), 6.0f);
}

// item 160, same: A boxed redispatch goes to the given set; a call for one key takes its kernel, or
// its fallback
TEST(Behaviour, Item160_RedispatchBoxedAndCallKey) {
  Library library(Library::Fragment, "item160");
  const Op op = library.def("f(Tensor x) -> int");
  const auto returning = [](void* ctx, const tenon_op*, tenon_keyset,
                            tenon_stack* stack) -> tenon_status {
    stack->rets[0] = integer(*static_cast<int64_t*>(ctx));
    return TENON_OK;
  };
  int64_t cpu = 1, meta = 2, fallen = 3;
  library.impl_boxed("f", TENON_KEY_CPU, returning, &cpu);
  library.impl_boxed("f", TENON_KEY_META, returning, &meta);
  Library fallbacks(Library::Impl, "_");
  fallbacks.fallback(TENON_KEY_TRACER, returning, &fallen);
  const Tensor x = one();
  const auto answer = [&](auto call) {
    Frame frame({borrowed(x)}, 1);
    tenon::check(call(frame.stack()));
    return frame.ret().as.i;
  };
  const auto to_set = [&](tenon_key key) {
    return answer([&](tenon_stack* stack) {
      return tenon_op_redispatch(op.get(), tenon::KeySet::of({key}).bits, stack);
    });
  };
  const auto to_key = [&](tenon_key key) {
    return answer([&](tenon_stack* stack) { return tenon_op_call_key(op.get(), key, stack); });
  };
  EXPECT_EQ(to_set(TENON_KEY_META), 2);
  EXPECT_EQ(to_set(TENON_KEY_CPU), 1);
  EXPECT_EQ(to_key(TENON_KEY_META), 2);
  EXPECT_EQ(to_key(TENON_KEY_TRACER), 3);
  expect_error(
      TENON_ERROR_NO_KERNEL, [&] { to_key(TENON_KEY_CUDA); }, "item160::f", "CUDA");
}

}  // namespace
}  // namespace tenon_behaviour
