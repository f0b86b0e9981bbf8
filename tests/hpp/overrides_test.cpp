// SPDX-License-Identifier: Apache-2.0
// C++ objects that override operators, wrappers, modes, thread states and the open key space.
#include <gtest/gtest.h>

#include <algorithm>
#include <thread>
#include <vector>

#include "tenon/tenon.hpp"

namespace {

using tenon::KeySet;
using tenon::OverriddenCall;
using tenon::Tensor;
using tenon::Value;

struct Tagged {
  static constexpr const char* tenon_name = "hpp.Tagged";
  explicit Tagged(int64_t its_tag) : tag(its_tag) {}
  int64_t tag;
  bool override_call(OverriddenCall& call) {
    if (call.op().schema().return_count() != 1) return false;
    call.set_result(0, Value(tag * 10));
    return true;
  }
};

struct Declining {
  static constexpr const char* tenon_name = "hpp.Declining";
  bool override_call(OverriddenCall&) { return false; }
};

struct Throwing {
  static constexpr const char* tenon_name = "hpp.Throwing";
  bool override_call(OverriddenCall&) { throw std::domain_error("not today"); }
};

// Counts calls, then unwraps, calls and rewraps.
struct Counting {
  static constexpr const char* tenon_name = "hpp.Counting";
  Tensor inner;
  int* calls;
  Counting(Tensor tensor, int* counter) : inner(std::move(tensor)), calls(counter) {}
  bool dispatch_call(OverriddenCall& call) {
    ++*calls;
    std::vector<Value> arguments = call.arguments();
    for (Value& argument : arguments) {
      if (argument.tag() != TENON_TAG_TENSOR) continue;
      if (auto* other = tenon::wrapped_cast<Counting>(argument.tensor())) argument = other->inner;
    }
    std::vector<Value> results = call.call_with(arguments);
    for (Value& result : results) {
      if (result.tag() != TENON_TAG_TENSOR) continue;
      const Tensor plain = result.tensor();
      result =
          tenon::make_wrapper<Counting>(plain.sizes(), plain.dtype(), plain.device(), plain, calls);
    }
    call.set_results(std::move(results));
    return true;
  }
};

struct Watching {
  static constexpr const char* tenon_name = "hpp.Watching";
  int* calls;
  explicit Watching(int* counter) : calls(counter) {}
  bool go_on(OverriddenCall& call) {
    ++*calls;
    call.set_results(call.call_with(call.arguments()));
    return true;
  }
  bool override_call(OverriddenCall& call) { return go_on(call); }
  bool dispatch_call(OverriddenCall& call) { return go_on(call); }
};

Tensor twice(const Tensor& a) {
  Tensor out = Tensor::empty(a.sizes(), tenon::Dtype::F32);
  for (int64_t i = 0; i < a.numel(); ++i) out.data<float>()[i] = 2 * a.data<float>()[i];
  return out;
}

class Overrides : public testing::Test {
 protected:
  Overrides() : library_(tenon::Library::Fragment, "over") {
    library_.def("twice(Tensor a) -> Tensor");
    library_.impl("twice", TENON_KEY_CPU, &twice);
    library_.def("both(Tensor a, int n) -> int");
  }
  tenon::Library library_;
  const Tensor plain_ = Tensor::from({1.0f, 2.0f}, {2});
};

TEST_F(Overrides, ObjectInPlaceOfTensor_HandlerAnswers) {
  const tenon::Op both("over::both");
  EXPECT_EQ(both(tenon::make_object<Tagged>(4), 1)[0].to_int(), 40);
  EXPECT_EQ(both(plain_, tenon::make_object<Tagged>(5))[0].to_int(), 50);
}

TEST_F(Overrides, ResultInPlaceOfTensor_ComesInCarrier) {
  const Value result = tenon::Op("over::twice")(tenon::make_object<Tagged>(4))[0];
  const tenon_value* carried = tenon_carrier_value(result.tensor().get());
  ASSERT_NE(carried, nullptr);
  EXPECT_EQ(carried->as.i, 40);
}

TEST_F(Overrides, TypedCall_TakesCarrier) {
  const auto twice_op = tenon::Op("over::twice").typed<Tensor(const Tensor&)>();
  const Tensor result = twice_op(tenon::make_carrier(tenon::make_object<Tagged>(6)));
  ASSERT_NE(tenon_carrier_value(result.get()), nullptr);
  EXPECT_EQ(tenon_carrier_value(result.get())->as.i, 60);
}

TEST_F(Overrides, DeclineAndThrow) {
  const tenon::Op both("over::both");
  try {
    both(tenon::make_object<Declining>(), 1);
    FAIL() << "must throw";
  } catch (const tenon::Error& error) {
    EXPECT_EQ(error.code(), TENON_ERROR_TYPE);
    EXPECT_NE(std::string(error.what()).find("[hpp.Declining]"), std::string::npos);
  }
  EXPECT_THROW(both(tenon::make_object<Throwing>(), 1), std::domain_error);
  // Passed on to the next type.
  EXPECT_EQ(both(tenon::make_object<Declining>(), tenon::make_object<Tagged>(7))[0].to_int(), 70);
}

TEST_F(Overrides, WrapperCountsAndRewraps) {
  int calls = 0;
  const Tensor wrapper = tenon::make_wrapper<Counting>(plain_.sizes(), plain_.dtype(),
                                                       plain_.device(), plain_, &calls);
  const tenon::Op op("over::twice");
  const Tensor once = op(wrapper)[0].tensor();
  const Tensor again = op(once)[0].tensor();
  EXPECT_EQ(calls, 2);
  auto* result = tenon::wrapped_cast<Counting>(again);
  ASSERT_NE(result, nullptr);
  EXPECT_EQ(result->inner.data<float>()[1], 8.0f);
}

TEST_F(Overrides, WrapperClaimsWhatItsOptionsSay) {
  int calls = 0;
  const std::vector<int64_t> sizes = {2, 3};
  const std::vector<int64_t> strides = {1, 2};
  Tensor base = Tensor::from({1.0f, 2.0f}, {2});
  const Tensor wrapper =
      tenon::make_wrapper<Counting>({.sizes = sizes,
                                     .dtype = tenon::Dtype::F64,
                                     .device = tenon::Device(TENON_DEVICE_META, 0),
                                     .strides = strides,
                                     .storage_offset = 4,
                                     .keys = KeySet::of({tenon::key("Tracer")}),
                                     .alias_of = base.get()},
                                    plain_, &calls);
  EXPECT_TRUE(std::ranges::equal(wrapper.sizes(), sizes));
  EXPECT_TRUE(std::ranges::equal(wrapper.strides(), strides));
  EXPECT_EQ(wrapper.info().storage_offset, 4);
  EXPECT_EQ(wrapper.dtype(), tenon::Dtype::F64);
  EXPECT_EQ(wrapper.device().str(), "meta");
  EXPECT_TRUE(KeySet(wrapper.keys()).has(tenon::key("Tracer")));
  tenon_tensor_bump_version(base.get());
  EXPECT_EQ(wrapper.version(), base.version());
  EXPECT_EQ(wrapper.version(), 1);
}

TEST_F(Overrides, WrapperOfStridesOfAnotherLength_Throws) {
  int calls = 0;
  const std::vector<int64_t> sizes = {2, 3};
  const std::vector<int64_t> strides = {1};
  try {
    tenon::make_wrapper<Counting>({.sizes = sizes, .dtype = tenon::Dtype::F32, .strides = strides},
                                  plain_, &calls);
    FAIL() << "must throw";
  } catch (const tenon::Error& error) {
    EXPECT_EQ(error.code(), TENON_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(std::string(error.what()), "make_wrapper: strides must be 2 like the sizes, got 1");
  }
}

TEST_F(Overrides, ModesSeeEveryCallWhileTheyLive) {
  const tenon::Op op("over::twice");
  int before = 0;
  int below = 0;
  {
    const tenon::OverrideMode<Watching> mode(&before);
    const tenon::DispatchMode<Watching> wrapper(&below);
    op(plain_);
    op(plain_);
  }
  op(plain_);
  EXPECT_EQ(before, 2);
  EXPECT_EQ(below, 2);
}

TEST_F(Overrides, ModesSeeTypedCallsAndFactories) {
  library_.def("make(int n, *, Device? device=None) -> Tensor");
  library_.impl("make", TENON_KEY_CPU, [](int64_t n, std::optional<tenon::Device>) {
    return Tensor::empty(std::span<const int64_t>(&n, 1), tenon::Dtype::F32);
  });
  const auto make = tenon::Op("over::make").typed<Tensor(int64_t, std::optional<tenon::Device>)>();
  const auto twice_op = tenon::Op("over::twice").typed<Tensor(const Tensor&)>();
  int before = 0;
  int below = 0;
  {
    const tenon::OverrideMode<Watching> mode(&before);
    const tenon::DispatchMode<Watching> wrapper(&below);
    EXPECT_EQ(make(3, std::nullopt).size(0), 3);
    EXPECT_EQ(make(4, tenon::Device()).size(0), 4);
    EXPECT_EQ(twice_op(plain_).data<float>()[0], 2.0f);
  }
  EXPECT_EQ(before, 3);
  EXPECT_EQ(below, 3);
}

TEST_F(Overrides, ThreadState_CarriesModesIntoStdThread) {
  int seen = 0;
  tenon::ThreadState state = [&] {
    const tenon::OverrideMode<Watching> mode(&seen);
    return tenon::ThreadState::capture();
  }();
  const Tensor plain = plain_;
  std::thread(state.bind([plain] { tenon::Op("over::twice")(plain); })).join();
  std::thread([plain] { tenon::Op("over::twice")(plain); }).join();
  EXPECT_EQ(seen, 1);
}

TEST(KeySpace, BackendsAndFunctionalities_ByName) {
  const tenon_key npu = tenon::register_backend("hppnpu");
  EXPECT_EQ(tenon::register_backend("hppnpu"), npu);
  EXPECT_STREQ(tenon_key_name(npu), "hppnpu");
  const tenon_key profiler = tenon::register_functionality("HppProfiler", tenon::Below{"Autograd"});
  EXPECT_EQ(tenon::register_functionality("HppProfiler", tenon::Below{"Autograd"}), profiler);
  EXPECT_EQ(tenon::key("HppProfiler"), profiler);
  EXPECT_LT(profiler, TENON_KEY_AUTOGRAD_CPU);
  EXPECT_THROW(tenon::register_functionality("HppOther", tenon::Above{"NoSuchKey"}), tenon::Error);
  EXPECT_THROW(tenon::register_functionality("HppProfiler", tenon::Above{"Autograd"}),
               tenon::Error);
}

TEST(KeySpace, Functionalities_HaveThreadDefaults) {
  const tenon_key on = tenon::register_functionality("HppOn", tenon::Below{"Fake"}, false,
                                                     tenon::ThreadDefault::Included);
  const tenon_key off = tenon::register_functionality("HppOff", tenon::Above{"BackendSelect"}, true,
                                                      tenon::ThreadDefault::Excluded);
  const auto bit = [](tenon_key key) { return tenon::KeySet::of({key}).bits >> 24; };
  EXPECT_EQ(tenon_keyset_included() >> 24 & bit(on), bit(on));
  EXPECT_EQ(tenon_keyset_excluded() >> 24 & bit(off), bit(off));
}

}  // namespace
