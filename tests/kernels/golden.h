// SPDX-License-Identifier: Apache-2.0
// Replays the golden files: calls of operators through the public interface, with PyTorch's
// results.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include "tenon/tenon.hpp"

namespace tenon::tests {

// Replays a golden file by its name in golden_files(): every case on the CPU, and on Meta if the
// result does not depend on data. Reports each difference as a failure that names the case.
void replay(const std::string& file);

struct Case;

// Replays one case (golden_case.h) on a device.
void replay_case(const Case& golden, const Device& device);

// Returns the elements in row-major order as doubles, bools as 0 and 1. Refuses complex tensors.
std::vector<double> elements(const Tensor& tensor);

// Sizes and strides as vectors, to compare.
std::vector<int64_t> sizes(const Tensor& tensor);
std::vector<int64_t> strides(const Tensor& tensor);

// Calls an operator and returns its only result.
template <class... A>
Tensor call(const std::string& name, A&&... arguments) {
  return Op(name)(std::forward<A>(arguments)...).at(0).tensor();
}

// A tensor on Meta.
Tensor meta(std::initializer_list<int64_t> sizes, Dtype dtype = Dtype::F32);

// Runs `body` and returns the error that it throws; fails the test if it throws none.
template <class Body>
Error error_of(Body&& body) {
  try {
    body();
  } catch (const Error& error) {
    return error;
  }
  ADD_FAILURE() << "an error must be raised, got none";
  return Error(TENON_ERROR_INTERNAL, "none");
}

using Ints = std::vector<int64_t>;
using Doubles = std::vector<double>;

}  // namespace tenon::tests
