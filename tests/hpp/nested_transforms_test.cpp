// SPDX-License-Identifier: Apache-2.0
// Applies every pair of transforms, nested in both orders, to x -> square(x) * x. The square is an
// operator, a custom function (C++ or C), or a custom operator with a gradient formula. The custom
// ones define their derivative as 3x instead of 2x: a transform that differentiates the operators
// inside them, rather than calling their own gradient, computes wrong numbers and the test fails.
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <tuple>
#include <vector>

#include <tenon/hpp/func.hpp>
#include <tenon/ops/aten.hpp>
#include <tenon/tenon.hpp>

namespace {

using namespace tenon;
namespace aten = tenon::ops::aten;
using autograd::AutogradContext;
using autograd::variable_list;
using Fn = std::function<Tensor(const Tensor&)>;

// ---- Squares ------------------------------------------------------------------------------------

Tensor scaled(const Tensor& by, const Tensor& x) { return aten::mul(aten::mul(by, x), 3.0); }

struct Square : autograd::Function<Square> {
  static Tensor forward(AutogradContext* ctx, const Tensor& x) {
    ctx->save_for_backward({x});
    return aten::mul(x, x);
  }
  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    return {scaled(grads[0], ctx->get_saved_variables()[0])};
  }
  static variable_list jvp(AutogradContext* ctx, variable_list tangents) {
    return {scaled(tangents[0], ctx->get_saved_variables()[0])};
  }
};

struct WithoutJvp : autograd::Function<WithoutJvp> {
  static Tensor forward(AutogradContext* ctx, const Tensor& x) {
    ctx->save_for_backward({x});
    ctx->saved_data["three"] = Value(int64_t{3});
    return aten::mul(x, x);
  }
  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    EXPECT_TRUE(ctx->saved_data.contains("three"));
    return {scaled(grads[0], ctx->get_saved_variables()[0])};
  }
};

// Like Square, but defined through the C API, and with the saved tensor kept on the call.
tenon_status square(void*, tenon_function_context* context, tenon_stack* stack) {
  tenon_status status = tenon_function_context_save(context, stack->args, 1);
  if (status == TENON_OK) {
    Tensor x = Tensor::retain(stack->args[0].as.tensor);
    stack->rets[0] = Value(aten::mul(x, x)).release();
  }
  return status;
}
tenon_status square_backward(const tenon_backward_call* call) {
  const Tensor grad = Tensor::retain(call->grads[0]);
  call->out_grads[0] = scaled(grad, Tensor::retain(call->saved[0].as.tensor)).release();
  return TENON_OK;
}
tenon_status square_jvp(void*, tenon_function_context* context, const tenon_value* tangents,
                        tenon_value* out_tangents) {
  tenon_value saved;
  const tenon_status status = tenon_function_context_copy_saved(context, 0, &saved);
  if (status != TENON_OK) return status;
  const Tensor x(saved.as.tensor);
  out_tangents[0] = Value(scaled(Tensor::retain(tangents[0].as.tensor), x)).release();
  return TENON_OK;
}

Tensor apply_c_function(const Tensor& x) {
  static tenon_object* const function = [] {
    tenon_function_type type{};
    type.struct_size = sizeof type;
    type.name = "CSquare";
    type.forward = &square;
    type.backward = &square_backward;
    type.jvp = &square_jvp;
    type.language = TENON_LANGUAGE_C;
    tenon_object* made = nullptr;
    check(tenon_function_new(&type, &made));
    return made;
  }();
  const tenon_value argument = tenon_value_of_tensor(x.get());
  tenon_value result;
  check(tenon_function_apply(function, &argument, 1, &result));
  return Tensor(result.as.tensor);
}

Tensor apply_operator(const Tensor& x) {
  static const Op op = [] {
    static Library library(Library::Def, "nested");
    Op defined = library.def("square(Tensor x) -> Tensor");
    library.impl("square", TENON_KEY_COMPOSITE_EXPLICIT_AUTOGRAD,
                 [](const Tensor& given) { return aten::mul(given, given); });
    static Registration formula = register_autograd(library, "square", "x: grad * x * 3");
    return defined;
  }();
  const tenon_value argument = tenon_value_of_tensor(x.get());
  tenon_value result;
  check(tenon_op_call_named(op.get(), &argument, 1, nullptr, nullptr, 0, &result, 1));
  return Tensor(result.as.tensor);
}

struct Kind {
  const char* name;
  enum { kOperator, kFunction, kWithoutJvp } kind;
  Fn square;
  double gradient;  // the derivative of the square at x, divided by x
};
const std::vector<Kind>& kinds() {
  static const std::vector<Kind> all = {
      {"Operator", Kind::kOperator, [](const Tensor& x) { return aten::mul(x, x); }, 2},
      {"Function", Kind::kFunction, [](const Tensor& x) { return Square::apply(x); }, 3},
      {"FunctionWithoutJvp", Kind::kWithoutJvp,
       [](const Tensor& x) { return WithoutJvp::apply(x); }, 3},
      {"CFunction", Kind::kFunction, &apply_c_function, 3},
      {"CustomOp", Kind::kOperator, &apply_operator, 3},
  };
  return all;
}

// ---- Transforms --------------------------------------------------------------------------------
//
// Each takes a function and returns another one: its derivative summed over all elements, except
// for vmap, which computes the same values as the function.

Fn by_grad(const Fn& f) {
  return func::grad([f](const Tensor& x) { return aten::sum(f(x)); });
}
Fn by_vmap(const Fn& f) { return func::vmap(f); }
Fn by_jvp(const Fn& f) {
  return [f](const Tensor& x) { return func::jvp(f, x, aten::ones_like(x)).second; };
}
Fn by_jacrev(const Fn& f) {
  return [f](const Tensor& x) {
    const Tensor rows = func::jacrev(f)(x);
    std::vector<int64_t> dims;
    for (int64_t dim = 0; dim < x.ndim(); ++dim) dims.push_back(dim);
    return dims.empty() ? rows : aten::sum(rows, dims);
  };
}
// Tensors that may hold a gradient after the test. With create_graph, a gradient's graph refers to
// the tensor that holds the gradient; end_cycles() breaks these reference cycles.
std::vector<Tensor>& with_gradients() {
  static std::vector<Tensor> tensors;
  return tensors;
}
void end_cycles() {
  for (const Tensor& tensor : with_gradients()) {
    // Tensors of a transform that has ended hold no gradient, and setting one is an error.
    if (tenon_tensor_set_grad(tensor.get(), nullptr) != TENON_OK) {
      tenon_error_release(tenon_error_take());
    }
  }
  with_gradients().clear();
}

// Returns a copy of x that requires a gradient; it is a leaf unless x already requires one.
Tensor follow(const Tensor& x) {
  Tensor leaf = aten::clone(x);
  if (!leaf.requires_grad()) leaf.set_requires_grad(true);
  with_gradients().push_back(x);
  with_gradients().push_back(leaf);
  return leaf;
}
Fn by_backward(const Fn& f) {
  return [f](const Tensor& x) {
    const Tensor leaf = follow(x);
    check(tenon_tensor_retain_grad(leaf.get()));
    const Tensor sum = aten::sum(f(leaf));
    // Clear a gradient that a backward pass inside of `f` has set.
    check(tenon_tensor_set_grad(leaf.get(), nullptr));
    autograd::backward({sum}, {}, true, true);
    return leaf.grad();
  };
}
Fn by_create_graph(const Fn& f) {
  return [f](const Tensor& x) {
    const Tensor leaf = follow(x);
    return autograd::grad({aten::sum(f(leaf))}, {leaf}, {}, true, true)[0];
  };
}

struct Transform {
  const char* name;
  Fn (*apply)(const Fn&);
  int order;  // number of derivatives that it takes
};
constexpr Transform kTransforms[] = {
    {"Grad", &by_grad, 1},     {"Vmap", &by_vmap, 0},         {"Jvp", &by_jvp, 1},
    {"Jacrev", &by_jacrev, 1}, {"Backward", &by_backward, 1}, {"CreateGraph", &by_create_graph, 1},
};

// Returns the values at 1 and 2 of the derivative of the given order, 0 to 2, of s(x) * x, where
// s(x) = x * x and its derivative is defined as c * x.
std::vector<double> expected(double c, int order) {
  std::vector<double> values;
  for (const double x : {1.0, 2.0}) {
    values.push_back(order == 0 ? x * x * x : order == 1 ? (c + 1) * x * x : 0);
    if (order == 2) values.back() = c == 2 ? 6 * x : 3 * c * x;
  }
  return values;
}

class Nested : public testing::TestWithParam<std::tuple<size_t, size_t, size_t>> {};

// Returns a part of the error message that a combination must fail with, or "" if it is supported.
std::string refusal(const Kind& kind, const Transform& outer, const Transform& inner) {
  const auto is = [](const Transform& transform, Fn (*apply)(const Fn&)) {
    return transform.apply == apply;
  };
  const bool is_function = kind.kind != Kind::kOperator;
  const bool by_pass = is(inner, &by_backward) || is(inner, &by_create_graph);
  if (is(outer, &by_vmap) && by_pass) {
    return "tenon_tensor_set_requires_grad: tensor must not belong to a vmap";
  }
  // Combinations in which jvp is the innermost transform that sees the function.
  if (kind.kind == Kind::kWithoutJvp && (is(inner, &by_jvp) || (is(outer, &by_jvp) && by_pass))) {
    return "must have a jvp";
  }
  if (is_function && outer.order != 0 && is(inner, &by_vmap)) {
    return "function must not be applied inside a vmap to tensors that are differentiated";
  }
  return {};
}

TEST_P(Nested, ComputesTheDerivativeOrIsRefused) {
  const Kind& kind = kinds()[std::get<0>(GetParam())];
  const Transform& outer = kTransforms[std::get<1>(GetParam())];
  const Transform& inner = kTransforms[std::get<2>(GetParam())];
  const Fn f = [&](const Tensor& x) { return aten::mul(kind.square(x), x); };
  const Fn nested = outer.apply(inner.apply(f));
  const Tensor x = Tensor::from({1.0, 2.0}, {1, 2});
  const std::string refused = refusal(kind, outer, inner);
  if (!refused.empty()) {
    try {
      nested(x);
      FAIL() << "must be refused";
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(refused), std::string::npos) << error.what();
    }
    end_cycles();
    return;
  }
  const Tensor found = aten::clone(aten::detach(nested(x)));
  end_cycles();
  const std::vector<double> wanted = expected(kind.gradient, outer.order + inner.order);
  ASSERT_EQ(found.sizes(), Sizes({1, 2}));
  for (size_t i = 0; i < 2; ++i) EXPECT_EQ(found.elements<double>()[i], wanted[i]) << i;
}

INSTANTIATE_TEST_SUITE_P(All, Nested,
                         testing::Combine(testing::Range<size_t>(0, 5),
                                          testing::Range<size_t>(0, 6),
                                          testing::Range<size_t>(0, 6)),
                         [](const auto& info) {
                           return std::string(kinds()[std::get<0>(info.param)].name) + "_" +
                                  kTransforms[std::get<1>(info.param)].name + "_of_" +
                                  kTransforms[std::get<2>(info.param)].name;
                         });

}  // namespace
