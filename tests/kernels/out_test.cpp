// SPDX-License-Identifier: Apache-2.0
// The `out` argument: which tensors may be resized, in every family of operators that has one.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

// A call with a result of sizes [2].
struct OutCall {
  std::string name;
  Tensor operator()(const Tensor& out) const {
    if (name == "aten::arange.start_out") return call(name, 0, 2, kw("out", out));
    const Tensor self = Tensor::from<float>({4, 6}, {2});
    return call(name, self, Tensor::from<float>({2, 2}, {2}), kw("out", out));
  }
};

class Out : public testing::TestWithParam<std::string> {
 protected:
  const OutCall call_{GetParam()};
};

// The owner of imported memory (an array of another library, a vector) would not know the new
// shape.
TEST_P(Out, OnImportedMemory_IsNotResizedAndNotWritten) {
  for (const int64_t length : {3, 1, 0}) {
    std::vector<float> memory(static_cast<size_t>(length) + 1, 7.0F);
    tenon_tensor* handle = nullptr;
    check(tenon_tensor_wrap(memory.data(), TENON_DTYPE_F32, nullptr, 1, &length, nullptr, nullptr,
                            nullptr, &handle));
    const Tensor out(handle);
    const Error error = error_of([&] { call_(out); });
    EXPECT_EQ(error.code(), TENON_ERROR_STATE);
    EXPECT_EQ(std::string(error.what()),
              GetParam() +
                  ": out must have sizes [2], since imported memory cannot be resized, got [" +
                  std::to_string(length) + "]");
    EXPECT_NE(tenon_error_cause(error.get()), nullptr);
    EXPECT_EQ(sizes(out), Ints{length});
    EXPECT_EQ(memory, std::vector<float>(memory.size(), 7.0F));
  }
}

TEST_P(Out, OnImportedMemoryOfItsShape_IsWritten) {
  std::vector<float> memory(2, 7.0F);
  const int64_t length = 2;
  tenon_tensor* handle = nullptr;
  check(tenon_tensor_wrap(memory.data(), TENON_DTYPE_F32, nullptr, 1, &length, nullptr, nullptr,
                          nullptr, &handle));
  const Tensor out(handle);
  EXPECT_EQ(call_(out).get(), out.get());
  EXPECT_NE(memory[1], 7.0F);
}

TEST_P(Out, OnOwnMemory_IsResizedAsInPyTorch) {
  for (const int64_t length : {0, 1, 3}) {
    const Tensor out = Tensor::empty(Ints{length}, Dtype::F32);
    call_(out);
    EXPECT_EQ(sizes(out), Ints{2});
  }
}

using Texts = std::vector<std::string>;

tenon_status note(void* texts, const char* category, const char* message, const char*) {
  static_cast<Texts*>(texts)->push_back(std::string(category) + ": " + message);
  return TENON_OK;
}

tenon_status refuse(void*, const char*, const char* message, const char*) {
  return tenon_error_raise(TENON_ERROR_FOREIGN, message);
}

// The process's warning handler during a test; sites that have already warned may warn again.
struct WarningHandler {
  explicit WarningHandler(tenon_warning_fn handler, void* ctx = nullptr) {
    tenon_warning_reset_once();
    check(tenon_warning_set_handler(handler, ctx, nullptr));
  }
  ~WarningHandler() { EXPECT_EQ(tenon_warning_set_handler(nullptr, nullptr, nullptr), TENON_OK); }
};

TEST_P(Out, WithElementsThatIsResized_WarnsOnce) {
  Texts told;
  const WarningHandler handler(note, &told);
  call_(Tensor::empty(Ints{3}, Dtype::F32));
  call_(Tensor::empty(Ints{1}, Dtype::F32));
  EXPECT_EQ(told, Texts{"UserWarning: " + GetParam() +
                        ": out has elements and does not match the sizes of the result, so it is "
                        "resized from [3] to [2]; pass an empty tensor, or one of these sizes"});
}

TEST_P(Out, WithoutElementsOrOfTheSizes_DoesNotWarn) {
  Texts told;
  const WarningHandler handler(note, &told);
  call_(Tensor::empty(Ints{0}, Dtype::F32));
  call_(Tensor::empty(Ints{2}, Dtype::F32));
  EXPECT_EQ(told, Texts{});
}

TEST_P(Out, WarningThatIsAnError_LeavesItAsItWas) {
  const WarningHandler handler(refuse);
  const Tensor out = Tensor::from<float>({7, 8, 9}, {3});
  EXPECT_EQ(error_of([&] { call_(out); }).code(), TENON_ERROR_FOREIGN);
  EXPECT_EQ(elements(out), (Doubles{7, 8, 9}));
}

TEST_P(Out, OnMeta_IsResizedToo) {
  if (GetParam() == "aten::arange.start_out") {
    const Tensor out = meta({5});
    call_(out);
    EXPECT_EQ(sizes(out), Ints{2});
  } else {
    const Tensor out = meta({5});
    call(GetParam(), meta({2}), meta({2}), kw("out", out));
    EXPECT_EQ(sizes(out), Ints{2});
  }
}

INSTANTIATE_TEST_SUITE_P(All, Out,
                         testing::Values("aten::add.out", "aten::sub.out", "aten::mul.out",
                                         "aten::div.out", "aten::arange.start_out"),
                         [](const auto& info) {
                           std::string name = info.param.substr(6);
                           return name.substr(0, name.find('.'));
                         });

// PyTorch refuses an `out` of another dtype for these, even if the result could be cast to it.
TEST(OutDtype, OfWhatKeepsTheDtype_IsNoOther) {
  const Tensor self = Tensor::from<float>({1, -2}, {2});
  for (const char* name :
       {"abs",        "ceil",        "elu",        "floor",    "frac",       "gelu",
        "hardshrink", "hardsigmoid", "hardswish",  "hardtanh", "leaky_relu", "mish",
        "nan_to_num", "neg",         "relu",       "round",    "sgn",        "sign",
        "silu",       "softplus",    "softshrink", "sum",      "prod",       "trunc"}) {
    const std::string op = std::string("aten::") + name + ".out";
    const Tensor out = Tensor::empty(Ints{2}, Dtype::F64);
    const Error error = error_of([&] { call(op, self, kw("out", out)); });
    EXPECT_EQ(error.code(), TENON_ERROR_INVALID_ARGUMENT) << op;
    EXPECT_EQ(std::string(error.what()), op + ": out must have dtype float32, got float64");
  }
  for (const char* name : {"add", "sub", "mul", "div", "rsub"}) {
    const std::string op = std::string("aten::") + name + ".Scalar_out";
    const Tensor out = Tensor::empty(Ints{2}, Dtype::F64);
    EXPECT_EQ(error_of([&] { call(op, self, 2, kw("out", out)); }).code(),
              TENON_ERROR_INVALID_ARGUMENT)
        << op;
  }
}

// Integers divided by a number are floats, and so is the out.
TEST(OutDtype, OfANumberForm_IsTheResults) {
  const Tensor self = Tensor::from<int64_t>({1, 3}, {2});
  const Tensor out = Tensor::empty(Ints{2}, Dtype::F32);
  call("aten::div.Scalar_out", self, 2, kw("out", out));
  EXPECT_EQ(elements(out), (Doubles{0.5, 1.5}));
}

TEST(OutDtype, OfCompositesThatCast_MayBeAnother) {
  const Tensor self = Tensor::from<float>({1, 5}, {2});
  const Tensor other = Tensor::from<float>({2, 2}, {2});
  const Tensor out = Tensor::empty(Ints{0}, Dtype::F64);
  call("aten::clamp.Tensor_out", self, other, other, kw("out", out));
  EXPECT_EQ(elements(out), (Doubles{2, 2}));
  call("aten::mse_loss.out", self, other, 0, kw("out", out));
  EXPECT_EQ(elements(out), (Doubles{1, 9}));
  const Error error = error_of([&] {
    call("aten::mse_loss.out", self, other, 0, kw("out", Tensor::empty(Ints{2}, Dtype::I64)));
  });
  EXPECT_EQ(std::string(error.what()),
            "aten::mse_loss.out: out must have a dtype that float32 can be cast to, got int64");
}

TEST(OutDtype, OfRealResults_DoesNotOverwriteComplexNumbers) {
  const Tensor self = Tensor::empty(Ints{2}, Dtype::C64);
  const Error error = error_of([&] { call("aten::abs_", self); });
  EXPECT_EQ(std::string(error.what()),
            "aten::abs_: self must be real to be written in place, got complex64");
}

}  // namespace
}  // namespace tenon::tests
