// SPDX-License-Identifier: Apache-2.0
// PyTorch's answers, replayed on the CUDA kernels as a compiler for the host makes them.
#include <filesystem>

#include "kernels/golden.h"
#include "kernels/golden_case.h"

namespace tenon::tests {
namespace {

// Whether the CUDA plugin itself has a kernel for an operator.
bool has_kernel(const std::string& op) {
  tenon_slot_info slot{};
  slot.struct_size = sizeof(slot);
  check(tenon_introspect_get_slot(Op(op).get(), TENON_KEY_CUDA, &slot));
  return std::string(slot.name).starts_with("cuda::");
}

// What PyTorch too has for the CPU only: products of integers and 8-bit floats, which cuBLAS does
// not have, and the digits of one number of another dtype, which are rounded off where that is on
// the GPU.
bool is_for_cpu(const Case& golden) {
  const auto says = [&](const char* word) { return golden.name.find(word) != std::string::npos; };
  if (golden.op == "aten::mm") return says("int") || says("float8");
  return says("number_wide") || says("number_in_place") || says("number_out");
}

TEST(CudaOnHost, GoldenCases_AreAsOnTheCpu) {
  int cases = 0;
  int operators = 0;
  for (const auto& file : std::filesystem::directory_iterator(TENON_GOLDEN_DIR)) {
    const std::string stem = file.path().stem().string();
    if (file.path().extension() != ".txt" || stem == "inputs") continue;
    std::string last;
    for (const Case& golden : read_cases(stem)) {
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
