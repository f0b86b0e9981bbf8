// SPDX-License-Identifier: Apache-2.0
// A plugin in the first tenon.hpp: kernels with inferred adapters, errors, a block for one key.
#include <string>
#include <tuple>

#include <tenon/tenon.hpp>

#include "first.h"

namespace {

using tenon::Tensor;

Tensor scale(const Tensor& x, double by) {
  Tensor out = Tensor::empty(x.sizes(), tenon::Dtype::F32);
  for (int64_t i = 0; i < x.numel(); ++i) {
    out.data<float>()[i] = static_cast<float>(x.data<float>()[i] * by);
  }
  return out;
}

std::tuple<std::string, int64_t> describe(tenon::TensorList tensors, std::span<const int64_t> ints,
                                          std::optional<int64_t> maybe, std::string_view text,
                                          bool flag) {
  int64_t elements = 0;
  int64_t sum = 0;
  for (int64_t i = 0; i < tensors.size(); ++i) elements += tenon_tensor_numel(tensors.data()[i]);
  for (const int64_t each : ints) sum += each;
  return {std::to_string(elements) + " elements, " + std::to_string(sum) + ", " +
              (maybe ? std::to_string(*maybe) : "none") + ", " + std::string(text) + ", " +
              (flag ? "true" : "false"),
          tensors.size()};
}

}  // namespace

TENON_LIBRARY(first_cpp, m) {
  m.def("scale(Tensor x, float by=2.0) -> Tensor");
  m.def("describe(Tensor[] ts, int[] ns, int? n, str s, bool b) -> (str, int)", &describe);
  m.def("refuse(str what) -> ()", [](std::string_view what) {
    throw tenon::Error(TENON_ERROR_INDEX, "refused: " + std::string(what));
  });
}

TENON_IMPL(first_cpp, CPU, m) { m.impl("scale", &scale); }

TENON_PLUGIN("abi_first_cpp", "0.1");
