// SPDX-License-Identifier: Apache-2.0
// Autocast as C++ programs use it: regions, rules by policy, and the tutorial's wrappers.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include <tenon/ops/aten.hpp>
#include <tenon/tenon.hpp>

namespace {

using namespace tenon;

constexpr int32_t kCpu = TENON_DEVICE_CPU;

Dtype seen[2];
bool seen_enabled;

Tensor mymatmul(const Tensor& self, const Tensor& other) {
  static auto op = tenon::Dispatcher::singleton()
                       .findSchemaOrThrow("mycasts::mymatmul", "")
                       .typed<decltype(mymatmul)>();
  return op.call(self, other);
}

Tensor mymatmul_cpu(const Tensor& self, const Tensor& other) {
  seen[0] = self.dtype();
  seen[1] = other.dtype();
  seen_enabled = autocast::is_autocast_enabled(kCpu);
  return self;
}

// [quote.begin wrapper]
Tensor mymatmul_autocast(const Tensor& self, const Tensor& other) {
  AutoDispatchBelowAutocast no_autocast;
  return mymatmul(autocast::cached_cast(Dtype::F16, self, kCpu),
                  autocast::cached_cast(Dtype::F16, other, kCpu));
}

Tensor my_multiple_input_op_autocast(const Tensor& t0, const Tensor& t1) {
  AutoDispatchBelowAutocast no_autocast;
  // The first guess is an optimistic one.
  const Dtype exec_type = autocast::promote_type(Dtype::F16, kCpu, t0, t1);
  return mymatmul(autocast::cached_cast(exec_type, t0, kCpu),
                  autocast::cached_cast(exec_type, t1, kCpu));
}
// [quote.end]

class Autocast : public testing::Test {
 protected:
  Autocast() {
    library_.def("mymatmul(Tensor self, Tensor other) -> Tensor");
    library_.impl("mymatmul", TENON_KEY_CPU, mymatmul_cpu);
  }
  Library library_{Library::Def, "mycasts"};
};

Tensor ones(Dtype dtype) {
  return ops::aten::to(Tensor::from({1.0f, 1.0f, 1.0f, 1.0f}, {2, 2}), dtype);
}

TEST_F(Autocast, Wrapper_CastsAndCallsAgain) {
  library_.impl("mymatmul", TENON_KEY_AUTOCAST, mymatmul_autocast);
  mymatmul(ones(Dtype::F32), ones(Dtype::F32));
  EXPECT_EQ(seen[0], Dtype::F32);
  const autocast::Region region(kCpu, Dtype::F16);
  mymatmul(ones(Dtype::F32), ones(Dtype::F64));
  EXPECT_EQ(seen[0], Dtype::F16);
  EXPECT_EQ(seen[1], Dtype::F64);
  EXPECT_FALSE(seen_enabled);
}

TEST_F(Autocast, WrapperOfSeveral_CastsToTheWidest) {
  library_.impl("mymatmul", TENON_KEY_AUTOCAST, my_multiple_input_op_autocast);
  const autocast::Region region(kCpu, Dtype::F16);
  mymatmul(ones(Dtype::F16), ones(Dtype::F32));
  EXPECT_EQ(seen[0], Dtype::F32);
  mymatmul(ones(Dtype::F16), ones(Dtype::F16));
  EXPECT_EQ(seen[0], Dtype::F16);
}

TEST_F(Autocast, RuleByPolicy_CastsUntilItIsRemoved) {
  Registration rule = register_autocast(library_, "mymatmul", CastPolicy::LowerPrecisionFp);
  const autocast::Region region(kCpu, Dtype::BF16);
  mymatmul(ones(Dtype::F32), ones(Dtype::F32));
  EXPECT_EQ(seen[0], Dtype::BF16);
  rule.remove();
  mymatmul(ones(Dtype::F32), ones(Dtype::F32));
  EXPECT_EQ(seen[0], Dtype::F32);
}

TEST_F(Autocast, RuleWithDtype_CastsToThat) {
  register_autocast(library_, "mymatmul", Dtype::F16, kCpu);
  const autocast::Region region(kCpu, Dtype::BF16);
  mymatmul(ones(Dtype::F32), ones(Dtype::BF16));
  EXPECT_EQ(seen[0], Dtype::F16);
  EXPECT_EQ(seen[1], Dtype::F16);
}

TEST_F(Autocast, BannedRule_FailsWithTheAdvice) {
  register_autocast(library_, "mymatmul", CastPolicy::Banned, kCpu, "use aten::mm");
  const autocast::Region region(kCpu);
  try {
    mymatmul(ones(Dtype::F32), ones(Dtype::F32));
    FAIL() << "the call is banned";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), TENON_ERROR_NOT_SUPPORTED);
    EXPECT_NE(std::string(error.what()).find("use aten::mm"), std::string::npos);
  }
}

TEST(AutocastRegion, Nested_RestoresOnTheWayOut) {
  EXPECT_FALSE(autocast::is_autocast_enabled(kCpu));
  {
    const autocast::Region outer(kCpu, Dtype::F16);
    const Tensor a = ones(Dtype::F32);
    EXPECT_EQ(ops::aten::mm(a, a).dtype(), Dtype::F16);
    {
      const autocast::Region off(kCpu, {}, false);
      EXPECT_EQ(ops::aten::mm(a, a).dtype(), Dtype::F32);
    }
    EXPECT_EQ(autocast::get_autocast_dtype(kCpu), Dtype::F16);
  }
  EXPECT_FALSE(autocast::is_autocast_enabled(kCpu));
  EXPECT_EQ(autocast::get_autocast_dtype(kCpu), Dtype::BF16);
}

TEST(AutocastRegion, Thrown_RestoresOnTheWayOut) {
  try {
    const autocast::Region region(kCpu);
    throw std::runtime_error("as asked");
  } catch (const std::runtime_error&) {
  }
  EXPECT_FALSE(autocast::is_autocast_enabled(kCpu));
}

TEST(AutocastRegion, DeviceWithoutAutocast_Throws) {
  EXPECT_THROW(autocast::Region(TENON_DEVICE_META), Error);
  EXPECT_THROW(autocast::Region(kCpu, Dtype::I64), Error);
  EXPECT_FALSE(autocast::is_autocast_enabled(kCpu));
}

TEST(AutocastSetters, ChangeTheThread) {
  autocast::set_autocast_enabled(kCpu, true);
  autocast::set_autocast_dtype(kCpu, Dtype::F16);
  autocast::set_autocast_cache_enabled(false);
  const Tensor a = ones(Dtype::F32);
  EXPECT_EQ(ops::aten::mm(a, a).dtype(), Dtype::F16);
  EXPECT_FALSE(autocast::is_autocast_cache_enabled());
  autocast::set_autocast_cache_enabled(true);
  autocast::set_autocast_dtype(kCpu, Dtype::BF16);
  autocast::set_autocast_enabled(kCpu, false);
  EXPECT_EQ(ops::aten::mm(a, a).dtype(), Dtype::F32);
}

TEST(CachedCast, OfOtherThings_LeavesThem) {
  EXPECT_EQ(autocast::cached_cast(Dtype::F16, 3.5, kCpu), 3.5);
  EXPECT_FALSE(autocast::cached_cast(Dtype::F16, OptionalTensor(), kCpu));
  const std::vector<Tensor> both{ones(Dtype::F32), ones(Dtype::I64)};
  const std::vector<Tensor> casts = autocast::cached_cast(Dtype::F16, both, kCpu);
  EXPECT_EQ(casts[0].dtype(), Dtype::F16);
  EXPECT_EQ(casts[1].get(), both[1].get());
}

TEST(CachedCast, OfALeafInARegion_IsKept) {
  const Tensor leaf = ones(Dtype::F32).set_requires_grad(true);
  const autocast::Region region(kCpu, Dtype::F16);
  const Tensor first = autocast::cached_cast(Dtype::F16, leaf, kCpu);
  EXPECT_EQ(autocast::cached_cast(Dtype::F16, leaf, kCpu).get(), first.get());
  autocast::clear_cache();
  EXPECT_NE(autocast::cached_cast(Dtype::F16, leaf, kCpu).get(), first.get());
}

}  // namespace
