// SPDX-License-Identifier: Apache-2.0
// Batching rules of operators, as C++ callables.
#pragma once

#if __cplusplus <= 201703L
#error "tenon/hpp/vmap_rule.hpp needs C++20: compile with -std=c++20 or later"
#else

#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

#include "tenon/hpp/kernel.hpp"
#include "tenon/hpp/library.hpp"
#include "tenon/hpp/value.hpp"
#include "tenon/transforms.h"

// Usage:
//
//   tenon::register_vmap(library, "shop::twice",
//                        [](const tenon::VmapInfo& info, const tenon::Tensor& x) {
//                          return std::pair(aten::add(x, x), info.in_dims[0]);
//                        });

namespace tenon::inline hpp {

// Behaviour of a random operator in a vmap.
enum class Randomness : uint32_t {
  Error = TENON_RANDOMNESS_ERROR,          // it fails
  Same = TENON_RANDOMNESS_SAME,            // the same numbers for all examples of the batch
  Different = TENON_RANDOMNESS_DIFFERENT,  // different numbers for each example
};

// Describes the vmap to a batching rule.
struct VmapInfo {
  int64_t batch_size;
  Randomness randomness;
  // The mapped dim of each tensor argument, with elements of lists counted separately; -1 if it is
  // not mapped.
  std::span<const int64_t> in_dims;
};

namespace detail {

template <class F, class Signature>
struct VmapRule;
template <class F, class R, class D, class... P>
struct VmapRule<F, std::pair<R, D>(const VmapInfo&, P...)> {
  static tenon_status call(void* ctx, const tenon_op* op, const tenon_vmap_info* info,
                           const int64_t* in_dims, tenon_stack* stack, tenon_value* out_dims) {
    const VmapInfo told{info->batch_size,
                        static_cast<Randomness>(info->randomness),
                        {in_dims, static_cast<size_t>(info->ntensors)}};
    auto kernel = [&](P... arguments) -> R {
      auto [results, dims] = (*static_cast<F*>(ctx))(told, static_cast<P&&>(arguments)...);
      *out_dims = Value(dims).release();
      return std::move(results);
    };
    return Adapter<decltype(kernel), false, R, P...>::boxed(&kernel, op, 0, stack);
  }
};

}  // namespace detail

// Registers the batching rule of an operator:
//
//   [](const VmapInfo& info, const Tensor& x, double factor) -> std::pair<Tensor, int64_t>
//
// After the info the rule takes a kernel's parameters; the mapped dim is visible in its tensors. It
// returns a kernel's results and the position of the mapped dim in them: an int64_t for all
// results, a std::vector<int64_t> with one element for each (-1 if it is not mapped), or a
// std::optional<int64_t>, which is empty if no result is mapped.
template <class F>
Registration register_vmap(const Library& library, const std::string& name, F&& rule,
                           Site site = Site::here()) {
  using Callable = std::decay_t<F>;
  tenon_vmap_rule raw{};
  raw.struct_size = sizeof raw;
  raw.fn = &detail::VmapRule<Callable, typename detail::CallableOf<Callable>::type>::call;
  raw.ctx = new Callable(std::forward<F>(rule));
  raw.deleter = [](void* ctx) { delete static_cast<Callable*>(ctx); };
  raw.language = TENON_LANGUAGE_CPP;
  raw.file = site.file;
  raw.line = site.line;
  tenon_registration* registration = nullptr;
  check(tenon_library_register_vmap(library.get(), name.c_str(), &raw, &registration));
  return Registration(registration);
}

}  // namespace tenon::inline hpp

#endif
