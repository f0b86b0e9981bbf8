// SPDX-License-Identifier: Apache-2.0
// Override handlers of objects: which handlers run, in which order, for which argument positions;
// carriers.
#include "support.h"

namespace tenon::test {
namespace {

class Overrides : public DispatchTest {
 protected:
  TestLibrary library_;
  TestTensor cpu_;
  const tenon_object_type base_ = overriding("a.Base");
  const tenon_object_type derived_ = overriding("a.Derived", &base_);
  const tenon_object_type other_ = overriding("b.Other");
  const tenon_object_type plain_ = type_named("c.Plain");
};

TEST_F(Overrides, ObjectInPlaceOfTensor_RunsItsHandlerInsteadOfKernel) {
  const tenon_op* op = library_.define("f(Tensor a, Tensor b) -> int");
  library_.impl("f", TENON_KEY_CPU, logging_kernel("cpu"));
  const ActorObject object(base_, "base", returning(7));
  Call call({tensor_value(cpu_), object.value()}, 1);
  TENON_ASSERT_OK(tenon_op_call_fast(op, call.stack()));
  EXPECT_EQ(take_notes(), "base");
  EXPECT_EQ(call.ret().as.i, 7);
}

TEST_F(Overrides, AnyPosition_ContributesOverride) {
  const char* const schemas[] = {"p0(Tensor a) -> ()",
                                 "p1(Tensor? a) -> ()",
                                 "p2(Tensor[] a) -> ()",
                                 "p3(int a) -> ()",
                                 "p4(str a) -> ()",
                                 "p5(int[] a) -> ()",
                                 "p6(Any a) -> ()",
                                 "p7(Device? a) -> ()",
                                 "p8(ScalarType a) -> ()",
                                 "p9(Scalar a) -> ()",
                                 "p10(Dict(str, Tensor) a) -> ()"};
  const ActorObject object(base_, "base", [](const tenon_op*, tenon_stack*) { return TENON_OK; });
  for (const char* schema : schemas) {
    const tenon_op* op = library_.define(schema);
    TENON_EXPECT_OK(call_checked(op, {object.value()})) << schema;
    EXPECT_EQ(take_notes(), "base") << schema;
  }
}

TEST_F(Overrides, ObjectInsideListTupleAndDict_ContributesOverride) {
  const ActorObject object(base_, "base", [](const tenon_op*, tenon_stack*) { return TENON_OK; });
  const tenon_value elements[2] = {string_value("k"), object.value()};
  TENON_EXPECT_OK(call_checked(library_.define("strings(str[] a) -> ()"),
                               {list_value(TENON_TAG_LIST, elements, 2)}));
  TENON_EXPECT_OK(call_checked(library_.define("pair((str, Tensor) a) -> ()"),
                               {list_value(TENON_TAG_TUPLE, elements, 2)}));
  TENON_EXPECT_OK(call_checked(library_.define("table(Dict(str, Tensor) a) -> ()"),
                               {list_value(TENON_TAG_DICT, elements, 1)}));
  EXPECT_EQ(take_notes(), "base base base");
}

TEST_F(Overrides, DistinctTypesLeftToRight_DerivedBeforeBase_EachOnce) {
  const tenon_op* op = library_.define("f(Tensor[] list, Any a, Any b, Any c) -> ()");
  const ActorObject one(base_, "base1");
  const ActorObject two(base_, "base2");
  const ActorObject sub(derived_, "derived");
  const ActorObject third(other_, "other", [](const tenon_op*, tenon_stack*) { return TENON_OK; });
  const Carrier carried(one.value());
  tenon_tensor* const tensors[2] = {cpu_.get(), carried.get()};
  TENON_EXPECT_OK(call(op, {list_value(TENON_TAG_TENSOR_LIST, tensors, 2), two.value(),
                            third.value(), sub.value()}));
  // Left to right the order is base1, other, derived, but a derived type precedes its base.
  EXPECT_EQ(take_notes(), "derived base1 other");
}

TEST_F(Overrides, AllDecline_TypeErrorNamesTypesAndOperator) {
  const tenon_op* op = library_.define("f(Any a, Any b) -> ()");
  const ActorObject one(base_, "base");
  const ActorObject two(other_, "other");
  TENON_EXPECT_ERROR(call(op, {one.value(), two.value()}), TENON_ERROR_TYPE,
                     "t::f: an override handler must accept the call, got TENON_DECLINED from "
                     "types [a.Base, b.Other]");
  EXPECT_EQ(take_notes(), "base other");
}

TEST_F(Overrides, ModeAndTypesDecline_ErrorNamesBoth) {
  const tenon_op* op = library_.define("f(Any a) -> ()");
  const ActorObject one(base_, "base");
  const ActorObject mode(other_, "mode");
  const ActorObject::On on(TENON_MODE_OVERRIDE, mode);
  TENON_EXPECT_ERROR(call(op, {one.value()}), TENON_ERROR_TYPE,
                     "from types [a.Base] and modes [b.Other]");
  EXPECT_EQ(take_notes(), "mode base");
}

TEST_F(Overrides, HandlerFails_ItsErrorComesHome) {
  const tenon_op* op = library_.define("f(Any a) -> ()");
  const ActorObject object(base_, "base", [](const tenon_op*, tenon_stack*) {
    return tenon_error_raise(TENON_ERROR_INDEX, "base: no such row");
  });
  TENON_EXPECT_ERROR(call(op, {object.value()}), TENON_ERROR_INDEX, "base: no such row");
}

TEST_F(Overrides, ObjectWithoutHandler_IsNoTensor) {
  const tenon_op* op = library_.define("f(Tensor a) -> ()");
  library_.impl("f", TENON_KEY_CPU, logging_kernel("cpu"));
  const ActorObject object(plain_, "plain");
  TENON_EXPECT_ERROR(call(op, {object.value()}), TENON_ERROR_TYPE, "got c.Plain");
  EXPECT_EQ(take_notes(), "");
}

TEST_F(Overrides, OverrideExcluded_RefusesObjectsAndCarriers) {
  const tenon_op* op = library_.define("f(Tensor a, Tensor b) -> ()");
  library_.impl("f", TENON_KEY_CPU, logging_kernel("cpu"));
  const ActorObject object(base_, "base");
  const Carrier carried(object.value());
  tenon_key_guard guard;
  TENON_ASSERT_OK(tenon_key_guard_exclude(keys({TENON_KEY_OVERRIDE}), &guard));
  TENON_EXPECT_ERROR(call(op, {tensor_value(cpu_), object.value()}), TENON_ERROR_TYPE,
                     "t::f: arguments must not override operators");
  TENON_EXPECT_ERROR(call_checked(op, {tensor_value(cpu_), object.value()}), TENON_ERROR_TYPE,
                     "must not override");
  tenon_frame frame;
  const tenon_value args[2] = {tensor_value(cpu_), object.value()};
  EXPECT_EQ(tenon_frame_begin_boxed(op, args, 2, &frame), nullptr);
  EXPECT_NE(take_error().find("must not override"), std::string::npos);
  Call direct({tensor_value(cpu_), object.value()}, 0);
  TENON_EXPECT_ERROR(tenon_op_call_key(op, TENON_KEY_CPU, direct.stack()), TENON_ERROR_TYPE,
                     "must not override");
  tenon_key_guard_leave(&guard);
  EXPECT_EQ(take_notes(), "");
}

TEST_F(Overrides, TensorResult_ArrivesInCarrier) {
  const tenon_op* op = library_.define("f(Tensor a) -> (Tensor, Tensor[], int, Tensor?)");
  const ActorObject object(base_, "base");
  const ActorObject maker(other_, "maker", [&](const tenon_op*, tenon_stack* stack) {
    tenon_value result = object.value();
    tenon_value elements[2] = {object.value(), tensor_value(cpu_)};
    EXPECT_EQ(tenon_value_copy(&result, &stack->rets[0]), TENON_OK);
    EXPECT_EQ(tenon_value_new_list(TENON_TAG_LIST, elements, 2, &stack->rets[1]), TENON_OK);
    EXPECT_EQ(tenon_value_new_string("text", 4, &stack->rets[2]), TENON_OK);
    return TENON_OK;
  });
  Call call({maker.value()}, 4);
  TENON_ASSERT_OK(tenon_op_call_fast(op, call.stack()));
  ASSERT_EQ(call.ret(0).tag, TENON_TAG_TENSOR);
  EXPECT_EQ(tenon_object_of_value(&call.ret(0)), object.get());
  ASSERT_EQ(call.ret(1).tag, TENON_TAG_TENSOR_LIST);
  auto* const* list = static_cast<tenon_tensor* const*>(call.ret(1).as.list.data);
  ASSERT_NE(tenon_carrier_value(list[0]), nullptr);
  EXPECT_EQ(tenon_carrier_value(list[0])->as.object, object.get());
  EXPECT_EQ(list[1], cpu_.get());
  // any value is allowed here, because the schema has no tensor there
  EXPECT_EQ(call.ret(2).tag, TENON_TAG_STRING);
  EXPECT_EQ(call.ret(3).tag, TENON_TAG_NONE);
}

TEST_F(Overrides, NoneForTensor_ArrivesInCarrier) {
  const tenon_op* op = library_.define("f(Any a) -> Tensor");
  const ActorObject object(base_, "base", [](const tenon_op*, tenon_stack*) { return TENON_OK; });
  Call call({object.value()}, 1);
  TENON_ASSERT_OK(tenon_op_call_fast(op, call.stack()));
  ASSERT_EQ(call.ret().tag, TENON_TAG_TENSOR);
  ASSERT_NE(tenon_carrier_value(call.ret().as.tensor), nullptr);
  EXPECT_EQ(tenon_carrier_value(call.ret().as.tensor)->tag, TENON_TAG_NONE);
}

TEST_F(Overrides, InPlaceOnObject_ReturnsThatArgument) {
  const tenon_op* op = library_.define("f_(Tensor(a!) a) -> Tensor(a!)");
  const ActorObject object(base_, "base", [](const tenon_op*, tenon_stack*) { return TENON_OK; });
  const Carrier carried(object.value());
  Call with_carrier({carried.value()}, 1);
  TENON_ASSERT_OK(tenon_op_call_fast(op, with_carrier.stack()));
  EXPECT_EQ(with_carrier.ret().as.tensor, carried.get());
  Call with_object({object.value()}, 1);
  TENON_ASSERT_OK(tenon_op_call_fast(op, with_object.stack()));
  EXPECT_EQ(tenon_object_of_value(&with_object.ret()), object.get());
}

TEST_F(Overrides, UnownedResult_IsAnError) {
  const tenon_op* op = library_.define("f(Any a) -> Tensor");
  const ActorObject object(base_, "base", [](const tenon_op*, tenon_stack* stack) {
    stack->rets[0] = stack->args[0];
    return TENON_OK;
  });
  TENON_EXPECT_ERROR(call(op, {object.value()}, 1), TENON_ERROR_TYPE,
                     "t::f: result 0 must be owned");
}

TEST_F(Overrides, KernelRegisteredAtOverride_StandsBeforeHandlers) {
  const tenon_op* op = library_.define("f(Any a) -> ()");
  library_.impl("f", TENON_KEY_OVERRIDE, logging_kernel("kernel"));
  const ActorObject object(base_, "base");
  TENON_EXPECT_OK(call(op, {object.value()}));
  EXPECT_EQ(take_notes(), "kernel");
}

TEST_F(Overrides, HandlerCallsAgainWithTensors_ReachesKernel) {
  const tenon_op* op = library_.define("f(Tensor a) -> ()");
  library_.impl("f", TENON_KEY_CPU, logging_kernel("cpu"));
  const ActorObject object(base_, "base", [&](const tenon_op* same, tenon_stack*) {
    return call(same, {tensor_value(cpu_)});
  });
  TENON_EXPECT_OK(call(op, {object.value()}));
  EXPECT_EQ(take_notes(), "base cpu");
}

TEST_F(Overrides, CarrierInTypedCall_RunsHandlerThroughInvoke) {
  const tenon_op* op = library_.define("f(Tensor a, Tensor b) -> int");
  const ActorObject object(base_, "base", returning(5));
  const Carrier carried(object.value());
  tenon_frame frame;
  const tenon_entry* entry = tenon_frame_begin2(op, cpu_.get(), carried.get(), &frame);
  ASSERT_NE(entry, nullptr) << take_error();
  Call call({tensor_value(cpu_), carried.value()}, 1);
  TENON_EXPECT_OK(tenon_frame_end(&frame, tenon_frame_call(&frame, call.stack())));
  EXPECT_EQ(call.ret().as.i, 5);
}

TEST_F(Overrides, CarriersOfValuesWithoutHandler_AreNoParticipants) {
  const tenon_op* op = library_.define("f(Tensor a) -> ()");
  const Carrier text(string_value("text"));
  TENON_EXPECT_ERROR(call(op, {text.value()}), TENON_ERROR_TYPE,
                     "t::f: an argument or a mode must have an override handler, got none");
}

TEST_F(Overrides, Carrier_HasOverrideOnlyAndNoMemory) {
  const ActorObject object(base_, "base");
  const Carrier carried(object.value());
  EXPECT_EQ(carried.get()->keys(), keys({TENON_KEY_OVERRIDE}));
  void* data = nullptr;
  TENON_EXPECT_ERROR(tenon_tensor_data(carried.get(), &data), TENON_ERROR_STATE,
                     "must have memory");
  tenon_tensor* alias = nullptr;
  const int64_t one = 1;
  EXPECT_NE(tenon_tensor_new_alias(carried.get(), 1, &one, &one, 0, &alias), TENON_OK);
  take_error();
  EXPECT_EQ(tenon_carrier_value(cpu_.get()), nullptr);
  tenon_tensor* none = nullptr;
  const tenon_value tensor = tensor_value(cpu_);
  TENON_EXPECT_ERROR(tenon_carrier_new(&tensor, &none), TENON_ERROR_INVALID_ARGUMENT,
                     "must not be a tensor or None");
}

TEST_F(Overrides, CarrierReleasesWhatItCarries) {
  static int released;
  released = 0;
  tenon_object_type type = base_;
  type.release = [](void*) { ++released; };
  tenon_object* object = nullptr;
  TENON_ASSERT_OK(tenon_object_new(&type, nullptr, &object));
  tenon_value value{};
  value.tag = TENON_TAG_OBJECT;
  value.as.object = object;
  tenon_tensor* carried = nullptr;
  TENON_ASSERT_OK(tenon_carrier_new(&value, &carried));
  tenon_object_release(object);
  EXPECT_EQ(released, 0);
  tenon_tensor_release(carried);
  EXPECT_EQ(released, 1);
}

}  // namespace
}  // namespace tenon::test
