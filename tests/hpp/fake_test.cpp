// SPDX-License-Identifier: Apache-2.0
// Fake tensors as C++ programs use them: modes, conversions, fake kernels, and composite kernels
// that make tensors by constructors.
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include <tenon/ops/aten.hpp>
#include <tenon/tenon.hpp>

namespace {

using namespace tenon;
namespace aten = tenon::ops::aten;

Tensor cuda_ones(const FakeMode& mode) {
  const FakeMode::Scope in_mode(mode);
  return aten::ones({2, 3}, {.device = Device("cuda:1")});
}

TEST(FakeMode, OfFactories_MakesFakesOnAbsentDevices) {
  const FakeMode mode;
  const Tensor fake = cuda_ones(mode);
  EXPECT_TRUE(fake.is_fake());
  EXPECT_EQ(fake.device(), Device("cuda:1"));
  EXPECT_EQ(fake.device().str(), "cuda:1");
  EXPECT_FALSE(aten::ones({2}).is_fake());
}

TEST(FakeMode, FromAView_GivesAViewOfTheSameBase) {
  const FakeMode mode;
  const Tensor real = aten::ones({2, 3});
  const Tensor view = mode.from(aten::t(real));
  EXPECT_TRUE(view.is_fake());
  EXPECT_EQ(tenon_tensor_storage(view.get()), tenon_tensor_storage(mode.from(real).get()));
}

TEST(FakeMode, MeetingRealTensors_RefusesThemOrMakesThemFake) {
  const Tensor real = aten::ones({2});
  {
    const FakeMode::Scope in_mode{FakeMode()};
    EXPECT_THROW(aten::add(real, real), Error);
  }
  const FakeMode::Scope in_mode{FakeMode(RealTensors::MadeFake)};
  EXPECT_TRUE(aten::add(real, real).is_fake());
}

// Constructors on a fake tensor's device make fake tensors: a composite kernel without support for
// fakes allocates nothing.
TEST(FakeTensor, InACompositeKernel_MakesFakesByConstructors) {
  Library library(Library::Def, "fakes_hpp");
  library.def("halves(Tensor x) -> Tensor", [](const Tensor& x) {
    const int64_t half = x.size(0) / 2;
    return Tensor::empty(Sizes(&half, 1), x.dtype(), x.device());
  });
  const Tensor fake = Op("fakes_hpp::halves")(cuda_ones(FakeMode()))[0].tensor();
  EXPECT_TRUE(fake.is_fake());
  EXPECT_EQ(fake.device(), Device("cuda:1"));
}

TEST(RegisterFake, OfATypedCallable_ServesFakesAndMeta) {
  Library library(Library::Def, "fakes_hpp");
  library.def("repeat(Tensor x, int count) -> Tensor");
  std::string running;
  library.register_fake("repeat", [&](const Tensor& x, int64_t count) {
    running = running_fake() ? running_fake()->name() : "";
    const int64_t sizes[] = {count, x.size(0)};
    return Tensor::empty(sizes, x.dtype(), x.device());
  });
  const Op repeat("fakes_hpp::repeat");
  const Tensor fake = repeat(cuda_ones(FakeMode()), 4)[0].tensor();
  EXPECT_TRUE(fake.is_fake());
  EXPECT_EQ(fake.size(0), 4);
  EXPECT_EQ(running, "fakes_hpp::repeat");
  const int64_t two = 2;
  const Tensor on_meta = Tensor::empty(Sizes(&two, 1), Dtype::F32, Device("meta"));
  const Tensor meta = repeat(on_meta, 5)[0].tensor();
  EXPECT_EQ(meta.device(), Device("meta"));
  EXPECT_EQ(running, "");
  EXPECT_FALSE(running_fake().has_value());
}

TEST(RegisterFake, Twice_IsRefused) {
  Library library(Library::Def, "fakes_hpp");
  library.def("once(Tensor x) -> Tensor");
  const auto same = [](const Tensor& x) { return x; };
  library.register_fake("once", same);
  try {
    library.register_fake("once", same);
    FAIL() << "a second fake kernel was taken";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), TENON_ERROR_ALREADY_EXISTS);
    EXPECT_NE(std::string(error.what()).find("must not have a fake kernel yet"), std::string::npos);
  }
}

TEST(RegisterFake, ThatGivesARealTensor_IsAnError) {
  Library library(Library::Def, "fakes_hpp");
  library.def("real(Tensor x) -> Tensor");
  library.register_fake("real", [](const Tensor&) { return Tensor::from<float>({1}, {1}); });
  try {
    Op("fakes_hpp::real")(cuda_ones(FakeMode()));
    FAIL() << "a real tensor was taken for a fake one";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), TENON_ERROR_STATE);
    EXPECT_NE(std::string(error.what()).find("result must be fake, got a real tensor on cpu"),
              std::string::npos);
  }
}

}  // namespace
