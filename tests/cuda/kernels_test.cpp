// SPDX-License-Identifier: Apache-2.0
// CUDA kernels, compared with CPU kernels: dtypes, broadcasts, strides, casts, errors.
#include "cuda/cuda_kernels.h"

#include <cmath>
#include <string>
#include <vector>

namespace tenon::tests {
namespace {

// Returns increasing float64 numbers of the given sizes, cast to the dtype.
Tensor ramp(const std::vector<int64_t>& sizes, Dtype dtype, double step = 0.25) {
  int64_t numel = 1;
  for (const int64_t size : sizes) numel *= size;
  std::vector<double> elements;
  for (int64_t i = 0; i < numel; ++i) elements.push_back(static_cast<double>(i % 23) * step - 2.0);
  return cast(Tensor::from(std::span<const double>(elements), sizes), dtype);
}

// Asserts equal dtype and sizes, and elements within a relative tolerance.
void expect_same(const Tensor& cuda, const Tensor& cpu, double tolerance, const std::string& what) {
  ASSERT_EQ(cuda.device().type, TENON_DEVICE_CUDA) << what;
  ASSERT_EQ(cuda.dtype(), cpu.dtype()) << what;
  ASSERT_TRUE(std::ranges::equal(cuda.sizes(), cpu.sizes())) << what;
  const Tensor got = one("aten::clone", cast(to(cuda, "cpu"), Dtype::C128));
  const Tensor want = one("aten::clone", cast(cpu, Dtype::C128));
  for (int64_t i = 0; i < want.numel(); ++i) {
    const auto g = got.data<std::complex<double>>()[i];
    const auto w = want.data<std::complex<double>>()[i];
    ASSERT_LE(std::abs(g - w), tolerance * std::max(1.0, std::abs(w))) << what << " at " << i;
  }
}

const Dtype kDtypes[] = {Dtype::U8,   Dtype::I8,  Dtype::I16, Dtype::I32, Dtype::I64, Dtype::F16,
                         Dtype::BF16, Dtype::F32, Dtype::F64, Dtype::C64, Dtype::C128};

TEST_F(CudaKernels, AddAndMul_AllDtypes_EqualTheCpu) {
  for (const Dtype dtype : kDtypes) {
    const Tensor a = ramp({5, 7}, dtype), b = ramp({7}, dtype, 1.0);
    expect_same(one("aten::add.Tensor", to(a, "cuda"), to(b, "cuda"), kw("alpha", 2)),
                one("aten::add.Tensor", a, b, kw("alpha", 2)), 0.01, name_of(dtype));
    expect_same(one("aten::mul.Tensor", to(a, "cuda"), to(b, "cuda")),
                one("aten::mul.Tensor", a, b), 0.01, name_of(dtype));
  }
}

TEST_F(CudaKernels, MixedDtypesAndNumbers_Promote) {
  const Tensor a = ramp({4}, Dtype::I32), b = ramp({3, 1}, Dtype::F16);
  expect_same(one("aten::add.Tensor", to(a, "cuda"), to(b, "cuda")), one("aten::add.Tensor", a, b),
              0.01, "int32 + float16");
  expect_same(one("aten::mul.Scalar", to(a, "cuda"), 2.5), one("aten::mul.Scalar", a, 2.5), 1e-6,
              "int32 * 2.5");
}

// Numbers and 0-dim CPU tensors are launch parameters, with full precision.
TEST_F(CudaKernels, ElementOnTheCpu_KeepsItsDigits) {
  for (const Dtype dtype : {Dtype::F16, Dtype::BF16, Dtype::F32}) {
    const Tensor a = ramp({40}, dtype, 48.75);
    const Tensor sliced = one("aten::slice.Tensor", to(a, "cuda"), 0, 1, 40, 3);
    const Tensor number = Tensor::from<float>({0.3F}, {});
    for (const char* name : {"aten::mul.Tensor", "aten::div.Tensor"}) {
      expect_same(one(name, to(a, "cuda"), number), one(name, a, number), 0, name_of(dtype));
      expect_same(one(name, sliced, number),
                  one(name, one("aten::slice.Tensor", a, 0, 1, 40, 3), number), 0, name_of(dtype));
    }
  }
}

// Sizes around those of vectors, blocks and parts of reductions, and unaligned offsets.
TEST_F(CudaKernels, SizesAndOffsets_EqualTheCpu) {
  for (const int64_t size : {1, 3, 4, 5, 255, 256, 257, 1023, 40000}) {
    for (const Dtype dtype : {Dtype::U8, Dtype::F16, Dtype::F32, Dtype::C128}) {
      const Tensor a = ramp({size + 1}, dtype), cuda = to(a, "cuda");
      for (const int64_t begin : {0, 1}) {
        const auto part = [&](const Tensor& whole) {
          return one("aten::slice.Tensor", whole, 0, begin, begin + size, 1);
        };
        expect_same(one("aten::add.Tensor", part(cuda), part(cuda)),
                    one("aten::add.Tensor", part(a), part(a)), 0, name_of(dtype));
        expect_same(one("aten::sum", part(cuda)), one("aten::sum", part(a)), 0.02, name_of(dtype));
      }
    }
  }
}

// Equal elements and NaN are in the ranges of several threads, parts and blocks.
TEST_F(CudaKernels, FirstOfEquals_IsFound) {
  std::vector<float> elements(300000, 1.0F);
  const std::vector<int64_t> sizes{3, 100000};
  for (const float top : {7.0F, std::nanf("")}) {
    for (const size_t at : {70123, 70124, 99999, 100003, 299998, 299999}) elements[at] = top;
    const Tensor a = Tensor::from(std::span<const float>(elements), sizes), cuda = to(a, "cuda");
    expect_same(one("aten::argmax", cuda), one("aten::argmax", a), 0, "all");
    for (const int64_t dim : {0, 1}) {
      const auto expected = Op("aten::max.dim")(a, dim), got = Op("aten::max.dim")(cuda, dim);
      expect_same(got[1].tensor(), expected[1].tensor(), 0, "dim " + std::to_string(dim));
    }
  }
}

TEST_F(CudaKernels, StridedInputs_EqualTheCpu) {
  const Tensor a = ramp({6, 8}, Dtype::F32), b = ramp({8, 6}, Dtype::F32);
  const Tensor at = one("aten::transpose.int", to(a, "cuda"), 0, 1);
  expect_same(one("aten::add.Tensor", at, to(b, "cuda")),
              one("aten::add.Tensor", one("aten::transpose.int", a, 0, 1), b), 1e-6, "transposed");
  const Tensor sliced = one("aten::slice.Tensor", to(a, "cuda"), 1, 1, 8, 3);
  expect_same(one("aten::clone", sliced),
              one("aten::clone", one("aten::slice.Tensor", a, 1, 1, 8, 3)), 0, "sliced");
}

TEST_F(CudaKernels, CopyBothWays_CastsAndBroadcasts) {
  for (const Dtype dtype : kDtypes) {
    const Tensor source = ramp({4, 3}, dtype);
    Tensor target = one("aten::zeros", std::vector<int64_t>{2, 4, 3}, kw("dtype", Dtype::F64),
                        kw("device", Device("cuda")));
    Tensor expected = one("aten::zeros", std::vector<int64_t>{2, 4, 3}, kw("dtype", Dtype::C128));
    Op("aten::copy_")(expected, source);
    if (is_complex(dtype)) continue;
    Op("aten::copy_")(target, source);
    expect_same(target, cast(expected, Dtype::F64), 0, name_of(dtype));
  }
}

TEST_F(CudaKernels, Full_FillsEveryDtype) {
  for (const Dtype dtype : kDtypes) {
    const std::vector<int64_t> sizes{3, 5};
    expect_same(one("aten::full", sizes, 3, kw("dtype", dtype), kw("device", Device("cuda"))),
                one("aten::full", sizes, 3, kw("dtype", dtype)), 0, name_of(dtype));
  }
}

TEST_F(CudaKernels, Sum_AllAndDims_EqualTheCpu) {
  for (const Dtype dtype : kDtypes) {
    const Tensor a = ramp({4, 300, 5}, dtype);
    expect_same(one("aten::sum", to(a, "cuda")), one("aten::sum", a), 0.02, name_of(dtype));
    for (const std::vector<int64_t>& dims : {std::vector<int64_t>{1}, {0, 2}, {-1}}) {
      expect_same(one("aten::sum.dim_IntList", to(a, "cuda"), dims, true),
                  one("aten::sum.dim_IntList", a, dims, true), 0.02, name_of(dtype));
    }
  }
  const Tensor empty = ramp({0, 3}, Dtype::F32);
  expect_same(one("aten::sum.dim_IntList", to(empty, "cuda"), std::vector<int64_t>{0}),
              one("aten::sum.dim_IntList", empty, std::vector<int64_t>{0}), 0, "empty");
}

TEST_F(CudaKernels, Mm_FloatingDtypesAndLayouts_EqualTheCpu) {
  for (const Dtype dtype :
       {Dtype::F16, Dtype::BF16, Dtype::F32, Dtype::F64, Dtype::C64, Dtype::C128}) {
    const Tensor a = ramp({9, 17}, dtype), b = ramp({17, 5}, dtype), bt = ramp({5, 17}, dtype);
    expect_same(one("aten::mm", to(a, "cuda"), to(b, "cuda")), one("aten::mm", a, b), 0.02,
                name_of(dtype));
    expect_same(one("aten::mm", to(a, "cuda"), one("aten::transpose.int", to(bt, "cuda"), 0, 1)),
                one("aten::mm", a, one("aten::transpose.int", bt, 0, 1)), 0.02, name_of(dtype));
  }
  const Tensor empty = ramp({3, 0}, Dtype::F32);
  expect_same(one("aten::mm", to(empty, "cuda"), to(ramp({0, 2}, Dtype::F32), "cuda")),
              one("aten::mm", empty, ramp({0, 2}, Dtype::F32)), 0, "no inner dim");
}

TEST_F(CudaKernels, Bmm_BatchesAndLayouts_EqualTheCpu) {
  for (const Dtype dtype :
       {Dtype::F16, Dtype::BF16, Dtype::F32, Dtype::F64, Dtype::C64, Dtype::C128}) {
    const Tensor a = ramp({3, 5, 7}, dtype), b = ramp({3, 7, 2}, dtype),
                 bt = ramp({3, 2, 7}, dtype);
    expect_same(one("aten::bmm", to(a, "cuda"), to(b, "cuda")), one("aten::bmm", a, b), 0.02,
                name_of(dtype));
    expect_same(one("aten::bmm", to(a, "cuda"), one("aten::transpose.int", to(bt, "cuda"), 1, 2)),
                one("aten::bmm", a, one("aten::transpose.int", bt, 1, 2)), 0.02, name_of(dtype));
    const Tensor shared =
        one("aten::expand", ramp({1, 7, 2}, dtype), std::vector<int64_t>{3, 7, 2});
    expect_same(one("aten::matmul", to(a, "cuda"), to(shared, "cuda")),
                one("aten::matmul", a, shared), 0.02, name_of(dtype));
  }
  const Tensor empty = ramp({2, 3, 0}, Dtype::F32);
  expect_same(one("aten::bmm", to(empty, "cuda"), to(ramp({2, 0, 4}, Dtype::F32), "cuda")),
              one("aten::bmm", empty, ramp({2, 0, 4}, Dtype::F32)), 0, "no inner dim");
}

TEST_F(CudaKernels, BadArguments_AreRefused) {
  const Tensor cpu = ramp({3}, Dtype::F32);
  const Tensor cuda = to(cpu, "cuda");
  EXPECT_THROW(Op("aten::add.Tensor")(cuda, cpu), Error);
  EXPECT_THROW(Op("aten::mm")(cuda, cuda), Error);
  EXPECT_THROW(Op("aten::bmm")(cuda, cuda), Error);
  EXPECT_THROW(Op("aten::sort")(cuda), Error);
}

}  // namespace
}  // namespace tenon::tests
