// SPDX-License-Identifier: Apache-2.0
// A dispatched operator with an autograd kernel, written as for libtorch: registration, redispatch
// below Autograd, a function with its own backward. Three names differ: TENON_IMPL, as
// TENON_LIBRARY_IMPL is a constant of C, TENON_DEVICE_CPU, and `type`, the field of a C struct.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include <tenon/hpp/check.hpp>
#include <tenon/ops/aten.hpp>
#include <tenon/tenon.hpp>

namespace {

using namespace tenon;
using tenon::autograd::AutogradContext;
using tenon::autograd::tensor_list;
using tenon::autograd::variable_list;

Tensor myadd(const Tensor& self, const Tensor& other) {
  static auto op =
      tenon::Dispatcher::singleton().findSchemaOrThrow("myops::myadd", "").typed<decltype(myadd)>();
  return op.call(self, other);
}

Tensor myadd_cpu(const Tensor& self_, const Tensor& other_) {
  TENON_CHECK(self_.sizes() == other_.sizes());
  TENON_INTERNAL_ASSERT(self_.device().type == TENON_DEVICE_CPU);
  TENON_INTERNAL_ASSERT(other_.is_cpu());
  Tensor self = self_.contiguous();
  Tensor other = other_.contiguous();
  Tensor result = tenon::empty(self.sizes(), self.options());
  const float* self_ptr = self.data_ptr<float>();
  const float* other_ptr = other.data_ptr<float>();
  float* result_ptr = result.data_ptr<float>();
  for (int64_t i = 0; i < result.numel(); i++) {
    result_ptr[i] = self_ptr[i] + other_ptr[i];
  }
  return result;
}

class MyAddFunction : public tenon::autograd::Function<MyAddFunction> {
 public:
  static Tensor forward(AutogradContext*, tenon::Tensor self, tenon::Tensor other) {
    tenon::AutoNonVariableTypeMode g;
    return myadd(self, other);
  }
  static tensor_list backward(AutogradContext*, tensor_list grad_outputs) {
    auto grad_output = grad_outputs[0];
    return {grad_output, grad_output};
  }
};

Tensor myadd_autograd(const Tensor& self, const Tensor& other) {
  return MyAddFunction::apply(self, other);
}

// Like MyAddFunction, but with a list of results, of which the caller takes the first.
class MyAddList : public tenon::autograd::Function<MyAddList> {
 public:
  static variable_list forward(AutogradContext*, tenon::Tensor self, tenon::Tensor other) {
    tenon::AutoDispatchBelowADInplaceOrView guard;
    return {myadd(self, other)};
  }
  static tensor_list backward(AutogradContext*, tensor_list grad_outputs) {
    return {grad_outputs[0], grad_outputs[0]};
  }
};

Tensor myadd_list(const Tensor& self, const Tensor& other) {
  return MyAddList::apply(self, other)[0];
}

TENON_LIBRARY(myops, m) {
  m.def("myadd(Tensor self, Tensor other) -> Tensor");
  m.def("myneg(Tensor self) -> Tensor");
  m.def("mytop(Tensor(a) self) -> Tensor(a)");
}

TENON_IMPL(myops, CPU, m) {
  m.impl("myadd", myadd_cpu);
  m.impl("myneg", [](const Tensor& self) { return ops::aten::neg(self); });
  m.impl("mytop", [](const Tensor& self) { return self.alias({}, {}, 0); });
}

TENON_IMPL(myops, Autograd, m) {
  m.impl("myadd", myadd_autograd);
  m.impl("myneg", autogradNotImplementedFallback());
  m.impl("mytop", autogradNotImplementedFallback());
}

TENON_IMPL(myops, ADInplaceOrView, m) {
  m.impl("mytop", autogradNotImplementedInplaceOrViewFallback());
}

class Tutorial : public testing::Test {
 private:
  const std::vector<Library> libraries_ = load_blocks();
};

Tensor leaf(std::initializer_list<float> elements) {
  return Tensor::from(elements, {static_cast<int64_t>(elements.size())}).set_requires_grad(true);
}

TEST_F(Tutorial, DispatchedOperator_HasTheFunctionsGradient) {
  const Tensor x = leaf({1, 2}), y = leaf({10, 20});
  const Tensor sum = myadd(x, y);
  EXPECT_EQ(sum.elements<float>()[1], 22);
  EXPECT_TRUE(sum.requires_grad());
  sum.backward(Tensor::from({3.0f, 5.0f}, {2}));
  EXPECT_EQ(x.grad().elements<float>()[1], 5);
  EXPECT_EQ(y.grad().elements<float>()[0], 3);
}

TEST_F(Tutorial, Untracked_NotRecorded) {
  const Tensor x = Tensor::from({1.0f}, {1});
  EXPECT_FALSE(myadd(x, x).requires_grad());
}

TEST_F(Tutorial, ListOfResults_FirstIsTaken) {
  Library library(Library::Impl, "myops", key("Autograd"));
  const Registration registration = library.impl("myadd", myadd_list);
  const Tensor x = leaf({1, 2});
  const Tensor sum = myadd(x, x);
  EXPECT_EQ(sum.ndim(), 1);
  sum.backward(Tensor::from({1.0f, 1.0f}, {2}));
  EXPECT_EQ(x.grad().elements<float>()[0], 2);
}

TEST_F(Tutorial, CheckThatFails_SaysWhatMustHold) {
  const Tensor x = leaf({1, 2}), y = leaf({1});
  try {
    myadd(x, y);
    FAIL() << "sizes differ";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), TENON_ERROR_RUNTIME);
    EXPECT_NE(std::string(error.what()).find("self_.sizes() == other_.sizes()"), std::string::npos);
  }
  EXPECT_THROW([] { TENON_CHECK(false, "Unsupported device ", 7); }(), Error);
  EXPECT_THROW([] { TENON_INTERNAL_ASSERT(1 > 2); }(), Error);
}

TEST_F(Tutorial, NotImplementedFallback_FailsInBackward) {
  const Tensor x = leaf({1, 2});
  const Op myneg("myops::myneg");
  const Tensor y = myneg(x)[0].tensor();
  EXPECT_TRUE(y.requires_grad());
  EXPECT_THROW(y.backward(Tensor::from({1.0f, 1.0f}, {2})), Error);
}

TEST_F(Tutorial, InplaceOrViewFallback_KeepsViewsAndVersions) {
  const Tensor x = Tensor::from({1.0f, 2.0f}, {2});
  const Tensor top = Op("myops::mytop")(x)[0].tensor();
  ops::aten::mul_(top, 5);
  EXPECT_EQ(x.elements<float>()[0], 5);
  EXPECT_EQ(x.version(), 1);
  Library library(Library::Impl, "myops", key("ADInplaceOrView"));
  EXPECT_THROW(library.impl("mytip", autogradNotImplementedInplaceOrViewFallback()), Error);
}

TEST(TensorIndex, FirstDim_View) {
  const Tensor x = leaf({1, 2});
  EXPECT_EQ(x[1].ndim(), 0);
  EXPECT_EQ(x[-1].data_ptr<float>()[0], 2);
  EXPECT_THROW(x[2], Error);
  EXPECT_TRUE(x.sizes() == std::vector<int64_t>{2});
  EXPECT_FALSE(x.sizes() == x[1].sizes());
}

TEST(AutoDispatchBelowAutograd, NothingIsRecorded) {
  const Tensor x = leaf({1});
  {
    const AutoDispatchBelowAutograd guard;
    EXPECT_FALSE(ops::aten::mul(x, x).requires_grad());
  }
  EXPECT_TRUE(ops::aten::mul(x, x).requires_grad());
}

}  // namespace
