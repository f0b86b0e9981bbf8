// SPDX-License-Identifier: Apache-2.0
// Replays PyTorch's results on the CUDA kernels.
#include <algorithm>

#include "cuda/cuda_kernels.h"
#include "kernels/golden.h"
#include "kernels/golden_case.h"

namespace tenon::tests {
namespace {

// Returns true if the CUDA plugin itself has a kernel for an operator.
bool has_kernel(const std::string& op) {
  tenon_slot_info slot{};
  slot.struct_size = sizeof(slot);
  check(tenon_introspect_get_slot(Op(op).get(), TENON_KEY_CUDA, &slot));
  return std::string(slot.name).starts_with("cuda::");
}

// Returns true for cases that only the CPU can pass: products of integers and 8-bit floats, which
// cuBLAS lacks, numbers of the CPU's generator, float16 with complex numbers, which is complex32,
// and the precision of one number of another dtype, which is rounded on the GPU.
bool is_for_cpu(const Case& golden) {
  const auto says = [&](const char* word) { return golden.name.find(word) != std::string::npos; };
#if !defined(TENON_CUDA_ON_HOST)
  // An integer division by zero raises no error, because the call does not wait for the GPU.
  if (!golden.status.empty() && says("zero")) return true;
#endif
  if (golden.op == "aten::mm" || golden.op == "aten::bmm") return says("int") || says("float8");
  const auto is_generator = [](const Case::Argument& argument) {
    return argument.keyword == "generator" || argument.lines[0].rfind("generator", 0) == 0;
  };
  if (std::ranges::any_of(golden.arguments, is_generator)) return true;
  if (says("_float16") && says("complex")) return true;
  return says("number_wide") || says("number_in_place") || says("number_out");
}

TEST_F(CudaKernels, GoldenCases_AreAsOnTheCpu) {
  int cases = 0;
  int operators = 0;
  for (const std::string& file : golden_files()) {
    std::string last;
    for (const Case& golden : read_cases(file)) {
      if (!has_kernel(golden.op) || is_for_cpu(golden)) continue;
      operators += golden.op != last ? 1 : 0;
      last = golden.op;
      ++cases;
      replay_case(golden, Device(TENON_DEVICE_CUDA, 0));
    }
  }
  EXPECT_GE(operators, 50);
  EXPECT_GE(cases, 1000);
  RecordProperty("cases", cases);
}

}  // namespace
}  // namespace tenon::tests
