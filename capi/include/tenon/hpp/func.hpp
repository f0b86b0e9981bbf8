// SPDX-License-Identifier: Apache-2.0
// Transforms of functions, which nest in any order and depth. Not included by tenon.hpp, because it
// needs the operators of ATen.
//
//   auto per_sample = func::vmap(func::grad(loss), {std::nullopt, 0, 0});
//   Tensor grads = per_sample(weights, inputs, targets);
//
// A function takes trees of tensors (a Tensor, vectors and tuples of trees) and other values, and
// returns a tree. If it throws, all transforms are left.
#pragma once

#if __cplusplus <= 201703L
#error "tenon/hpp/func.hpp needs C++20: compile with -std=c++20 or later"
#else

#include <algorithm>
#include <array>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "tenon/hpp/tensor_tree.hpp"
#include "tenon/hpp/value.hpp"
#include "tenon/hpp/vmap_rule.hpp"
#include "tenon/ops/aten.hpp"
#include "tenon/transforms.h"

// Usage:
//
//   const auto loss = [](const tenon::Tensor& a) { return aten::sum(aten::mul(a, a)); };
//   y = tenon::func::grad(loss)(x);
//   y = tenon::func::vmap(tenon::func::grad(loss))(x);  // a gradient for each row

namespace tenon::inline hpp {

namespace detail {

// A call of a function through the C interface, which replaces the tensors in the arguments.
template <class F, class... Args>
class FlatCall {
 public:
  using Output = std::remove_cvref_t<std::invoke_result_t<const F&, const Args&...>>;
  static_assert(TensorTree<Output>,
                "a function that is transformed must return a Tensor, or vectors and tuples of "
                "Tensors");

  explicit FlatCall(const F& function, const Args&... args)
      : function_(function), args_(args...), counts_{count_leaves(args)...} {
    stack_.args = values_.data();
    stack_.nargs = static_cast<uint32_t>(values_.size());
    stack_.rets = &ret_;
    stack_.nrets = 1;
  }
  FlatCall(const FlatCall&) = delete;
  FlatCall& operator=(const FlatCall&) = delete;

  // The tenon_callable of this object, which is its context.
  static tenon_status run(void* self, tenon_stack* stack) {
    return guarded(&stack->error, [&] { static_cast<FlatCall*>(self)->call(stack); });
  }
  tenon_stack* stack() noexcept { return &stack_; }
  // Number of leaves of each argument.
  const std::array<size_t, sizeof...(Args)>& counts() const noexcept { return counts_; }

  // Makes a tree with the structure of the output from the tensors in a value.
  Output output_of(tenon_value value) const {
    const Value owner(value);
    if constexpr (std::is_same_v<Output, Tensor>) {
      return owner.tensor();
    } else {
      const TensorList list = owner.tensors();
      std::vector<Tensor> leaves;
      for (int64_t i = 0; i < list.size(); ++i) leaves.push_back(*list[i]);
      return tree_like(*output_, leaves);
    }
  }
  Output take_output() { return output_of(std::exchange(ret_, tenon_value{})); }

 private:
  template <class T>
  static tenon_value value_of(const T& leaf) {
    if constexpr (std::is_same_v<T, Tensor>) {
      return tenon_value_of_tensor(leaf ? leaf.get() : tenon_tensor_undefined());
    } else {
      return tenon_value{};  // not passed through C
    }
  }

  template <class T>
  size_t count_leaves(const T& tree) {
    const size_t before = values_.size();
    if constexpr (TreeOf<T>::has_tensors) {
      auto add = [&](const auto& leaf) {
        values_.push_back(value_of(leaf));
        return leaf;
      };
      map_leaves(tree, add);
    } else {
      values_.push_back(value_of(tree));
    }
    return values_.size() - before;
  }

  template <class T>
  static decltype(auto) given(const T& tree, const tenon_value** next) {
    if constexpr (TreeOf<T>::has_tensors) {
      auto leaf_of = [&]<class L>(const L& leaf) -> L {
        [[maybe_unused]] const tenon_value& value = *(*next)++;
        if constexpr (std::is_same_v<L, Tensor>) {
          return Tensor::retain(value.as.tensor);
        } else {
          return leaf;
        }
      };
      return map_leaves(tree, leaf_of);
    } else {
      ++*next;
      return (tree);
    }
  }

  void call(tenon_stack* stack) {
    const tenon_value* next = stack->args;
    output_.emplace(std::apply(
        [&](const Args&... args) {
          const std::tuple<decltype(given(args, &next))...> inner{given(args, &next)...};
          return std::apply(function_, inner);
        },
        args_));
    if constexpr (std::is_same_v<Output, Tensor>) {
      stack->rets[0] = Value(*output_).release();
    } else {
      stack->rets[0] = Value(leaves_of(*output_)).release();
    }
  }

  const F& function_;
  const std::tuple<const Args&...> args_;
  std::vector<tenon_value> values_;  // before counts_, whose initializer fills it
  const std::array<size_t, sizeof...(Args)> counts_;
  std::optional<Output> output_;
  tenon_value ret_{};
  tenon_stack stack_{};
};

// Makes a function of the arguments at kPlaces, which passes the current values of the others.
template <size_t... kPlaces, class F, class... Args>
auto of_places(const F& function, const Args&... args) {
  return [&function, all = std::tie(args...)](const auto&... some) {
    const auto given = std::tie(some...);
    const auto at = [&]<size_t kIndex>(std::integral_constant<size_t, kIndex>) -> const auto& {
      constexpr std::array places{kPlaces...};
      constexpr size_t place =
          static_cast<size_t>(std::find(places.begin(), places.end(), kIndex) - places.begin());
      if constexpr (place < places.size()) {
        return std::get<place>(given);
      } else {
        return std::get<kIndex>(all);
      }
    };
    return [&]<size_t... I>(std::index_sequence<I...>) {
      return function(at(std::integral_constant<size_t, I>())...);
    }
    (std::index_sequence_for<Args...>());
  };
}

// Returns the element of a tuple with one element, or the tuple itself if it has several.
template <class... T>
auto one_or_tuple(const std::tuple<T...>& all) {
  if constexpr (sizeof...(T) == 1) {
    return std::get<0>(all);
  } else {
    return all;
  }
}

// Returns the unit vectors of all tensors together: for each tensor, a batch whose first dim runs
// over the elements of all tensors.
inline std::vector<Tensor> unit_vectors(const std::vector<Tensor>& tensors) {
  int64_t total = 0;
  for (const Tensor& each : tensors) total += each.numel();
  std::vector<Tensor> units;
  int64_t start = 0;
  for (const Tensor& each : tensors) {
    const int64_t count = each.numel();
    const Tensor rows =
        ops::aten::zeros({total, count}, {.dtype = each.dtype(), .device = each.device()});
    ops::aten::fill_(ops::aten::as_strided(rows, {count}, {count + 1}, start * count), 1);
    std::vector<int64_t> sizes{total};
    sizes.insert(sizes.end(), each.sizes().begin(), each.sizes().end());
    units.push_back(ops::aten::reshape(rows, sizes));
    start += count;
  }
  return units;
}

// Returns the slice of a tensor along a dim that runs over the elements of another tensor, reshaped
// to the sizes `first` and `second`.
inline Tensor block_of(const Tensor& tensor, int64_t dim, int64_t start, int64_t count, Sizes first,
                       Sizes second) {
  std::vector<int64_t> sizes(first.begin(), first.end());
  sizes.insert(sizes.end(), second.begin(), second.end());
  return ops::aten::reshape(ops::aten::slice(tensor, dim, start, start + count), sizes);
}

}  // namespace detail

namespace func {

// The mapped dims: one for all tensors, or one for each argument or result, none for one that is
// not mapped. The dim of an argument applies to all tensors in it.
class Dims {
 public:
  Dims(int64_t all = 0) : each_{all} {}
  Dims(std::initializer_list<std::optional<int64_t>> each) {
    for (const std::optional<int64_t>& dim : each) each_.push_back(dim.value_or(TENON_DIM_NONE));
  }
  const std::vector<int64_t>& each() const noexcept { return each_; }
  // Returns one dim for each leaf, if there is one for each argument.
  template <class Counts>
  std::vector<int64_t> of_leaves(const Counts& counts) const {
    if (each_.size() == 1 || each_.size() != counts.size()) return each_;
    std::vector<int64_t> spread;
    for (size_t i = 0; i < counts.size(); ++i) spread.insert(spread.end(), counts[i], each_[i]);
    return spread;
  }

 private:
  std::vector<int64_t> each_;
};

struct VmapOptions {
  Randomness randomness = Randomness::Error;
  int64_t chunk_size = 0;     // number of examples to run at once; 0: all
  const char* name = "vmap";  // name of the function in messages
};

// Makes a function that maps another one over a dim of its arguments. The function is called once,
// with tensors that lack the dim. Throws if the dims do not fit.
template <class F>
auto vmap(F function, Dims in_dims = {}, Dims out_dims = {}, VmapOptions options = {}) {
  return [=](const auto&... args) {
    detail::FlatCall call(function, args...);
    const std::vector<int64_t> in = in_dims.of_leaves(call.counts());
    tenon_vmap_options raw{};
    raw.struct_size = sizeof raw;
    raw.randomness = static_cast<uint32_t>(options.randomness);
    raw.name = options.name;
    raw.in_dims = in.data();
    raw.nin_dims = static_cast<int64_t>(in.size());
    raw.out_dims = out_dims.each().data();
    raw.nout_dims = static_cast<int64_t>(out_dims.each().size());
    raw.chunk_size = options.chunk_size;
    check(tenon_vmap(&call.run, &call, &raw, call.stack()));
    return call.take_output();
  };
}

// Computes the gradients of a function's arguments (a value for one argument, a tuple for several)
// from those of its result. Can run any number of times. Copies share the recorded graph.
template <class Output, class... Args>
class Pullback {
 public:
  // Takes over the reference.
  Pullback(tenon_pullback* handle, const Args&... primals)
      : handle_(handle, &tenon_pullback_release), primals_(primals...) {}

  auto operator()(const Output& cotangents) const { return run(detail::leaves_of(cotangents)); }
  // Starts from the gradient 1, for a 0-dim result.
  auto operator()() const { return run({Tensor()}); }

 private:
  auto run(const std::vector<Tensor>& cotangents) const {
    int64_t count = 0;
    static_cast<void>(tenon_pullback_count(handle_.get(), &count));
    std::vector<tenon_tensor*> handles;
    for (const Tensor& each : cotangents) handles.push_back(each.get());
    std::vector<tenon_tensor*> found(static_cast<size_t>(count), nullptr);
    check(tenon_pullback_run(handle_.get(), handles.data(), static_cast<int64_t>(handles.size()),
                             found.data()));
    const std::vector<Tensor> grads(found.begin(), found.end());
    return detail::one_or_tuple(detail::tree_like(primals_, grads));
  }

  std::shared_ptr<tenon_pullback> handle_;
  std::tuple<Args...> primals_;  // for their structure
};

// Calls a function. Returns its result and the Pullback to its arguments.
template <class F, detail::TensorTree... Args>
auto vjp(const F& function, const Args&... primals) {
  detail::FlatCall call(function, primals...);
  using Output = typename decltype(call)::Output;
  tenon_pullback* handle = nullptr;
  check(tenon_vjp(&call.run, &call, call.stack(), &handle));
  Pullback<Output, Args...> pullback(handle, primals...);
  return std::pair<Output, Pullback<Output, Args...>>(call.take_output(), std::move(pullback));
}

// Calls a function. Returns its result and the derivative of the result along the tangents, which
// are one for each argument.
template <class F, detail::TensorTree... Args>
auto jvp(const F& function, const std::tuple<Args...>& primals,
         const std::tuple<Args...>& tangents) {
  return std::apply(
      [&](const Args&... args) {
        detail::FlatCall call(function, args...);
        const std::vector<Tensor> directions = detail::leaves_of(tangents);
        if (directions.size() != call.stack()->nargs) {
          throw Error(TENON_ERROR_INVALID_ARGUMENT,
                      "jvp: tangents must be " + std::to_string(call.stack()->nargs) +
                          " like the primals, got " + std::to_string(directions.size()));
        }
        std::vector<tenon_tensor*> handles;
        for (const Tensor& each : directions) handles.push_back(each.get());
        tenon_value tangent{};
        check(tenon_jvp(&call.run, &call, call.stack(), handles.data(), &tangent));
        auto derivative = call.output_of(tangent);
        return std::pair(call.take_output(), std::move(derivative));
      },
      primals);
}
template <class F>
auto jvp(const F& function, const Tensor& primal, const Tensor& tangent) {
  return jvp(function, std::tuple(primal), std::tuple(tangent));
}

// Makes a function that returns (gradient, value) of a function whose result is a 0-dim Tensor. The
// gradient is that of the argument at the index in kArgnums, a tuple for several indices, and that
// of the first argument if there are none.
template <size_t... kArgnums, class F>
auto grad_and_value(F function) {
  if constexpr (sizeof...(kArgnums) == 0) {
    return grad_and_value<0>(std::move(function));
  } else {
    return [function = std::move(function)](const auto&... args) {
      const auto all = std::tie(args...);
      const auto of_some = detail::of_places<kArgnums...>(function, args...);
      auto [value, pullback] = vjp(of_some, std::get<kArgnums>(all)...);
      static_assert(std::is_same_v<decltype(value), Tensor>,
                    "a function whose gradient is taken must return one Tensor");
      auto gradient = pullback();
      return std::pair(std::move(gradient), std::move(value));
    };
  }
}

template <size_t... kArgnums, class F>
auto grad(F function) {
  return [with_value = grad_and_value<kArgnums...>(std::move(function))](const auto&... args) {
    return with_value(args...).first;
  };
}

// Makes a function that returns the Jacobian of another one, computed by one backward pass for all
// rows. It has the structure of the result, and for each of its tensors the structure of the
// arguments. Each tensor has the sizes of the result followed by those of the argument. kArgnums
// are as for grad_and_value().
template <size_t... kArgnums, class F>
auto jacrev(F function, VmapOptions options = {}) {
  if constexpr (sizeof...(kArgnums) == 0) {
    return jacrev<0>(std::move(function), options);
  } else {
    return [function = std::move(function), options](const auto&... args) {
      const auto all = std::tie(args...);
      const auto of_some = detail::of_places<kArgnums...>(function, args...);
      const auto recorded = vjp(of_some, std::get<kArgnums>(all)...);
      const auto& [output, pullback] = recorded;
      const auto some = detail::one_or_tuple(std::make_tuple(std::get<kArgnums>(all)...));
      const std::vector<Tensor> inputs = detail::leaves_of(some);
      const auto pull = [&](const std::vector<Tensor>& units) {
        return detail::leaves_of(recorded.second(detail::tree_like(recorded.first, units)));
      };
      const std::vector<Tensor> rows =
          vmap(pull, 0, 0, options)(detail::unit_vectors(detail::leaves_of(output)));
      int64_t start = 0;
      auto blocks_of = [&](const Tensor& result) {
        const int64_t count = result.numel();
        std::vector<Tensor> blocks;
        for (size_t i = 0; i < inputs.size(); ++i) {
          blocks.push_back(
              detail::block_of(rows[i], 0, start, count, result.sizes(), inputs[i].sizes()));
        }
        start += count;
        return detail::tree_like(some, blocks);
      };
      return detail::map_leaves(output, blocks_of);
    };
  }
}

// Like jacrev(), but in forward mode, for all columns at once.
template <size_t... kArgnums, class F>
auto jacfwd(F function, VmapOptions options = {}) {
  if constexpr (sizeof...(kArgnums) == 0) {
    return jacfwd<0>(std::move(function), options);
  } else {
    return [function = std::move(function), options](const auto&... args) {
      const auto all = std::tie(args...);
      const auto of_some = detail::of_places<kArgnums...>(function, args...);
      const auto primals = std::make_tuple(std::get<kArgnums>(all)...);
      const auto some = detail::one_or_tuple(primals);
      const std::vector<Tensor> inputs = detail::leaves_of(some);
      const auto push = [&](const std::vector<Tensor>& units) {
        return jvp(of_some, primals, detail::tree_like(primals, units)).second;
      };
      const auto columns = vmap(push, 0, -1, options)(detail::unit_vectors(inputs));
      auto blocks_of = [&](const Tensor& column) {
        const Sizes sizes = column.sizes().first(static_cast<size_t>(column.ndim() - 1));
        std::vector<Tensor> blocks;
        int64_t start = 0;
        for (const Tensor& input : inputs) {
          blocks.push_back(
              detail::block_of(column, -1, start, input.numel(), sizes, input.sizes()));
          start += input.numel();
        }
        return detail::tree_like(some, blocks);
      };
      return detail::map_leaves(columns, blocks_of);
    };
  }
}

// Makes a function that returns the Hessian of another one: forward mode over backward passes.
template <size_t... kArgnums, class F>
auto hessian(F function) {
  return jacfwd<kArgnums...>(jacrev<kArgnums...>(std::move(function)));
}

}  // namespace func

}  // namespace tenon::inline hpp

#endif
