// SPDX-License-Identifier: Apache-2.0
// Trees: a Tensor, or vectors and tuples of trees, whose tensors are leaves in order.
#pragma once

#if __cplusplus <= 201703L
#error "tenon/hpp/tensor_tree.hpp needs C++20: compile with -std=c++20 or later"
#else

#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "tenon/hpp/tensor.hpp"

namespace tenon::inline hpp::detail {

// Properties of a type: `has_tensors` is true if it contains tensors, `is_tree` if all leaves are
// tensors. `map` makes a tree with the result of a function for each leaf, which is a tensor, or a
// value of another type if the tree has such leaves.
template <class T>
struct TreeOf {
  static constexpr bool has_tensors = std::is_same_v<T, Tensor>;
  static constexpr bool is_tree = has_tensors;

  template <class Fn>
  static auto map(const T& leaf, Fn& leaf_of) {
    return leaf_of(leaf);
  }
};

template <class T>
requires(TreeOf<T>::has_tensors) struct TreeOf<std::vector<T>> {
  static constexpr bool has_tensors = true;
  static constexpr bool is_tree = TreeOf<T>::is_tree;

  template <class Fn>
  static auto map(const std::vector<T>& tree, Fn& leaf_of) {
    std::vector<decltype(TreeOf<T>::map(std::declval<const T&>(), leaf_of))> result;
    result.reserve(tree.size());
    for (const T& each : tree) result.push_back(TreeOf<T>::map(each, leaf_of));
    return result;
  }
};

template <class... T>
struct TreeOf<std::tuple<T...>> {
  static constexpr bool has_tensors = (TreeOf<T>::has_tensors || ...);
  static constexpr bool is_tree = (TreeOf<T>::is_tree && ...);

  template <class Fn>
  static auto map(const std::tuple<T...>& tree, Fn& leaf_of) {
    // Elements in braces are evaluated in order.
    return std::apply(
        [&](const T&... each) {
          return std::tuple<decltype(TreeOf<T>::map(each, leaf_of))...>{
              TreeOf<T>::map(each, leaf_of)...};
        },
        tree);
  }
};

template <class A, class B>
struct TreeOf<std::pair<A, B>> : TreeOf<std::tuple<A, B>> {
  template <class Fn>
  static auto map(const std::pair<A, B>& tree, Fn& leaf_of) {
    using First = decltype(TreeOf<A>::map(tree.first, leaf_of));
    using Second = decltype(TreeOf<B>::map(tree.second, leaf_of));
    return std::pair<First, Second>{TreeOf<A>::map(tree.first, leaf_of),
                                    TreeOf<B>::map(tree.second, leaf_of)};
  }
};

template <class T>
concept TensorTree = TreeOf<T>::is_tree;

template <class T, class Fn>
auto map_leaves(const T& tree, Fn& leaf_of) {
  return TreeOf<T>::map(tree, leaf_of);
}

template <TensorTree T>
std::vector<Tensor> leaves_of(const T& tree) {
  std::vector<Tensor> leaves;
  auto keep = [&](const Tensor& leaf) {
    leaves.push_back(leaf);
    return leaf;
  };
  map_leaves(tree, keep);
  return leaves;
}

// Makes a tree with the structure of another one and other tensors.
template <TensorTree T>
T tree_like(const T& tree, const std::vector<Tensor>& leaves) {
  size_t index = 0;
  auto next = [&](const Tensor&) { return leaves.at(index++); };
  return map_leaves(tree, next);
}

}  // namespace tenon::inline hpp::detail

#endif
