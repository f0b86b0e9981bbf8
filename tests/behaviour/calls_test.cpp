// SPDX-License-Identifier: Apache-2.0
// Behaviours of calls and registrations that need native code (sections C, D and E).
#include <set>

#include "support.h"

namespace tenon_behaviour {
namespace {

using tenon::KeySet;
using tenon::Library;
using tenon::Op;
using tenon::Tensor;

tenon_keyset keys_of(const Op& op, std::vector<tenon_value> args) {
  tenon_keyset keys = 0;
  tenon::check(
      tenon_op_compute_keys(op.get(), args.data(), static_cast<int64_t>(args.size()), &keys));
  return keys;
}

// item 58, better: A generator argument | contributes nothing, however the operator is called; with
// PyTorch the answer depends on whether the call is boxed.
TEST(Behaviour, Item058_Generator_ContributesNothing) {
  Library library(Library::Fragment, "item58");
  const Op with = library.def("with(Tensor x, Generator? g=None) -> ()");
  const Op without = library.def("without(Tensor x) -> ()");
  const Op any = library.def("any(Tensor x, Any g) -> ()");
  const Tensor x = one(), on_meta = Tensor::empty(std::vector<int64_t>{1}, tenon::Dtype::F32,
                                                  tenon::Device("meta"));
  const tenon::Generator generator(7);
  const tenon_value absent{};
  for (const Tensor& tensor : {x, on_meta}) {
    const tenon_keyset expected = keys_of(without, {borrowed(tensor)});
    EXPECT_EQ(keys_of(with, {borrowed(tensor), tenon::Value(generator).get()}), expected);
    EXPECT_EQ(keys_of(with, {borrowed(tensor), absent}), expected);
    EXPECT_EQ(keys_of(any, {borrowed(tensor), tenon::Value(generator).get()}), expected);
  }
  // Both a typed call and a boxed call reach the CPU kernel, which receives the generator.
  library.impl("with", TENON_KEY_CPU,
               [](const Tensor&, const std::optional<tenon::Generator>& g) { g.value().seed(8); });
  with(x, generator);
  EXPECT_EQ(generator.initial_seed(), 8u);
  generator.seed(7);
  tenon::TypedOp<void(const Tensor&, const std::optional<tenon::Generator>&)>(with.get())(
      x, generator);
  EXPECT_EQ(generator.initial_seed(), 8u);
}

// item 59, same: An undefined tensor contributes nothing
TEST(Behaviour, Item059_UndefinedTensor_ContributesNothing) {
  Library library(Library::Fragment, "item59");
  const Op op = library.def("f(Tensor x, Tensor y) -> int");
  library.impl("f", TENON_KEY_CPU, [](const Tensor&, const Tensor&) { return int64_t{7}; });
  const Tensor x = one();
  const Tensor undefined = Tensor::retain(tenon_tensor_undefined());
  EXPECT_EQ(op(x, undefined)[0].to_int(), 7);
  EXPECT_EQ(op(undefined, x)[0].to_int(), 7);
  expect_error(
      TENON_ERROR_NO_KERNEL, [&] { op(undefined, undefined); }, "no tensor arguments");
}

// item 76, same: Finding the keys of a boxed call leaves reference counts alone
TEST(Behaviour, Item076_KeyExtraction_LeavesReferenceCountsAlone) {
  Library library(Library::Fragment, "item76");
  const Op op = library.def("f(Tensor x, Tensor[] list) -> int");
  library.impl_boxed("f", TENON_KEY_CPU,
                     [](void*, const tenon_op*, tenon_keyset, tenon_stack* stack) -> tenon_status {
                       stack->rets[0] = integer(tenon_tensor_use_count(stack->args[0].as.tensor));
                       return TENON_OK;
                     });
  const Tensor x = one();
  const tenon_tensor* items[2] = {x.get(), x.get()};
  tenon_value list{};
  list.tag = TENON_TAG_TENSOR_LIST;
  list.count = 2;
  list.as.list.data = items;
  const int64_t before = tenon_tensor_use_count(x.get());
  Frame frame({borrowed(x), list}, 1);
  tenon::check(tenon_op_call_fast(op.get(), frame.stack()));
  EXPECT_EQ(frame.ret().as.i, before);
  EXPECT_EQ(tenon_tensor_use_count(x.get()), before);
}

// item 108, same: A typed kernel that differs from the schema in number or type of arguments or
// returns is refused, each with its reason
TEST(Behaviour, Item108_KernelAgainstSchema_EachReason) {
  Library library(Library::Fragment, "item108");
  library.def("f(Tensor x, int n) -> Tensor");
  const auto refused = [&](auto kernel, const char* reason) {
    expect_error(
        TENON_ERROR_INVALID_ARGUMENT, [&] { library.impl("f", TENON_KEY_CPU, kernel); },
        "item108::f", reason);
  };
  refused([](const Tensor& x) { return x; }, "number of arguments");
  refused([](const Tensor& x, double) { return x; }, "argument 2 ('n') must be int, got float");
  refused([](const Tensor&, int64_t) {}, "number of returns");
  refused([](const Tensor&, int64_t n) { return n; }, "return 1 must be Tensor, got int");
  library.impl("f", TENON_KEY_CPU, [](const Tensor& x, int64_t) { return x; });
}

struct EventLog {
  std::vector<std::string> events;
};
void note_event(void* ctx, uint32_t event, const tenon_op* op) {
  const std::string name = tenon_op_name(op);
  if (name.rfind("listened", 0) != 0) return;
  static_cast<EventLog*>(ctx)->events.push_back((event == TENON_EVENT_OP_DEFINED ? "+" : "-") +
                                                name);
}

// item 116, same: A kernel may come before its operator: callable once defined, and listeners
// receive the definition only
TEST(Behaviour, Item116_ImplBeforeDef_ListenerHearsTheDefinition) {
  EventLog log;
  tenon_registration* listening = nullptr;
  tenon::check(tenon_registry_add_listener(&note_event, &log, nullptr, &listening));
  {
    Library library(Library::Fragment, "listened116");
    library.impl("f", TENON_KEY_CPU, [](const Tensor&) { return int64_t{7}; });
    EXPECT_EQ(log.events, std::vector<std::string>{});
    const Op op = library.def("f(Tensor x) -> int");
    EXPECT_EQ(log.events, std::vector<std::string>{"+listened116::f"});
    EXPECT_EQ(op(one())[0].to_int(), 7);
  }
  EXPECT_EQ(log.events, (std::vector<std::string>{"+listened116::f", "-listened116::f"}));
  tenon_registration_remove(listening);
  tenon_registration_release(listening);
}

// item 128, better: Two typed kernels whose C++ signatures differ | are held against the schema as
// well, whichever comes first, by a hash of the lowered types instead of run-time type names.
TEST(Behaviour, Item128_SignaturesOfTwoKernels_DifferenceNamesBoth) {
  Library library(Library::Fragment, "item128");
  library.impl("f", TENON_KEY_CPU, [](const Tensor& x, int64_t) { return x; });
  expect_error(
      TENON_ERROR_INVALID_ARGUMENT,
      [&] { library.impl("f", TENON_KEY_META, [](const Tensor& x, double) { return x; }); },
      "item128::f", "calls_test.cpp");
  library.impl("f", TENON_KEY_META, [](const Tensor& x, int64_t) { return x; });
}

// item 129, same: A typed handle of another signature is refused; kernels with and without the key
// set as first parameter are of one signature
TEST(Behaviour, Item129_TypedHandle_WrongSignature) {
  Library library(Library::Fragment, "item129");
  const Op op = library.def("f(Tensor x, int n) -> Tensor");
  library.impl("f", TENON_KEY_CPU, [](const Tensor& x, int64_t) { return x; });
  library.impl("f", TENON_KEY_META, [](KeySet, const Tensor& x, int64_t) { return x; });
  expect_error(
      TENON_ERROR_TYPE, [&] { op.typed<Tensor(const Tensor&, double)>(); }, "Ti>T", "Td>T");
  const Tensor x = one();
  EXPECT_EQ((op.typed<Tensor(const Tensor&, int64_t)>()(x, 1).get()), x.get());
}

// item 130, same: A listener receives all existing operators, then events, and nothing once removed
TEST(Behaviour, Item130_Listener_ReplayEventsNothing) {
  Library library(Library::Fragment, "listened130");
  library.def("before(Tensor x) -> Tensor");
  EventLog log;
  tenon_registration* listening = nullptr;
  tenon::check(tenon_registry_add_listener(&note_event, &log, nullptr, &listening));
  EXPECT_EQ(log.events, std::vector<std::string>{"+listened130::before"});
  library.def("during(Tensor x) -> Tensor");
  tenon_registration_remove(listening);
  tenon_registration_release(listening);
  library.def("after(Tensor x) -> Tensor");
  EXPECT_EQ(log.events, (std::vector<std::string>{"+listened130::before", "+listened130::during"}));
}

}  // namespace
}  // namespace tenon_behaviour
