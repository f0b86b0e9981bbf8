// SPDX-License-Identifier: Apache-2.0
// tenon.hpp: tensors, values, scalars and key sets as C++ objects.
#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

#include <tenon/tenon.hpp>

namespace {

using tenon::Dtype;
using tenon::Scalar;
using tenon::Tensor;
using tenon::Value;

TEST(Tensor, Adopt_SharesTheVectorsMemory) {
  std::vector<double> numbers{1, 2, 3, 4};
  const double* address = numbers.data();
  const Tensor tensor = Tensor::adopt(std::move(numbers), std::vector<int64_t>{2, 2});
  EXPECT_EQ(tensor.data<double>(), address);
  EXPECT_EQ(tensor.size(-1), 2);
  EXPECT_EQ(tensor.dtype(), Dtype::F64);
}

TEST(Device, TheHostAndMetaAreOneDeviceEach) {
  using tenon::Device;
  const Device host = Tensor::from({1.0f}, {1}).device();
  EXPECT_EQ(host, Device("cpu"));
  EXPECT_EQ(host, Device("cpu:0"));
  const Device meta = Tensor::empty(std::vector<int64_t>{1}, Dtype::F32, Device("meta")).device();
  EXPECT_EQ(meta, Device("meta"));
  EXPECT_FALSE(host == meta);
  EXPECT_EQ(Device("cuda:1"), Device("cuda:1"));
  EXPECT_FALSE(Device("cuda:0") == Device("cuda:1"));
}

TEST(Tensor, WrongElementType_Throws) {
  const Tensor tensor = Tensor::from({1.0f}, {1});
  EXPECT_THROW(tensor.data<double>(), tenon::Error);
  EXPECT_THROW(tensor.size(1), tenon::Error);
  EXPECT_THROW(Tensor::from({1.0f}, {2}), tenon::Error);
}

TEST(Tensor, CopiesShare_MovesEmpty) {
  Tensor a = Tensor::from({1.0f}, {1});
  const Tensor b = a;
  EXPECT_EQ(tenon_tensor_use_count(a.get()), 2);
  const Tensor c = std::move(a);
  EXPECT_FALSE(a);
  EXPECT_EQ(tenon_tensor_use_count(c.get()), 2);
  EXPECT_EQ(b.get(), c.get());
}

TEST(Dtype, SizeOf_IsTheLibrarys) {
  for (tenon_dtype dtype = -1; dtype < 64; ++dtype) {
    EXPECT_EQ(tenon::size_of(static_cast<Dtype>(dtype)), tenon_dtype_size(dtype)) << dtype;
  }
}

TEST(Tensor, AssignedOver_ReleasesOnce) {
  Tensor a = Tensor::from({1.0f}, {1});
  const Tensor b = a;
  a = b;
  EXPECT_EQ(tenon_tensor_use_count(b.get()), 2);
  a = Tensor::from({2.0f}, {1});
  EXPECT_EQ(tenon_tensor_use_count(b.get()), 1);
  Tensor& self = a;
  a = self;
  EXPECT_EQ(a.data<float>()[0], 2.0f);
  a = std::move(self);
  EXPECT_EQ(a.data<float>()[0], 2.0f);
  EXPECT_EQ(tenon_tensor_use_count(a.get()), 1);
}

TEST(Tensor, Alias_ViewsTheSameStorage) {
  const Tensor base = Tensor::from({1, 2, 3, 4, 5, 6}, {2, 3});
  const Tensor transposed = base.alias(std::vector<int64_t>{3, 2}, std::vector<int64_t>{1, 3}, 0);
  EXPECT_FALSE(transposed.is_contiguous());
  EXPECT_THROW(transposed.elements<int32_t>(), tenon::Error);
  EXPECT_EQ(transposed.raw_data(), base.raw_data());
}

// A default-constructed or moved-from tensor has the properties of the undefined tensor, or throws.
TEST(Tensor, WithoutOne_AnswersAsTheUndefinedTensor) {
  Tensor moved = Tensor::from({1.0f}, {1});
  const Tensor taken = std::move(moved);
  for (const Tensor& none : {Tensor(), moved, Tensor::retain(tenon_tensor_undefined())}) {
    EXPECT_FALSE(none.defined());
    EXPECT_EQ(none.ndim(), 0);
    EXPECT_EQ(none.numel(), 0);
    EXPECT_TRUE(none.sizes().empty());
    EXPECT_TRUE(none.strides().empty());
    EXPECT_EQ(none.dtype(), Dtype::None);
    EXPECT_EQ(none.device().type, -1);
    EXPECT_EQ(none.keys(), 0u);
    EXPECT_EQ(none.version(), 0);
    EXPECT_FALSE(none.is_contiguous());
    EXPECT_FALSE(none.is_wrapped_number());
    EXPECT_EQ(none.info().data, nullptr);
    EXPECT_THROW(none.size(0), tenon::Error);
    EXPECT_THROW(none.raw_data(), tenon::Error);
    EXPECT_THROW(none.data<float>(), tenon::Error);
    EXPECT_THROW(none.elements<float>(), tenon::Error);
    EXPECT_THROW(none.alias({}, {}, 0), tenon::Error);
    std::ostringstream out;
    out << none;
    EXPECT_NE(out.str().find("undefined"), std::string::npos) << out.str();
  }
}

TEST(Tensor, StridesOfAnotherLength_AreRefused) {
  const int64_t sizes[2] = {2, 3};
  const int64_t stride = 1;
  try {
    Tensor::empty(sizes, Dtype::F32, {}, {&stride, 1});
    ADD_FAILURE() << "nothing was thrown";
  } catch (const tenon::Error& error) {
    EXPECT_EQ(error.code(), TENON_ERROR_INVALID_ARGUMENT);
    EXPECT_STREQ(error.what(), "Tensor::empty: strides must be 2 like the sizes, got 1");
  }
  const Tensor base = Tensor::empty(sizes, Dtype::F32);
  EXPECT_THROW(base.alias(sizes, {&stride, 1}, 0), tenon::Error);
  EXPECT_THROW(base.alias(sizes, {}, 0), tenon::Error);
}

TEST(Tensor, Prints) {
  std::ostringstream out;
  out << Tensor::from({1.0f, 2.5f}, {2});
  EXPECT_EQ(out.str(), "tensor([1.0000, 2.5000])");
}

TEST(Scalar, KeepsItsKindAndConverts) {
  EXPECT_TRUE(Scalar(true).is_bool());
  EXPECT_TRUE(Scalar(3).is_int());
  EXPECT_TRUE(Scalar(3.5).is_float());
  EXPECT_EQ(Scalar(3.9).to_int(), 3);
  EXPECT_EQ(Scalar(true).to_double(), 1.0);
  EXPECT_EQ(Scalar(std::complex<double>(1, 2)).to_complex().imag(), 2.0);
  EXPECT_THROW(Scalar(std::complex<double>(1, 2)).to_double(), tenon::Error);
  EXPECT_EQ(Scalar(2).dtype(), Dtype::I64);
}

TEST(Value, OwnsAndPrints) {
  const Tensor tensor = Tensor::from({1.0f}, {1});
  {
    const Value value(tensor);
    const Value copy = value;
    EXPECT_EQ(tenon_tensor_use_count(tensor.get()), 3);
    EXPECT_EQ(copy.tensor().get(), tensor.get());
  }
  EXPECT_EQ(tenon_tensor_use_count(tensor.get()), 1);
  EXPECT_EQ(Value(std::vector<int64_t>{1, 2}).str(), "[1, 2]");
  EXPECT_TRUE(Value(std::optional<int64_t>()).is_none());
  EXPECT_EQ(Value("text").text(), "text");
  EXPECT_THROW(Value(1).text(), tenon::Error);
}

TEST(KeySet, GuardsEndWithTheirScope) {
  const tenon_keyset before = tenon_keyset_excluded();
  const tenon::KeySet tracer = tenon::KeySet::of({TENON_KEY_TRACER});
  {
    const tenon::ExcludeKeys guard(tracer);
    EXPECT_EQ(tenon_keyset_excluded() & tracer.bits, tracer.bits);
    const tenon::ForceKeys forced(tracer, tenon::KeySet());
    EXPECT_EQ(tenon_keyset_included(), tracer.bits);
  }
  EXPECT_EQ(tenon_keyset_excluded(), before);
  EXPECT_EQ(tenon::key("AutogradCPU"), TENON_KEY_AUTOGRAD_CPU);
  EXPECT_THROW(tenon::key("Nonsense"), tenon::Error);
}

// Returns the error of a call on an undefined tensor, or "" if it succeeds.
template <class Body>
std::string refusal(Body&& body) {
  try {
    body();
  } catch (const tenon::Error& error) {
    return error.what();
  }
  return "";
}

TEST(Tensor, DataOfAnotherType_NamesWhatIsAsked) {
  const Tensor tensor = Tensor::from({int64_t{1}}, {1});
  EXPECT_EQ(refusal([&] { tensor.data<float>(); }),
            "Tensor::data: dtype must be float32, got int64");
}

}  // namespace
