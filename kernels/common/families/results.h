// SPDX-License-Identifier: Apache-2.0
// Results: what a functor returns that has several results, each an element of one output.
#pragma once

namespace tenon::kernels {

// Written in order, `return {mantissa, {exponent}}`.
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
