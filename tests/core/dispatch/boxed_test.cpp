// SPDX-License-Identifier: Apache-2.0
// The boxed convention and the typed entry: checks of arguments and results, and where errors go.
#include <cmath>
#include <utility>

#include "support.h"

namespace tenon::test {
namespace {

class Boxed : public DispatchTest {
 protected:
  TestLibrary library_;
  TestTensor tensor_;
  TestTensor other_;
};

// Copies argument i to result i, deeply.
tenon_status copy_arguments(void*, const tenon_op*, tenon_keyset, tenon_stack* stack) {
  for (uint32_t i = 0; i < stack->nrets; ++i) {
    const tenon_status status = tenon_value_copy(&stack->args[i], &stack->rets[i]);
    if (status != TENON_OK) return status;
  }
  return TENON_OK;
}

TEST_F(Boxed, Item153_And154_EveryTypeGoesInAndComesOut) {
  const char* types[] = {"float",
                         "int",
                         "bool",
                         "str",
                         "Tensor",
                         "Scalar",
                         "complex",
                         "ScalarType",
                         "Device",
                         "float?",
                         "int?",
                         "str?",
                         "Tensor?",
                         "int[]",
                         "float[]",
                         "bool[]",
                         "Tensor[]",
                         "Tensor?[]",
                         "str[]",
                         "int[]?",
                         "int[][]",
                         "Dict(str, int)",
                         "Dict(str, Tensor)[]",
                         "(int, str)",
                         "SymInt",
                         "SymInt[]",
                         "Any",
                         "MemoryFormat",
                         "Layout",
                         "Device?"};
  const int64_t ints[2] = {3, 4};
  const double floats[1] = {0.5};
  const uint8_t bools[2] = {1, 0};
  const tenon_tensor* tensors[2] = {tensor_.get(), other_.get()};
  const tenon_tensor* optionals[2] = {nullptr, other_.get()};
  const tenon_value strings[1] = {string_value("x")};
  const tenon_value lists[1] = {list_value(TENON_TAG_INT_LIST, ints, 2)};
  const tenon_value pair[2] = {string_value("k"), int_value(1)};
  const tenon_value tensor_pair[2] = {string_value("k"), tensor_value(tensor_)};
  const tenon_value dicts[1] = {list_value(TENON_TAG_DICT, tensor_pair, 1)};
  const tenon_value tuple[2] = {int_value(1), string_value("y")};
  tenon_value real{}, flag{}, complex{}, dtype{}, none{}, format{}, layout{};
  real.tag = TENON_TAG_FLOAT;
  real.as.f = 2.5;
  flag.tag = TENON_TAG_BOOL;
  flag.as.i = 1;
  complex.tag = TENON_TAG_COMPLEX;
  complex.as.c = {1.0, -1.0};
  dtype.tag = TENON_TAG_DTYPE;
  dtype.as.i = TENON_DTYPE_F32;
  format.tag = TENON_TAG_MEMORY_FORMAT;
  layout.tag = TENON_TAG_LAYOUT;
  const tenon_value values[] = {real,
                                int_value(7),
                                flag,
                                string_value("text"),
                                tensor_value(tensor_),
                                complex,
                                complex,
                                dtype,
                                device_value(0, 0),
                                none,
                                int_value(1),
                                string_value("s"),
                                none,
                                list_value(TENON_TAG_INT_LIST, ints, 2),
                                list_value(TENON_TAG_FLOAT_LIST, floats, 1),
                                list_value(TENON_TAG_BOOL_LIST, bools, 2),
                                list_value(TENON_TAG_TENSOR_LIST, tensors, 2),
                                list_value(TENON_TAG_TENSOR_LIST, optionals, 2),
                                list_value(TENON_TAG_LIST, strings, 1),
                                none,
                                list_value(TENON_TAG_LIST, lists, 1),
                                list_value(TENON_TAG_DICT, pair, 1),
                                list_value(TENON_TAG_LIST, dicts, 1),
                                list_value(TENON_TAG_TUPLE, tuple, 2),
                                int_value(9),
                                list_value(TENON_TAG_INT_LIST, ints, 2),
                                string_value("any"),
                                format,
                                layout,
                                none};
  static_assert(std::size(types) == std::size(values));
  const auto print_value = [](const tenon_value& value) {
    tenon_buffer* text = nullptr;
    EXPECT_EQ(tenon_value_print(&value, &text), TENON_OK);
    return take_text(text);
  };
  for (size_t i = 0; i < std::size(types); ++i) {
    const std::string name = "type" + std::to_string(i);
    // As a return type, "(int, str)" would mean two results.
    const std::string returned = types[i][0] == '(' ? "Any" : types[i];
    const std::string schema = name + "(" + types[i] + " x) -> " + returned;
    const tenon_op* op = library_.define(schema.c_str());
    ASSERT_NE(op, nullptr) << schema;
    library_.impl(name.c_str(), kExplicit, kernel_of(&copy_arguments));
    library_.impl(name.c_str(), TENON_KEY_CPU, kernel_of(&copy_arguments));
    Call one({values[i]}, 1);
    TENON_EXPECT_OK(tenon_op_call(op, one.stack()));
    EXPECT_EQ(print_value(one.ret()), print_value(values[i])) << schema;
    // The checked call must refuse values of any other kind and name the expected type.
    for (size_t j = 0; j < std::size(values); ++j) {
      if (values[j].tag == values[i].tag) continue;
      Call wrong({values[j]}, 1);
      const tenon_status status = tenon_op_call(op, wrong.stack());
      if (status == TENON_OK) {
        // Only these types accept values of several kinds.
        const std::string type = types[i];
        EXPECT_TRUE(type == "Any" || type == "Scalar" || type == "ScalarType" ||
                    type == "MemoryFormat" || type == "Layout" || type.back() == '?')
            << schema << " took a value of " << types[j];
      } else {
        EXPECT_EQ(status, TENON_ERROR_TYPE);
        const std::string message = take_error();
        EXPECT_NE(message.find("x must be " + std::string(types[i])), std::string::npos) << message;
      }
    }
  }
}

TEST_F(Boxed, Item149_InPlaceAndOut_ReturnTheCallersReferences) {
  const tenon_op* in_place = library_.define("inp(Tensor(a!) self, Tensor b) -> Tensor(a!)");
  library_.impl("inp", TENON_KEY_CPU, kernel_of(&return_first));
  Call one({tensor_value(tensor_), tensor_value(other_)}, 1);
  TENON_EXPECT_OK(tenon_op_call_fast(in_place, one.stack()));
  EXPECT_EQ(one.ret().as.tensor, tensor_.get());

  // A kernel may leave such a result to the dispatcher.
  const tenon_op* two_outs =
      library_.define("outs(Tensor a, *, Tensor(a!) x, Tensor(b!) y) -> (Tensor(a!), Tensor(b!))");
  library_.impl("outs", TENON_KEY_CPU, logging_kernel("outs"));
  Call two({tensor_value(tensor_), tensor_value(tensor_), tensor_value(other_)}, 2);
  TENON_EXPECT_OK(tenon_op_call_fast(two_outs, two.stack()));
  EXPECT_EQ(two.ret(0).as.tensor, tensor_.get());
  EXPECT_EQ(two.ret(1).as.tensor, other_.get());
  EXPECT_EQ(tenon_tensor_use_count(other_.get()), 2);
}

tenon_status return_second(void*, const tenon_op*, tenon_keyset, tenon_stack* stack) {
  stack->rets[0] = stack->args[1];
  stack->rets[0].flags = TENON_VALUE_OWNED;
  tenon_tensor_retain(stack->args[1].as.tensor);
  return TENON_OK;
}

TEST_F(Boxed, Item149_AnotherTensorWhereAWrittenArgumentIsDue_IsRefused) {
  const tenon_op* op = library_.define("inp(Tensor(a!) self, Tensor b) -> Tensor(a!)");
  library_.impl("inp", TENON_KEY_CPU, kernel_of(&return_second));
  Call one({tensor_value(tensor_), tensor_value(other_)}, 1);
  TENON_EXPECT_ERROR(tenon_op_call_fast(op, one.stack()), TENON_ERROR_TYPE,
                     "must be argument self");
  EXPECT_EQ(one.ret().tag, TENON_TAG_NONE);
  EXPECT_EQ(tenon_tensor_use_count(other_.get()), 1);
}

struct Returned {
  tenon_value value;
};
tenon_status return_given(void* ctx, const tenon_op*, tenon_keyset, tenon_stack* stack) {
  return tenon_value_copy(&static_cast<Returned*>(ctx)->value, &stack->rets[0]);
}

TEST_F(Boxed, Item152_And164_WrongResult_ErrorNamesOperatorResultAndTypes) {
  Returned returned{int_value(3)};
  const tenon_op* op = library_.define("wrong(Tensor a) -> Tensor result");
  library_.impl("wrong", TENON_KEY_CPU, kernel_of(&return_given, &returned));
  EXPECT_EQ(call(op, {tensor_value(tensor_)}, 1), TENON_ERROR_TYPE);
  EXPECT_EQ(take_error(),
            "TypeError: t::wrong: result must be Tensor, got int; schema: t::wrong(Tensor a) -> "
            "Tensor result");
  returned.value = tenon_value{};
  TENON_EXPECT_ERROR(call(op, {tensor_value(tensor_)}, 1), TENON_ERROR_TYPE, "got None");
  TENON_EXPECT_ERROR(call(op, {tensor_value(tensor_)}, 2), TENON_ERROR_TYPE,
                     "number of results must be 1, got 2");
  TENON_EXPECT_ERROR(call(op, {tensor_value(tensor_)}, 0), TENON_ERROR_TYPE,
                     "number of results must be 1, got 0");
}

TEST_F(Boxed, Item152_TensorThatIsNotOwned_IsRefused) {
  const tenon_op* op = library_.define("borrowed(Tensor a) -> Tensor");
  library_.impl("borrowed", TENON_KEY_CPU,
                kernel_of([](void*, const tenon_op*, tenon_keyset, tenon_stack* stack) {
                  stack->rets[0] = stack->args[0];
                  return tenon_status{TENON_OK};
                }));
  TENON_EXPECT_ERROR(call(op, {tensor_value(tensor_)}, 1), TENON_ERROR_TYPE, "owned");
  EXPECT_EQ(tenon_tensor_use_count(tensor_.get()), 1);
}

TEST_F(Boxed, Item157_Fallback_ReadsNameAndSchema) {
  FallbackLibrary fallbacks;
  fallbacks.fallback(TENON_KEY_WRAPPER, kernel_of([](void*, const tenon_op* op, tenon_keyset,
                                                     tenon_stack*) -> tenon_status {
                       tenon_schema* schema = nullptr;
                       const tenon_status status = tenon_op_copy_schema(op, &schema);
                       if (status != TENON_OK) return status;
                       notes().push_back(tenon_schema_text(schema));
                       tenon_schema_release(schema);
                       return TENON_OK;
                     }));
  const tenon_op* op = library_.define("named(Tensor a, int b=2) -> ()");
  TestTensor wrapped({TENON_KEY_CPU, TENON_KEY_WRAPPER});
  TENON_EXPECT_OK(call(op, {tensor_value(wrapped), int_value(1)}));
  EXPECT_EQ(take_notes(), "t::named(Tensor a, int b=2) -> ()");
}

// A wrapper fallback: replaces its tensors by one inner tensor, below, and puts the caller's back.
tenon_status unwrap(void* inner, const tenon_op* op, tenon_keyset keys, tenon_stack* stack) {
  std::vector<tenon_value> own(stack->args, stack->args + stack->nargs);
  for (tenon_value& value : own) {
    if (value.tag == TENON_TAG_TENSOR) value.as.tensor = static_cast<tenon_tensor*>(inner);
  }
  tenon_value* before = stack->args;
  stack->args = own.data();
  const tenon_status status =
      tenon_op_redispatch(op, keys & tenon_keyset_below(TENON_KEY_WRAPPER), stack);
  stack->args = before;
  return status;
}

TEST_F(Boxed, Item158_WrapperFallback_UnwrapsAndTheKernelRunsOnce) {
  FallbackLibrary fallbacks;
  fallbacks.fallback(TENON_KEY_WRAPPER, kernel_of(&unwrap, tensor_.get()));
  const tenon_op* op = library_.define("wrapped(Tensor a) -> Tensor");
  library_.impl("wrapped", TENON_KEY_CPU, kernel_of(&return_first, const_cast<char*>("once")));
  TestTensor wrapper({TENON_KEY_CPU, TENON_KEY_WRAPPER});
  Call one({tensor_value(wrapper)}, 1);
  TENON_EXPECT_OK(tenon_op_call_fast(op, one.stack()));
  EXPECT_EQ(one.ret().as.tensor, tensor_.get());
  EXPECT_EQ(one.arg(0).as.tensor, wrapper.get());
  EXPECT_EQ(take_notes(), "once");
}

TEST_F(Boxed, Item160_CallKey_PicksKernelOrFallbackWhateverTheArgumentsCarry) {
  const tenon_op* op = library_.define("keyed(Tensor a) -> ()");
  library_.impl("keyed", TENON_KEY_CPU, logging_kernel("cpu"));
  library_.impl("keyed", TENON_KEY_CUDA, logging_kernel("cuda"));
  library_.impl("keyed", TENON_KEY_TRACER, going_on("tracer"));
  FallbackLibrary fallbacks;
  fallbacks.fallback(TENON_KEY_WRAPPER, logging_kernel("wrapper"));
  Call one({tensor_value(tensor_)}, 0);
  TENON_EXPECT_OK(tenon_op_call_key(op, TENON_KEY_CUDA, one.stack()));
  TENON_EXPECT_OK(tenon_op_call_key(op, TENON_KEY_WRAPPER, one.stack()));
  TENON_EXPECT_OK(tenon_op_call_key(op, TENON_KEY_TRACER, one.stack()));
  EXPECT_EQ(take_notes(), "cuda wrapper tracer@Tracer cpu");
  TENON_EXPECT_ERROR(tenon_op_call_key(op, TENON_KEY_META, one.stack()), TENON_ERROR_NO_KERNEL,
                     "got Meta");
  TENON_EXPECT_ERROR(tenon_op_call_key(op, TENON_KEY_AUTOGRAD, one.stack()),
                     TENON_ERROR_INVALID_ARGUMENT, "got Autograd");
}

// A CPU kernel must never receive a tensor that it cannot read. If the caller passes explicit keys,
// the call compares them with the tensors, unless an earlier step has done so.
TEST_F(Boxed, ExplicitKeys_TensorThatTheBackendCannotRead_AreRefused) {
  const tenon_op* op = library_.define("keyed(Tensor a, Tensor[] more) -> ()");
  library_.impl("keyed", TENON_KEY_CPU, logging_kernel("cpu"));
  library_.impl("keyed", TENON_KEY_META, logging_kernel("meta"));
  library_.impl("keyed", TENON_KEY_AUTOGRAD, going_on("autograd"));
  TestTensor meta({TENON_KEY_META}), cuda({TENON_KEY_CUDA});
  TestTensor fake({TENON_KEY_FAKE}), wrapper({TENON_KEY_WRAPPER, TENON_KEY_AUTOGRAD_CPU});
  for (TestTensor* bad : {&meta, &cuda, &fake, &wrapper}) {
    tenon_tensor* list[] = {tensor_.get(), bad->get()};
    for (const bool in_list : {false, true}) {
      Call one({tensor_value(in_list ? tensor_ : *bad), tenon_value_of_tensors(list, 2)}, 0);
      const char* named = in_list ? "more must be a tensor that kernels for CPU can read"
                                  : "a must be a tensor that kernels for CPU can read";
      TENON_EXPECT_ERROR(tenon_op_call_key(op, TENON_KEY_CPU, one.stack()),
                         TENON_ERROR_INVALID_ARGUMENT, named);
      for (const tenon_keyset set :
           {keys({TENON_KEY_CPU}), keys({TENON_KEY_AUTOGRAD_CPU, TENON_KEY_CPU})}) {
        EXPECT_EQ(tenon_op_redispatch(op, set, one.stack()), TENON_ERROR_INVALID_ARGUMENT);
        tenon_error_set(std::exchange(one.stack()->error, nullptr));
        TENON_EXPECT_ERROR(TENON_ERROR_INVALID_ARGUMENT, TENON_ERROR_INVALID_ARGUMENT, named);
        TENON_EXPECT_ERROR(tenon_op_check_keys(op, set, one.stack()->args, 2),
                           TENON_ERROR_INVALID_ARGUMENT, named);
        tenon_frame frame;
        const tenon_entry* entry = tenon_frame_begin_keys(op, set, &frame);
        ASSERT_NE(entry, nullptr);
        EXPECT_EQ(entry->typed, nullptr);
        TENON_EXPECT_ERROR(tenon_frame_end(&frame, tenon_frame_call(&frame, one.stack())),
                           TENON_ERROR_INVALID_ARGUMENT, named);
      }
    }
  }
  EXPECT_EQ(take_notes(), "");
  Call good({tensor_value(tensor_), tenon_value_of_tensors(nullptr, 0)}, 0);
  TENON_EXPECT_OK(tenon_op_redispatch(op, keys({TENON_KEY_CPU}), good.stack()));
  Call any({tensor_value(cuda), tenon_value_of_tensors(nullptr, 0)}, 0);
  TENON_EXPECT_OK(tenon_op_call_key(op, TENON_KEY_META, any.stack()));
  EXPECT_EQ(take_notes(), "cpu meta");
}

struct Failing {
  tenon_status code = TENON_ERROR_RUNTIME;
  bool in_stack = false;
  bool in_slot = false;
};
tenon_status fail_as_told(void* ctx, const tenon_op*, tenon_keyset, tenon_stack* stack) {
  const auto* told = static_cast<Failing*>(ctx);
  if (stack->nrets != 0) {
    stack->rets[0] = stack->args[0];
    stack->rets[0].flags = TENON_VALUE_OWNED;
    tenon_tensor_retain(stack->args[0].as.tensor);
  }
  if (told->in_stack) stack->error = tenon_error_new(told->code, nullptr, "from the stack");
  if (told->in_slot) tenon_error_raise(told->code, "from the slot");
  return told->code;
}

TEST_F(Boxed, Item161_KernelFails_ErrorArrivesAndResultsAreCleared) {
  Failing told;
  const tenon_op* op = library_.define("fails(Tensor a) -> Tensor");
  library_.impl("fails", TENON_KEY_CPU, kernel_of(&fail_as_told, &told));
  const auto message = [&](tenon_status code, bool in_stack, bool in_slot) {
    told = {code, in_stack, in_slot};
    Call one({tensor_value(tensor_)}, 1);
    EXPECT_EQ(tenon_op_call_fast(op, one.stack()), code);
    EXPECT_EQ(one.ret().tag, TENON_TAG_NONE);
    EXPECT_EQ(one.stack()->error, nullptr);
    EXPECT_EQ(tenon_tensor_use_count(tensor_.get()), 1);
    return take_error();
  };
  EXPECT_EQ(message(TENON_ERROR_INDEX, true, false), "IndexError: from the stack");
  EXPECT_EQ(message(TENON_ERROR_INDEX, false, true), "IndexError: from the slot");
  EXPECT_EQ(message(TENON_ERROR_INDEX, false, false),
            "IndexError: t::fails: kernel failed with TENON_ERROR_INDEX without raising an error");
}

TEST_F(Boxed, StaleSlotError_OfAnotherCodeIsNotAdopted) {
  Failing told{TENON_ERROR_INDEX, false, false};
  const tenon_op* op = library_.define("fails(Tensor a) -> ()");
  library_.impl("fails", TENON_KEY_CPU, kernel_of(&fail_as_told, &told));
  tenon_error_raise(TENON_ERROR_SYSTEM, "stale");
  EXPECT_EQ(call(op, {tensor_value(tensor_)}), TENON_ERROR_INDEX);
  EXPECT_EQ(take_error().find("IndexError: t::fails"), 0u);
}

TEST_F(Boxed, Success_LeavesTheSlotAlone) {
  const tenon_op* op = library_.define("fine(Tensor a) -> ()");
  library_.impl("fine", TENON_KEY_CPU, logging_kernel("cpu"));
  tenon_error_raise(TENON_ERROR_SYSTEM, "kept");
  EXPECT_EQ(call(op, {tensor_value(tensor_)}), TENON_OK);
  EXPECT_EQ(take_error(), "OSError: kept");
}

TEST_F(Boxed, Declined_FromAnOrdinaryKernelIsAnError) {
  const tenon_op* op = library_.define("declines(Tensor a) -> ()");
  library_.impl("declines", TENON_KEY_CPU,
                kernel_of([](void*, const tenon_op*, tenon_keyset, tenon_stack*) -> tenon_status {
                  return TENON_DECLINED;
                }));
  TENON_EXPECT_ERROR(call(op, {tensor_value(tensor_)}), TENON_ERROR_RUNTIME, "TENON_DECLINED");
}

TEST_F(Boxed, RedispatchFails_ErrorStaysInTheStackUntilTheOutermostCall) {
  Failing told{TENON_ERROR_INDEX, false, true};
  const tenon_op* op = library_.define("layers(Tensor a) -> ()");
  library_.impl("layers", TENON_KEY_CPU, kernel_of(&fail_as_told, &told));
  library_.impl("layers", TENON_KEY_AUTOGRAD,
                kernel_of([](void*, const tenon_op* op, tenon_keyset keys,
                             tenon_stack* stack) -> tenon_status {
                  const tenon_status status =
                      tenon_op_redispatch(op, keys & tenon_keyset_below(TENON_KEY_AUTOGRAD), stack);
                  EXPECT_EQ(status, TENON_ERROR_INDEX);
                  EXPECT_NE(stack->error, nullptr);
                  EXPECT_EQ(tenon_error_peek(), nullptr);
                  return status;
                }));
  EXPECT_EQ(call(op, {tensor_value(tensor_)}), TENON_ERROR_INDEX);
  EXPECT_EQ(take_error(), "IndexError: from the slot");
}

TEST_F(Boxed, RedispatchWithoutKernel_ErrorStaysInTheStack) {
  const tenon_op* op = library_.define("layers(Tensor a) -> ()");
  library_.impl("layers", TENON_KEY_AUTOGRAD, going_on("a"));
  library_.impl("layers", TENON_KEY_CUDA, logging_kernel("cuda"));
  TENON_EXPECT_ERROR(call(op, {tensor_value(tensor_)}), TENON_ERROR_NO_KERNEL, "got CPU");
}

TEST_F(Boxed, CheckArguments_TellsAllKinds) {
  const tenon_op* op = library_.define("args(Tensor a, int b, str c=\"x\") -> ()");
  tenon_value args[3] = {tensor_value(tensor_), int_value(1), string_value("y")};
  TENON_EXPECT_OK(tenon_op_check_arguments(op, args, 3));
  TENON_EXPECT_ERROR(tenon_op_check_arguments(op, args, 2), TENON_ERROR_TYPE, "must be 3, got 2");
  TENON_EXPECT_ERROR(tenon_op_check_arguments(op, args, -1), TENON_ERROR_TYPE,
                     "number of arguments");
  args[1] = string_value("no");
  TENON_EXPECT_ERROR(tenon_op_check_arguments(op, args, 3), TENON_ERROR_TYPE,
                     "t::args: b must be int, got str at position 1");
}

TEST_F(Boxed, Resolve_GivesTheRunningEntryAndInvokeCallsIt) {
  const tenon_op* op = library_.define("res(Tensor a, int b) -> Tensor");
  tenon_kernel kernel = kernel_of(&return_first, const_cast<char*>("ran"));
  kernel.flags = TENON_KERNEL_NOBLOCK;
  kernel.noblock_max_numel = 100;
  library_.impl("res", TENON_KEY_CPU, kernel);
  Call one({tensor_value(tensor_), int_value(1)}, 1);
  tenon_frame frame;
  const tenon_entry* entry = tenon_frame_begin_boxed(op, one.stack()->args, 2, &frame);
  ASSERT_NE(entry, nullptr) << take_error();
  EXPECT_EQ(entry->boxed, &return_first);
  EXPECT_EQ(entry->language, TENON_LANGUAGE_CPP);
  EXPECT_EQ(entry->noblock_max_numel, 100);
  EXPECT_EQ(frame.op, op);
  TENON_EXPECT_OK(tenon_frame_end(&frame, tenon_frame_call(&frame, one.stack())));
  EXPECT_EQ(one.ret().as.tensor, tensor_.get());
  EXPECT_EQ(take_notes(), "ran");
  one.arg(0) = int_value(1);
  EXPECT_EQ(tenon_frame_begin_boxed(op, one.stack()->args, 2, &frame), nullptr);
  EXPECT_NE(take_error().find("a must be Tensor, got int"), std::string::npos);
}

// An error lists each C and C++ kernel that it passed through once, innermost first.
TEST_F(Boxed, FailingKernels_AreFramesOfTheError) {
  const tenon_op* inner = library_.define("inner(Tensor a) -> ()");
  const tenon_op* outer = library_.define("outer(Tensor a) -> ()");
  library_.impl("inner", TENON_KEY_CPU,
                kernel_of(
                    [](void*, const tenon_op*, tenon_keyset, tenon_stack* stack) {
                      stack->error = tenon_error_new(TENON_ERROR_INDEX, nullptr, "deep inside");
                      return tenon_status{TENON_ERROR_INDEX};
                    },
                    nullptr, "fail_inside"));
  library_.impl("outer", TENON_KEY_CPU,
                kernel_of(
                    [](void* op, const tenon_op*, tenon_keyset, tenon_stack* stack) {
                      return call(static_cast<const tenon_op*>(op), {stack->args[0]});
                    },
                    const_cast<tenon_op*>(inner)));
  const auto frames = [](tenon_status status) {
    tenon_error* error = tenon_error_take();
    EXPECT_EQ(status, TENON_ERROR_INDEX);
    std::string all;
    tenon_error_frame frame;
    for (int64_t i = 0; i < tenon_error_frame_count(error); ++i) {
      EXPECT_EQ(tenon_error_get_frame(error, i, &frame), TENON_OK);
      EXPECT_EQ(frame.language, TENON_LANGUAGE_CPP);
      all +=
          std::string(frame.function) + " " + frame.file + ":" + std::to_string(frame.line) + ";";
    }
    tenon_error_release(error);
    return all;
  };
  const std::string expected = "fail_inside kernels.cpp:7;t::outer kernels.cpp:7;";
  EXPECT_EQ(frames(call(outer, {tensor_value(tensor_)})), expected);
  Call one({tensor_value(tensor_)}, 0);
  tenon_frame frame;
  const tenon_entry* entry = tenon_frame_begin_boxed(outer, one.stack()->args, 1, &frame);
  ASSERT_NE(entry, nullptr);
  EXPECT_EQ(frames(tenon_frame_end(&frame, tenon_frame_call(&frame, one.stack()))), expected);
}

TEST_F(Boxed, NullWhereAHandleIsPromised_IsATypeError) {
  const tenon_op* op =
      library_.define("handles(Tensor? a, Any b, __torch__.torch.classes.t.C c) -> ()");
  library_.impl("handles", TENON_KEY_COMPOSITE_EXPLICIT_AUTOGRAD, logging_kernel("handles"));
  const auto null = [](uint16_t tag) {
    tenon_value value{};
    value.tag = tag;
    return value;
  };
  const tenon_value none{};
  const auto check = [&](std::vector<tenon_value> args, const char* text) {
    TENON_EXPECT_ERROR(tenon_op_check_arguments(op, args.data(), 3), TENON_ERROR_TYPE, text);
    Call one(args, 0);
    TENON_EXPECT_ERROR(tenon_op_call(op, one.stack()), TENON_ERROR_TYPE, text);
  };
  check({null(TENON_TAG_TENSOR), none, none}, "a must be Tensor?, got NULL");
  check({none, null(TENON_TAG_OBJECT), none}, "b must be Any, got NULL");
  check({none, null(TENON_TAG_FUNCTION), none}, "b must be Any, got NULL");
  check({none, none, null(TENON_TAG_OBJECT)}, "got NULL");
}

// No tag matches any type, not even the largest value.
TEST_F(Boxed, UnknownTags_AreTypeErrors) {
  const tenon_op* op = library_.define("tags(Tensor[] a) -> ()");
  library_.impl("tags", TENON_KEY_COMPOSITE_EXPLICIT_AUTOGRAD, logging_kernel("tags"));
  for (const uint16_t tag : {uint16_t{20}, uint16_t{31}, uint16_t{39}, uint16_t{0xffff}}) {
    tenon_value value{};
    value.tag = tag;
    TENON_EXPECT_ERROR(tenon_op_check_arguments(op, &value, 1), TENON_ERROR_TYPE,
                       "a must be Tensor[], got unknown");
  }
}

TEST_F(Boxed, InvokeAfterBegin_ChecksArgumentsThatNobodyChecked) {
  const tenon_op* op = library_.define("inv(Tensor a, int b) -> Tensor");
  library_.impl("inv", TENON_KEY_CPU, kernel_of(&return_first));
  Call one({tensor_value(tensor_), string_value("no")}, 1);
  tenon_frame frame;
  const tenon_entry* entry = tenon_frame_begin1(op, tensor_.get(), &frame);
  ASSERT_NE(entry, nullptr);
  TENON_EXPECT_ERROR(tenon_frame_end(&frame, tenon_frame_call(&frame, one.stack())),
                     TENON_ERROR_TYPE, "b must be int, got str");
}

TEST_F(Boxed, Begin_OneToNTensors_ThenRedispatchByKeys) {
  const tenon_op* op = library_.define("typed(Tensor a, Tensor? b, Tensor? c) -> ()");
  library_.impl("typed", TENON_KEY_CPU, logging_kernel("cpu"));
  library_.impl("typed", TENON_KEY_CUDA, logging_kernel("cuda"));
  library_.impl("typed", TENON_KEY_AUTOGRAD, logging_kernel("autograd"));
  TestTensor cuda({TENON_KEY_CUDA});
  const auto name = [&](const tenon_entry* entry, tenon_frame* frame) {
    EXPECT_NE(entry, nullptr) << take_error();
    const std::string text = static_cast<const char*>(entry->ctx);
    EXPECT_EQ(frame->ctx, entry->ctx);
    EXPECT_EQ(tenon_frame_end(frame, TENON_OK), TENON_OK);
    return text;
  };
  tenon_frame frame;
  EXPECT_EQ(name(tenon_frame_begin1(op, tensor_.get(), &frame), &frame), "autograd");
  EXPECT_EQ(tenon_keyset_highest(frame.keys), TENON_KEY_AUTOGRAD_CPU);
  const tenon_keyset below = tenon_keyset_below(TENON_KEY_AUTOGRAD);
  // Outside of all kernels, the boxed form checks the arguments and calls the kernel.
  const auto redispatched = [&](tenon_keyset set, const TestTensor& tensor) {
    const tenon_entry* entry = tenon_frame_begin_keys(op, set, &frame);
    EXPECT_EQ(entry->typed, nullptr);
    Call one({tensor_value(tensor), tenon_value_of_none(), tenon_value_of_none()}, 0);
    EXPECT_EQ(tenon_frame_end(&frame, tenon_frame_call(&frame, one.stack())), TENON_OK);
    return take_notes();
  };
  EXPECT_EQ(redispatched(frame.keys & below, tensor_), "cpu");
  EXPECT_EQ(name(tenon_frame_begin2(op, tensor_.get(), cuda.get(), &frame), &frame), "autograd");
  EXPECT_EQ(tenon_keyset_highest(frame.keys), TENON_KEY_AUTOGRAD_CUDA);
  EXPECT_EQ(name(tenon_frame_begin3(op, tensor_.get(), nullptr, cuda.get(), &frame), &frame),
            "autograd");
  EXPECT_EQ(redispatched(frame.keys & below, cuda), "cuda");
  tenon_tensor* list[3] = {nullptr, tensor_.get(), cuda.get()};
  EXPECT_EQ(name(tenon_frame_begin_n(op, list, 3, &frame), &frame), "autograd");
  EXPECT_EQ(tenon_keyset_highest(frame.keys), TENON_KEY_AUTOGRAD_CUDA);
  EXPECT_EQ(tenon_frame_begin_keys(op, keys({TENON_KEY_META}), &frame), nullptr);
  EXPECT_NE(take_error().find("got Meta"), std::string::npos);
}

TEST_F(Boxed, End_FailureTakesTheFramesErrorThenTheSlots) {
  const tenon_op* op = library_.define("ends(Tensor a) -> ()");
  library_.impl("ends", TENON_KEY_CPU, logging_kernel("cpu"));
  tenon_frame frame;
  ASSERT_NE(tenon_frame_begin1(op, tensor_.get(), &frame), nullptr);
  frame.error = tenon_error_new(TENON_ERROR_INDEX, nullptr, "from the frame");
  EXPECT_EQ(tenon_frame_end(&frame, TENON_ERROR_INDEX), TENON_ERROR_INDEX);
  EXPECT_EQ(take_error(), "IndexError: from the frame");
  ASSERT_NE(tenon_frame_begin1(op, tensor_.get(), &frame), nullptr);
  tenon_error_raise(TENON_ERROR_INDEX, "from the slot");
  EXPECT_EQ(tenon_frame_end(&frame, TENON_ERROR_INDEX), TENON_ERROR_INDEX);
  EXPECT_EQ(take_error(), "IndexError: from the slot");
  ASSERT_NE(tenon_frame_begin1(op, tensor_.get(), &frame), nullptr);
  EXPECT_EQ(tenon_frame_end(&frame, TENON_ERROR_INDEX), TENON_ERROR_INDEX);
  EXPECT_EQ(take_error().find("IndexError: t::ends: kernel failed"), 0u);
}

TEST_F(Boxed, CheckResults_OfALanguagesOwnKernel) {
  const tenon_op* op = library_.define("own(Tensor a) -> (Tensor, int)");
  tenon_value rets[2] = {tensor_value(tensor_), int_value(1)};
  rets[0].flags = TENON_VALUE_OWNED;
  TENON_EXPECT_OK(tenon_op_check_results(op, rets, 2));
  TENON_EXPECT_ERROR(tenon_op_check_results(op, rets, 1), TENON_ERROR_TYPE, "must be 2, got 1");
  rets[1] = string_value("no");
  TENON_EXPECT_ERROR(tenon_op_check_results(op, rets, 2), TENON_ERROR_TYPE,
                     "result 1 must be int, got str");
}

const tenon_object_type kPlain = {sizeof(tenon_object_type),
                                  TENON_LANGUAGE_CPP,
                                  "vision.Palette",
                                  nullptr,
                                  nullptr,
                                  nullptr,
                                  nullptr,
                                  nullptr,
                                  nullptr,
                                  {}};
const tenon_object_type kDerived = {sizeof(tenon_object_type),
                                    TENON_LANGUAGE_CPP,
                                    "vision.Dark",
                                    &kPlain,
                                    nullptr,
                                    nullptr,
                                    [](void*, const tenon_op*, tenon_keyset,
                                       tenon_stack*) -> tenon_status { return TENON_DECLINED; },
                                    nullptr,
                                    nullptr,
                                    {}};

TEST_F(Boxed, ObjectThatOverrides_IsAcceptedAnywhereAndContributesOverride) {
  const tenon_op* op = library_.define("over(Tensor a, Tensor? b, Tensor[] c) -> ()");
  library_.impl("over", TENON_KEY_OVERRIDE, logging_kernel("override"));
  library_.impl("over", TENON_KEY_CPU, logging_kernel("cpu"));
  tenon_object* object = nullptr;
  TENON_ASSERT_OK(tenon_object_new(&kDerived, nullptr, &object));
  tenon_object* plain = nullptr;
  TENON_ASSERT_OK(tenon_object_new(&kPlain, nullptr, &plain));
  tenon_value value{};
  value.tag = TENON_TAG_OBJECT;
  value.as.object = object;
  const tenon_value empty = list_value(TENON_TAG_TENSOR_LIST, nullptr, 0);
  TENON_EXPECT_OK(call(op, {value, tensor_value(tensor_), empty}));
  TENON_EXPECT_OK(call(op, {tensor_value(tensor_), value, empty}));
  TENON_EXPECT_OK(call(op, {tensor_value(tensor_), tenon_value{}, value}));
  TENON_EXPECT_OK(call(op, {tensor_value(tensor_), tenon_value{}, empty}));
  EXPECT_EQ(take_notes(), "override override override cpu");
  value.as.object = plain;
  TENON_EXPECT_ERROR(call(op, {value, tensor_value(tensor_), empty}), TENON_ERROR_TYPE,
                     "a must be Tensor, got vision.Palette");
  tenon_object_release(object);
  tenon_object_release(plain);
}

tenon_status return_null(void*, const tenon_op*, tenon_keyset, tenon_stack* stack) {
  stack->rets[0].tag = TENON_TAG_TENSOR;
  stack->rets[0].flags = TENON_VALUE_OWNED;
  return TENON_OK;
}

constexpr const char* kNullResult = "result 0 must be Tensor, got NULL; schema: ";

TEST_F(Boxed, NullTensorResult_IsRefusedOnEveryPath) {
  const tenon_op* op = library_.define("null(Tensor a) -> Tensor");
  library_.impl("null", TENON_KEY_CPU, kernel_of(&return_null));
  Call one({tensor_value(tensor_)}, 1);
  TENON_EXPECT_ERROR(tenon_op_call_fast(op, one.stack()), TENON_ERROR_TYPE, kNullResult);
  TENON_EXPECT_ERROR(tenon_op_call(op, one.stack()), TENON_ERROR_TYPE, kNullResult);
  TENON_EXPECT_ERROR(tenon_op_call_key(op, TENON_KEY_CPU, one.stack()), TENON_ERROR_TYPE,
                     kNullResult);
  tenon_frame frame;
  ASSERT_NE(tenon_frame_begin_boxed(op, one.stack()->args, 1, &frame), nullptr) << take_error();
  TENON_EXPECT_ERROR(tenon_frame_end(&frame, tenon_frame_call(&frame, one.stack())),
                     TENON_ERROR_TYPE, kNullResult);
  ASSERT_NE(tenon_frame_begin1(op, tensor_.get(), &frame), nullptr) << take_error();
  TENON_EXPECT_ERROR(tenon_frame_end(&frame, tenon_frame_call(&frame, one.stack())),
                     TENON_ERROR_TYPE, kNullResult);
  library_.impl("null", TENON_KEY_AUTOGRAD, going_on("above"));
  TENON_EXPECT_ERROR(tenon_op_call(op, one.stack()), TENON_ERROR_TYPE, kNullResult);
  EXPECT_EQ(one.ret().tag, TENON_TAG_NONE);
  library_.impl("null", TENON_KEY_OVERRIDE, kernel_of(&return_null));
  TENON_EXPECT_ERROR(tenon_op_call_key(op, TENON_KEY_OVERRIDE, one.stack()), TENON_ERROR_TYPE,
                     kNullResult);
}

TEST_F(Boxed, NullTensorResult_OfATypedKernelIsRefusedByItsCaller) {
  const tenon_op* op = library_.define("null(Tensor a) -> Tensor out");
  library_.impl("null", TENON_KEY_CPU, kernel_of(&return_null, nullptr, "return_null"));
  tenon_frame frame;
  ASSERT_NE(tenon_frame_begin1(op, tensor_.get(), &frame), nullptr) << take_error();
  TENON_EXPECT_ERROR(tenon_frame_end_without_result(&frame, 0), TENON_ERROR_TYPE,
                     "t::null: out must be Tensor, got NULL; schema: ");
  ASSERT_NE(tenon_frame_begin1(op, tensor_.get(), &frame), nullptr) << take_error();
  TENON_EXPECT_ERROR(tenon_frame_end_without_result(&frame, 7), TENON_ERROR_TYPE,
                     "t::null: result 7 must be a tensor, got NULL");
}

TEST_F(Boxed, NullTensorResult_OfAnOptionalIsNone) {
  const tenon_op* op = library_.define("null(Tensor a) -> Tensor?");
  library_.impl("null", TENON_KEY_CPU, kernel_of(&return_null));
  Call one({tensor_value(tensor_)}, 1);
  TENON_EXPECT_OK(tenon_op_call(op, one.stack()));
  EXPECT_EQ(one.ret().tag, TENON_TAG_NONE);
}

tenon_status return_zero(void*, const tenon_op*, tenon_keyset, tenon_stack* stack) {
  stack->rets[0].tag = TENON_TAG_INT;
  return TENON_OK;
}

TEST_F(Boxed, NumberResult_MayBeZero) {
  const tenon_op* op = library_.define("zero(Tensor a) -> int");
  library_.impl("zero", TENON_KEY_CPU, kernel_of(&return_zero));
  Call one({tensor_value(tensor_)}, 1);
  TENON_EXPECT_OK(tenon_op_call(op, one.stack()));
  EXPECT_EQ(one.ret().tag, TENON_TAG_INT);
}

}  // namespace
}  // namespace tenon::test
