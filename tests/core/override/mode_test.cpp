// SPDX-License-Identifier: Apache-2.0
// Modes: order, inactive while their handler runs, redispatch, nesting, thread states.
#include <thread>

#include "support.h"

namespace tenon::test {
namespace {

class Modes : public DispatchTest {
 protected:
  void SetUp() override {
    include_ = tenon_keyset_included();
    op_ = library_.define("f(Tensor a) -> ()");
    library_.impl("f", TENON_KEY_CPU, logging_kernel("cpu"));
  }
  void TearDown() override {
    EXPECT_EQ(tenon_mode_get(TENON_MODE_OVERRIDE, 0), nullptr);
    EXPECT_EQ(tenon_mode_get(TENON_MODE_WRAPPER, 0), nullptr);
    EXPECT_EQ(tenon_keyset_included(), include_);
    DispatchTest::TearDown();
  }
  tenon_status run() { return call(op_, {tensor_value(cpu_)}); }

  TestLibrary library_;
  TestTensor cpu_;
  const tenon_op* op_ = nullptr;
  const tenon_object_type type_ = overriding("m.Mode");
  const tenon_object_type wrapper_ = dispatching("m.Wrapper");

 private:
  tenon_keyset include_ = 0;
};

TEST_F(Modes, InnermostFirst_EachOffWhileItRuns) {
  const ActorObject outer(type_, "outer", calling_again());
  const ActorObject inner(type_, "inner", calling_again());
  {
    const ActorObject::On first(TENON_MODE_OVERRIDE, outer);
    const ActorObject::On second(TENON_MODE_OVERRIDE, inner);
    EXPECT_EQ(tenon_mode_get(TENON_MODE_OVERRIDE, 0), inner.get());
    EXPECT_EQ(tenon_mode_get(TENON_MODE_OVERRIDE, 1), outer.get());
    EXPECT_EQ(tenon_mode_get(TENON_MODE_OVERRIDE, 2), nullptr);
    TENON_EXPECT_OK(run());
    EXPECT_EQ(take_notes(), "inner outer cpu");
    TENON_EXPECT_OK(run());
    EXPECT_EQ(take_notes(), "inner outer cpu");
  }
  TENON_EXPECT_OK(run());
  EXPECT_EQ(take_notes(), "cpu");
}

TEST_F(Modes, DeclinedPassesToTheNextMode) {
  const ActorObject outer(type_, "outer", calling_again());
  const ActorObject inner(type_, "inner");
  const ActorObject::On first(TENON_MODE_OVERRIDE, outer);
  const ActorObject::On second(TENON_MODE_OVERRIDE, inner);
  TENON_EXPECT_OK(run());
  EXPECT_EQ(take_notes(), "inner outer cpu");
}

TEST_F(Modes, SameModeTwice_RunsTwice) {
  const ActorObject mode(type_, "mode", calling_again());
  const ActorObject::On first(TENON_MODE_OVERRIDE, mode);
  const ActorObject::On second(TENON_MODE_OVERRIDE, mode);
  TENON_EXPECT_OK(run());
  EXPECT_EQ(take_notes(), "mode mode cpu");
}

TEST_F(Modes, OverrideBeforeWrapper_BelowAutograd) {
  library_.impl("f", TENON_KEY_AUTOGRAD, going_on("autograd"));
  const ActorObject override(type_, "override", calling_again());
  const ActorObject wrapper(wrapper_, "wrapper", calling_again());
  const ActorObject::On first(TENON_MODE_WRAPPER, wrapper);
  const ActorObject::On second(TENON_MODE_OVERRIDE, override);
  TENON_EXPECT_OK(run());
  // The handler at Wrapper runs without the keys above it, so Autograd is not called twice.
  EXPECT_EQ(take_notes(), "override autograd@AutogradCPU wrapper cpu");
}

TEST_F(Modes, FactoryWithoutTensors_IsSeen) {
  const tenon_op* make = library_.define("make(int n, Device? device=None) -> ()");
  library_.impl("make", TENON_KEY_CPU, logging_kernel("cpu"));
  const ActorObject mode(type_, "override", calling_again());
  const ActorObject wrapper(wrapper_, "wrapper", calling_again());
  const ActorObject::On on(TENON_MODE_OVERRIDE, mode);
  const ActorObject::On too(TENON_MODE_WRAPPER, wrapper);
  TENON_EXPECT_OK(call(make, {int_value(1), tenon_value{}}));
  EXPECT_EQ(take_notes(), "override wrapper cpu");
}

TEST_F(Modes, PushedInsideHandler_GoesBelowWhatIsOff) {
  const ActorObject late(type_, "late", calling_again());
  const ActorObject mode(type_, "mode", [&](const tenon_op* op, tenon_stack* stack) {
    const ActorObject::On on(TENON_MODE_OVERRIDE, late);
    return calling_again()(op, stack);
  });
  const ActorObject::On on(TENON_MODE_OVERRIDE, mode);
  TENON_EXPECT_OK(run());
  EXPECT_EQ(take_notes(), "mode late cpu");
  EXPECT_EQ(tenon_mode_get(TENON_MODE_OVERRIDE, 0), mode.get());
}

TEST_F(Modes, HandlerFails_ModeIsOnAgain) {
  const ActorObject mode(type_, "mode", [](const tenon_op*, tenon_stack*) {
    return tenon_error_raise(TENON_ERROR_RUNTIME, "no");
  });
  const ActorObject::On on(TENON_MODE_OVERRIDE, mode);
  TENON_EXPECT_ERROR(run(), TENON_ERROR_RUNTIME, "no");
  TENON_EXPECT_ERROR(run(), TENON_ERROR_RUNTIME, "no");
  EXPECT_EQ(take_notes(), "mode mode");
}

TEST_F(Modes, OverrideExcluded_ModesAreNotAsked) {
  const ActorObject mode(type_, "mode");
  const ActorObject::On on(TENON_MODE_OVERRIDE, mode);
  tenon_key_guard guard;
  TENON_ASSERT_OK(tenon_key_guard_exclude(keys({TENON_KEY_OVERRIDE}), &guard));
  TENON_EXPECT_OK(run());
  tenon_key_guard_leave(&guard);
  EXPECT_EQ(take_notes(), "cpu");
}

TEST_F(Modes, BadPushAndPop_AreErrors) {
  const ActorObject without(wrapper_, "w");
  TENON_EXPECT_ERROR(tenon_mode_push(TENON_MODE_OVERRIDE, without.get()),
                     TENON_ERROR_INVALID_ARGUMENT, "handler override, got m.Wrapper");
  TENON_EXPECT_ERROR(tenon_mode_push(TENON_MODE_WRAPPER, nullptr), TENON_ERROR_INVALID_ARGUMENT,
                     "got NULL");
  TENON_EXPECT_ERROR(tenon_mode_push(9, without.get()), TENON_ERROR_INVALID_ARGUMENT, "got 9");
  TENON_EXPECT_ERROR(tenon_mode_pop(TENON_MODE_WRAPPER, without.get()), TENON_ERROR_STATE,
                     "got none");
  TENON_EXPECT_ERROR(tenon_mode_pop(2, without.get()), TENON_ERROR_INVALID_ARGUMENT, "got 2");
}

TEST_F(Modes, ThreadState_CarriesModesAndPutsOwnBack) {
  const ActorObject carried(type_, "carried", calling_again());
  const ActorObject own(type_, "own", calling_again());
  tenon_thread_state* state = nullptr;
  {
    const ActorObject::On on(TENON_MODE_OVERRIDE, carried);
    TENON_ASSERT_OK(tenon_thread_state_capture(&state));
  }
  std::string seen;
  std::thread([&] {
    const ActorObject::On on(TENON_MODE_OVERRIDE, own);
    tenon_thread_state* previous = nullptr;
    TENON_EXPECT_OK(tenon_thread_state_enter(state, &previous));
    TENON_EXPECT_OK(run());
    tenon_thread_state_leave(previous);
    TENON_EXPECT_OK(run());
    seen = take_notes();
  }).join();
  tenon_thread_state_release(state);
  EXPECT_EQ(seen, "carried cpu own cpu");
  TENON_EXPECT_OK(run());
  EXPECT_EQ(take_notes(), "cpu");
}

TEST_F(Modes, ThreadStateCapturedInHandler_LeavesOutWhatIsOff) {
  tenon_thread_state* state = nullptr;
  const ActorObject outer(type_, "outer", calling_again());
  const ActorObject inner(type_, "inner", [&](const tenon_op*, tenon_stack*) {
    EXPECT_EQ(tenon_thread_state_capture(&state), TENON_OK);
    return TENON_OK;
  });
  {
    const ActorObject::On first(TENON_MODE_OVERRIDE, outer);
    const ActorObject::On second(TENON_MODE_OVERRIDE, inner);
    TENON_EXPECT_OK(run());
  }
  take_notes();
  std::string seen;
  std::thread([&] {
    tenon_thread_state* previous = nullptr;
    TENON_EXPECT_OK(tenon_thread_state_enter(state, &previous));
    TENON_EXPECT_OK(run());
    tenon_thread_state_leave(previous);
    seen = take_notes();
  }).join();
  tenon_thread_state_release(state);
  EXPECT_EQ(seen, "outer cpu");
}

TEST_F(Modes, ThreadThatEndsWithModesOn_ReleasesThem) {
  const int64_t before = tenon_introspect_live_count(TENON_HANDLE_OBJECT);
  std::thread([&] {
    const ActorObject mode(type_, "mode");
    TENON_EXPECT_OK(tenon_mode_push(TENON_MODE_OVERRIDE, mode.get()));
  }).join();
  EXPECT_EQ(tenon_introspect_live_count(TENON_HANDLE_OBJECT), before);
}

}  // namespace
}  // namespace tenon::test
