// SPDX-License-Identifier: Apache-2.0
// Results: the return value of a functor with several results, one element of each output.
#pragma once

namespace tenon::kernels {

// Initialized in order: `return {mantissa, {exponent}}`.
template <class First, class... Rest>
struct Results {
  First first;
  Results<Rest...> rest;
};
template <class Last>
struct Results<Last> {
  Last first;
};

}  // namespace tenon::kernels
