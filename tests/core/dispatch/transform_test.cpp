// SPDX-License-Identifier: Apache-2.0
// The transform stack, tested with two small layers defined here: one that batches and one that
// computes forward derivatives. They nest in both orders, and each in itself.
#include <cmath>
#include <functional>
#include <thread>

#include "base/error.h"
#include "dispatch/transform.h"
#include "support.h"

namespace tenon::test {
namespace {

using dispatch::BelowLayer;
using dispatch::Layer;
using dispatch::LayerKind;
using dispatch::LayerPtr;
using dispatch::level_tensor;
using dispatch::LevelTensor;
using tensor::Tensor;
using tensor::TensorPtr;

constexpr tenon_keyset kBatchedBit = dispatch::functionality_bit(TENON_FUNCTIONALITY_BATCHED);
constexpr tenon_keyset kAutogradBit = dispatch::functionality_bit(TENON_FUNCTIONALITY_AUTOGRAD);

// ---- Operators: mul with broadcasting of leading dims, sum of all elements ----------------------

const tenon_op* mul_op = nullptr;
const tenon_op* add_op = nullptr;
const tenon_op* sum_op = nullptr;
const tenon_op* scale_op = nullptr;

TensorPtr call_op(const tenon_op* op, std::vector<Tensor*> tensors) {
  std::vector<tenon_value> args;
  for (Tensor* tensor : tensors) {
    tenon_value value{};
    value.tag = TENON_TAG_TENSOR;
    value.as.tensor = tensor;
    args.push_back(value);
  }
  if (op == sum_op) args.push_back(int_value(0));
  Call call(args, 1);
  const tenon_status status = tenon_op_call_fast(op, call.stack());
  if (status != TENON_OK) throw Error(base::take_current_error());
  call.ret().as.tensor->retain();
  return TensorPtr::adopt(call.ret().as.tensor);
}
TensorPtr mul(const TensorPtr& a, const TensorPtr& b) {
  return call_op(mul_op, {a.get(), b.get()});
}
TensorPtr add(const TensorPtr& a, const TensorPtr& b) {
  return call_op(add_op, {a.get(), b.get()});
}
TensorPtr sum(const TensorPtr& a) { return call_op(sum_op, {a.get()}); }

TensorPtr vector_of(std::vector<double> elements) {
  const auto size = static_cast<int64_t>(elements.size());
  TensorPtr out = tensor::new_tensor(TENON_DTYPE_F64, nullptr, {&size, 1});
  std::copy(elements.begin(), elements.end(), static_cast<double*>(out->data()));
  return out;
}
TensorPtr scalar(double number) {
  TensorPtr out = tensor::new_tensor(TENON_DTYPE_F64, nullptr, {});
  *static_cast<double*>(out->data()) = number;
  return out;
}
std::vector<double> elements(const TensorPtr& tensor) {
  const auto* data = static_cast<const double*>(tensor->data());
  EXPECT_NE(data, nullptr) << "a result must be a plain tensor";
  return data != nullptr ? std::vector<double>(data, data + tensor->numel())
                         : std::vector<double>();
}

void give(tenon_stack* stack, TensorPtr tensor) {
  stack->rets[0].tag = TENON_TAG_TENSOR;
  stack->rets[0].flags = TENON_VALUE_OWNED;
  stack->rets[0].as.tensor = tensor.detach();
}

// Computes elementwise on contiguous tensors, with trailing dims aligned and size 1 broadcast.
template <class Function>
TensorPtr pointwise(const Tensor& a, const Tensor& b, Function function) {
  const size_t ndim = static_cast<size_t>(std::max(a.ndim(), b.ndim()));
  const auto size_at = [&](const Tensor& t, size_t dim) {
    const auto lead = ndim - static_cast<size_t>(t.ndim());
    return dim < lead ? 1 : t.sizes()[dim - lead];
  };
  std::vector<int64_t> sizes(ndim);
  for (size_t dim = 0; dim < ndim; ++dim) {
    sizes[dim] = std::max(size_at(a, dim), size_at(b, dim));
  }
  TensorPtr out = tensor::new_tensor(TENON_DTYPE_F64, nullptr, {sizes.data(), ndim});
  const auto offset = [&](const Tensor& t, int64_t index) {
    int64_t at = 0;
    int64_t stride = 1;
    for (size_t dim = ndim; dim-- > 0; index /= sizes[dim]) {
      const int64_t size = size_at(t, dim);
      if (size != 1) at += index % sizes[dim] * stride;
      stride *= size;
    }
    return at;
  };
  for (int64_t i = 0; i < out->numel(); ++i) {
    static_cast<double*>(out->data())[i] =
        function(static_cast<const double*>(a.data())[offset(a, i)],
                 static_cast<const double*>(b.data())[offset(b, i)]);
  }
  return out;
}

tenon_status mul_cpu(void*, const tenon_op*, tenon_keyset, tenon_stack* stack) {
  give(stack, pointwise(*stack->args[0].as.tensor, *stack->args[1].as.tensor,
                        [](double x, double y) { return x * y; }));
  return TENON_OK;
}
tenon_status add_cpu(void*, const tenon_op*, tenon_keyset, tenon_stack* stack) {
  give(stack, pointwise(*stack->args[0].as.tensor, *stack->args[1].as.tensor,
                        [](double x, double y) { return x + y; }));
  return TENON_OK;
}
// Sums over the trailing dims, keeping `keep` leading ones, which are batches.
TensorPtr sum_trailing(const Tensor& a, int32_t keep) {
  TensorPtr out =
      tensor::new_tensor(TENON_DTYPE_F64, nullptr, {a.sizes(), static_cast<size_t>(keep)});
  const int64_t inner = out->numel() != 0 ? a.numel() / out->numel() : 0;
  for (int64_t i = 0; i < out->numel(); ++i) {
    double total = 0;
    for (int64_t j = 0; j < inner; ++j) {
      total += static_cast<const double*>(a.data())[i * inner + j];
    }
    static_cast<double*>(out->data())[i] = total;
  }
  return out;
}
tenon_status sum_cpu(void*, const tenon_op*, tenon_keyset, tenon_stack* stack) {
  give(stack, sum_trailing(*stack->args[0].as.tensor, static_cast<int32_t>(stack->args[1].as.i)));
  return TENON_OK;
}

// ---- The batching layer: its tensors have the batch in dim 0 of the tensor below ----------------

const LayerKind kBatching{"batching", kBatchedBit, kBatchedBit, nullptr, false};

TensorPtr batched(Layer& layer, const TensorPtr& below) {
  const tensor::Geometry geometry(below->size_span().subspan(1), below->strides() + 1,
                                  below->offset());
  return dispatch::new_level_tensor(layer, *below, kBatchedBit, geometry);
}

// Returns a view with dims of size 1 after the batch dim, so that logical dims align.
TensorPtr aligned(const TensorPtr& below, bool is_batched, int32_t logical) {
  const int32_t missing = logical + (is_batched ? 1 : 0) - below->ndim();
  if (!is_batched || missing == 0) return below;
  const tenon_op* expand = nullptr;
  EXPECT_EQ(tenon_op_find("t::ones_after_first", &expand), TENON_OK);
  tenon_value tensor{};
  tensor.tag = TENON_TAG_TENSOR;
  tensor.as.tensor = below.get();
  Call call({tensor, int_value(missing)}, 1);
  if (tenon_op_call_fast(expand, call.stack()) != TENON_OK) throw Error(base::take_current_error());
  call.ret().as.tensor->retain();
  return TensorPtr::adopt(call.ret().as.tensor);
}

// The batching rule of all operators here: unwrap, align, call below, wrap.
tenon_status batch(void*, const tenon_op* op, tenon_keyset, tenon_stack* stack) {
  const LayerPtr layer = dispatch::top_layer();
  std::vector<tenon_value> args(stack->args, stack->args + stack->nargs);
  std::vector<TensorPtr> owners;
  bool any = false;
  int32_t logical = 0;
  for (const tenon_value& arg : args) {
    if (arg.tag == TENON_TAG_TENSOR) logical = std::max(logical, arg.as.tensor->ndim());
  }
  TensorPtr result;
  {
    const BelowLayer below;
    for (tenon_value& arg : args) {
      if (arg.tag != TENON_TAG_TENSOR) continue;
      const LevelTensor* level = level_tensor(*arg.as.tensor, *layer);
      if (level == nullptr) continue;
      any = true;
      owners.push_back(op == mul_op || op == add_op ? aligned(level->below, true, logical)
                                                    : level->below);
      arg.as.tensor = owners.back().get();
    }
    if (any && op == sum_op) args[1].as.i += 1;  // the batch dim is kept too
    tenon_stack inner = *stack;
    inner.args = args.data();
    inner.error = nullptr;
    const tenon_status status = tenon_op_call_fast(op, &inner);
    if (status != TENON_OK || !any) return status;
    result = TensorPtr::adopt(stack->rets[0].as.tensor);
  }
  give(stack, batched(*layer, result));
  return TENON_OK;
}

// ---- The derivative layer: its tensors have a value and a derivative below ----------------------

TensorPtr dual(Layer& layer, Tensor& value, TensorPtr derivative) {
  return dispatch::new_level_tensor(layer, value, kAutogradBit, value.size_span(),
                                    derivative.detach(), [](void* tangent) {
                                      if (tangent != nullptr)
                                        static_cast<Tensor*>(tangent)->release();
                                    });
}
TensorPtr lift_dual(Layer& layer, Tensor& lower, const Tensor*) { return dual(layer, lower, {}); }
const LayerKind kDeriving{"deriving", kAutogradBit, 0, &lift_dual, true};

TensorPtr derivative_of(const Tensor& tensor, const Layer& layer) {
  const LevelTensor* level = level_tensor(tensor, layer);
  return TensorPtr::share(static_cast<Tensor*>(level->content));
}
TensorPtr value_of(const Tensor& tensor, const Layer& layer) {
  return level_tensor(tensor, layer)->below;
}
TensorPtr plus(const TensorPtr& a, const TensorPtr& b) { return !a ? b : !b ? a : add(a, b); }

// Applies the product rule to mul, and otherwise linearity. Values are redispatched to
// TransformBack; derivatives are computed below the layer. Like any Autograd kernel it also runs
// without such a layer.
tenon_status derive(void*, const tenon_op* op, tenon_keyset keys, tenon_stack* stack) {
  const LayerPtr layer = dispatch::top_layer();
  const tenon_status status =
      tenon_op_redispatch(op, keys & tenon_keyset_below(TENON_KEY_AUTOGRAD), stack);
  if (status != TENON_OK || !layer || &layer->kind() != &kDeriving) return status;
  TensorPtr derivative;
  {
    const BelowLayer below;
    const Tensor& a = *stack->args[0].as.tensor;
    const TensorPtr da = derivative_of(a, *layer);
    if (op == mul_op || op == add_op) {
      const Tensor& b = *stack->args[1].as.tensor;
      const TensorPtr db = derivative_of(b, *layer);
      if (op == add_op) {
        derivative = plus(da, db);
      } else {
        derivative =
            plus(da ? mul(da, value_of(b, *layer)) : da, db ? mul(value_of(a, *layer), db) : db);
      }
    } else if (da) {
      std::vector<tenon_value> args(stack->args, stack->args + stack->nargs);
      args[0].as.tensor = da.get();
      Call call(args, 1);
      if (tenon_op_call_fast(op, call.stack()) != TENON_OK) return TENON_ERROR_RUNTIME;
      call.ret().as.tensor->retain();
      derivative = TensorPtr::adopt(call.ret().as.tensor);
    }
  }
  const TensorPtr result = TensorPtr::adopt(stack->rets[0].as.tensor);
  give(stack, dual(*layer, *value_of(*result, *layer), derivative));
  return TENON_OK;
}

// ---- vmap and grad as users would write them ---------------------------------------------------

using Function = std::function<TensorPtr(const TensorPtr&)>;

TensorPtr unwrapped(const TensorPtr& tensor, const Layer& layer) {
  const LevelTensor* level = level_tensor(*tensor, layer);
  return level != nullptr ? level->below : tensor;
}

Function vmap(Function f) {
  return [f](const TensorPtr& x) {
    const LayerPtr layer = dispatch::enter_layer(kBatching);
    struct Leave {
      Layer& layer;
      ~Leave() { dispatch::leave_layer(layer); }
    } leave{*layer};
    return unwrapped(f(batched(*layer, x)), *layer);
  };
}
// Returns the derivative of f in the direction of ones.
Function grad(Function f) {
  return [f](const TensorPtr& x) {
    const LayerPtr layer = dispatch::enter_layer(kDeriving);
    struct Leave {
      Layer& layer;
      ~Leave() { dispatch::leave_layer(layer); }
    } leave{*layer};
    const TensorPtr one = scalar(1);
    const TensorPtr y = f(dual(*layer, *x, one));
    const LevelTensor* level = level_tensor(*y, *layer);
    if (level == nullptr || level->content == nullptr) return scalar(0);
    return TensorPtr::share(static_cast<Tensor*>(level->content));
  };
}

// Inserts a dim of size 1 after the first dim of a contiguous tensor.
tenon_status ones_after_first(void*, const tenon_op*, tenon_keyset, tenon_stack* stack) {
  const Tensor& a = *stack->args[0].as.tensor;
  std::vector<int64_t> sizes{a.sizes()[0]};
  sizes.insert(sizes.end(), static_cast<size_t>(stack->args[1].as.i), 1);
  sizes.insert(sizes.end(), a.sizes() + 1, a.sizes() + a.ndim());
  TensorPtr out = tensor::new_tensor(TENON_DTYPE_F64, nullptr, {sizes.data(), sizes.size()});
  std::memcpy(out->data(), a.data(), static_cast<size_t>(a.numel()) * sizeof(double));
  give(stack, out);
  return TENON_OK;
}
// Its batching rule: the first logical dim is the second one below.
tenon_status ones_after_first_batched(void*, const tenon_op*, tenon_keyset, tenon_stack* stack) {
  const LayerPtr layer = dispatch::top_layer();
  const Tensor& a = *stack->args[0].as.tensor;
  const LevelTensor* level = level_tensor(a, *layer);
  std::vector<int64_t> sizes{level->below->sizes()[0], a.sizes()[0]};
  sizes.insert(sizes.end(), static_cast<size_t>(stack->args[1].as.i), 1);
  sizes.insert(sizes.end(), a.sizes() + 1, a.sizes() + a.ndim());
  TensorPtr out = tensor::new_tensor(TENON_DTYPE_F64, nullptr, {sizes.data(), sizes.size()});
  std::memcpy(out->data(), level->below->data(), static_cast<size_t>(out->numel()) * 8);
  give(stack, batched(*layer, out));
  return TENON_OK;
}

class Transforms : public DispatchTest {
 protected:
  void SetUp() override {
    include_ = tenon_keyset_included();
    exclude_ = tenon_keyset_excluded();
    mul_op = define("mul(Tensor a, Tensor b) -> Tensor", "mul", &mul_cpu);
    add_op = define("add(Tensor a, Tensor b) -> Tensor", "add", &add_cpu);
    sum_op = define("sum(Tensor a, int keep=0) -> Tensor", "sum", &sum_cpu);
    scale_op = define("scale_(Tensor(a!) a) -> Tensor(a!)", "scale_",
                      [](void*, const tenon_op*, tenon_keyset, tenon_stack* stack) {
                        auto* data = static_cast<double*>(stack->args[0].as.tensor->data());
                        for (int64_t i = 0; i < stack->args[0].as.tensor->numel(); ++i)
                          data[i] *= 10;
                        return TENON_OK;
                      });
    define("ones_after_first(Tensor a, int count) -> Tensor", "ones_after_first",
           &ones_after_first);
    library_.impl("ones_after_first", TENON_KEY_BATCHED, kernel_of(&ones_after_first_batched));
    for (const char* name : {"mul", "add", "sum"}) {
      library_.impl(name, TENON_KEY_BATCHED, kernel_of(&batch, nullptr, "batch"));
      library_.impl(name, TENON_KEY_AUTOGRAD, kernel_of(&derive, nullptr, "derive"));
    }
    library_.impl("ones_after_first", TENON_KEY_AUTOGRAD, kernel_of(&derive, nullptr, "derive"));
  }
  void TearDown() override {
    EXPECT_FALSE(dispatch::top_layer());
    EXPECT_EQ(tenon_keyset_included(), include_);
    EXPECT_EQ(tenon_keyset_excluded(), exclude_);
    DispatchTest::TearDown();
  }
  const tenon_op* define(const char* schema, const char* name, tenon_kernel_fn cpu) {
    const tenon_op* op = library_.define(schema);
    library_.impl(name, TENON_KEY_CPU, kernel_of(cpu, nullptr, "cpu"));
    return op;
  }
  TestLibrary library_;

 private:
  tenon_keyset include_ = 0;
  tenon_keyset exclude_ = 0;
};

TensorPtr square(const TensorPtr& x) { return mul(x, x); }
TensorPtr cube(const TensorPtr& x) { return mul(mul(x, x), x); }

using Numbers = std::vector<double>;

TEST_F(Transforms, EachAlone) {
  EXPECT_EQ(elements(vmap(square)(vector_of({1, 2, 3}))), (Numbers{1, 4, 9}));
  EXPECT_EQ(elements(grad(cube)(scalar(2))), Numbers{12});
  EXPECT_EQ(elements(vmap(sum)(vector_of({1, 2}))), (Numbers{1, 2}));
}

// f(w, x) = (w x)^2 at w = 2: df/dw = 2 w x^2.
TEST_F(Transforms, VmapOfGrad_BatchIsInsideTheDerivative) {
  const TensorPtr w = scalar(2);
  const Function per_sample = [&](const TensorPtr& x) {
    return grad([&](const TensorPtr& weight) { return square(mul(weight, x)); })(w);
  };
  EXPECT_EQ(elements(vmap(per_sample)(vector_of({0, 1, 2}))), (Numbers{0, 4, 16}));
}

TEST_F(Transforms, GradOfSummedVmap_DerivativeIsOutsideTheBatch) {
  const TensorPtr x = vector_of({0, 1, 2});
  const Function total = [&](const TensorPtr& weight) {
    return sum(vmap([&](const TensorPtr& one) { return square(mul(weight, one)); })(x));
  };
  EXPECT_EQ(elements(grad(total)(scalar(2))), Numbers{20});
}

// One call with both orders of the same two layers: a fixed order of Batched and Autograd would
// make one of them wrong.
TEST_F(Transforms, GradOfSummedVmapOfGrad) {
  const TensorPtr x = vector_of({1, 2, 3});
  // g(x) = d/dy y^3 at x = 3 x^2; total(s) = sum of g(s x) = 3 s^2 (1 + 4 + 9); derivative 84 s.
  const Function total = [&](const TensorPtr& s) {
    return sum(vmap([&](const TensorPtr& one) { return grad(cube)(mul(s, one)); })(x));
  };
  EXPECT_EQ(elements(grad(total)(scalar(2))), Numbers{168});
}

TEST_F(Transforms, VmapOfGradOfSummedVmap) {
  const TensorPtr x = vector_of({1, 2});
  // total(w) = sum of (w x)^2 = 5 w^2; derivative 10 w for each w.
  const Function total = [&](const TensorPtr& weight) {
    return sum(vmap([&](const TensorPtr& one) { return square(mul(weight, one)); })(x));
  };
  EXPECT_EQ(elements(vmap(grad(total))(vector_of({1, 2, 3}))), (Numbers{10, 20, 30}));
}

TEST_F(Transforms, GradOfGrad_LevelsKeepTheirDerivativesApart) {
  EXPECT_EQ(elements(grad(grad(cube))(scalar(2))), Numbers{12});  // 6 x
  EXPECT_EQ(elements(grad(grad(grad(cube)))(scalar(2))), Numbers{6});
  // d/dx (x * d/dy (x + y)) at y = 1 is 1; confusing the levels returns 2.
  const Function confusable = [](const TensorPtr& x) {
    return mul(x, grad([&](const TensorPtr& y) { return add(x, y); })(scalar(1)));
  };
  EXPECT_EQ(elements(grad(confusable)(scalar(1))), Numbers{1});
}

TEST_F(Transforms, VmapOfVmap_IsOuterProduct) {
  const TensorPtr y = vector_of({1, 10, 100});
  const Function row = [&](const TensorPtr& x) {
    return vmap([&](const TensorPtr& one) { return mul(x, one); })(y);
  };
  const TensorPtr table = vmap(row)(vector_of({2, 3}));
  ASSERT_EQ(table->ndim(), 2);
  EXPECT_EQ(elements(table), (Numbers{2, 20, 200, 3, 30, 300}));
}

TEST_F(Transforms, VmapOfVmapOfGradOfGrad) {
  const Function second = grad(grad(cube));  // 6 x
  const TensorPtr y = vector_of({1, 10});
  const Function row = [&](const TensorPtr& x) {
    return vmap([&](const TensorPtr& one) { return second(mul(x, one)); })(y);
  };
  EXPECT_EQ(elements(vmap(row)(vector_of({2, 3}))), (Numbers{12, 120, 18, 180}));
}

TEST_F(Transforms, FactoryInsideLayers_ComesFromBelow) {
  const tenon_op* make = library_.define("make(Device? device=None) -> Tensor");
  library_.impl("make", TENON_KEY_CPU,
                kernel_of([](void*, const tenon_op*, tenon_keyset, tenon_stack* stack) {
                  give(stack, scalar(5));
                  return TENON_OK;
                }));
  // The batching rule runs although no argument is batched; its operator calls are made below the
  // layer.
  library_.impl("make", TENON_KEY_BATCHED, kernel_of(&batch, nullptr, "batch"));
  const Function with_constant = [&](const TensorPtr& x) {
    Call call({tenon_value{}}, 1);
    EXPECT_EQ(tenon_op_call_fast(make, call.stack()), TENON_OK) << take_error();
    return mul(x, TensorPtr::share(call.ret().as.tensor));
  };
  const Function squared = [&](const TensorPtr& x) { return with_constant(square(x)); };
  EXPECT_EQ(elements(vmap(grad(squared))(vector_of({1, 2}))), (Numbers{10, 20}));
  EXPECT_EQ(elements(grad([&](const TensorPtr& s) {
              return sum(vmap([&](const TensorPtr& x) { return mul(s, with_constant(x)); })(
                  vector_of({1, 2})));
            })(scalar(1))),
            Numbers{15});
}

TEST_F(Transforms, InPlaceBelow_ReturnsTheSameHandleAtItsLevel) {
  const LayerPtr layer = dispatch::enter_layer(kDeriving);
  const TensorPtr below = scalar(4);
  const TensorPtr lifted = dual(*layer, *below, {});
  EXPECT_EQ(call_op(scale_op, {lifted.get()}).get(), lifted.get());
  dispatch::leave_layer(*layer);
  EXPECT_EQ(elements(below), Numbers{40});
}

// Inside a layer that lifts no arguments, a tensor of an ended layer is unwrapped.
TEST_F(Transforms, InPlaceOnADeadTensorInsideALayer_ReturnsTheCallersHandle) {
  const TensorPtr below = scalar(4);
  TensorPtr dead;
  grad([&](const TensorPtr& x) { return dead = x; })(below);
  EXPECT_EQ(call_op(scale_op, {dead.get()}).get(), dead.get());
  const LayerPtr layer = dispatch::enter_layer(kBatching);
  library_.impl("scale_", TENON_KEY_BATCHED, kernel_of(&batch, nullptr, "batch"));
  EXPECT_EQ(call_op(scale_op, {dead.get()}).get(), dead.get());
  dispatch::leave_layer(*layer);
  EXPECT_EQ(elements(below), Numbers{400});
}

TEST_F(Transforms, InPlaceOnALiftedTensor_ReturnsTheCallersHandle) {
  static const LayerKind kWriting{"writing", kAutogradBit, 0, &lift_dual, true, true};
  const TensorPtr captured = scalar(4);
  const LayerPtr layer = dispatch::enter_layer(kWriting);
  EXPECT_EQ(call_op(scale_op, {captured.get()}).get(), captured.get());
  dispatch::leave_layer(*layer);
  EXPECT_EQ(elements(captured), Numbers{40});
}

// A caller with the only handle of a layer's tensor may overwrite the memory below all its layers,
// because no other tensor shares it.
TEST_F(Transforms, TensorsOfLayersAreAloneWhereAllBelowAre) {
  const LayerPtr outer = dispatch::enter_layer(kDeriving);
  const LayerPtr inner = dispatch::enter_layer(kDeriving);
  TensorPtr plain = scalar(1);
  EXPECT_TRUE(dispatch::is_alone(*plain));
  TensorPtr once = dual(*outer, *plain, {});
  EXPECT_FALSE(dispatch::is_alone(*once)) << "what is below has another holder";
  Tensor* const below = plain.get();
  plain.reset();
  EXPECT_TRUE(dispatch::is_alone(*once));
  TensorPtr twice = dual(*inner, *once, {});
  EXPECT_FALSE(dispatch::is_alone(*twice));
  once.reset();
  EXPECT_TRUE(dispatch::is_alone(*twice));
  const TensorPtr view =
      tensor::new_alias(*below, below->size_span(), below->stride_span(), below->offset());
  EXPECT_FALSE(dispatch::is_alone(*twice)) << "a view sees the memory";
  dispatch::leave_layer(*inner);
  dispatch::leave_layer(*outer);
}

TEST_F(Transforms, ListOfArguments_ComesBackAsTheCallersHandles) {
  const tenon_op* op = library_.define("same(Tensor[] all) -> Tensor[]");
  library_.impl("same", TENON_KEY_CPU,
                kernel_of([](void*, const tenon_op*, tenon_keyset, tenon_stack* stack) {
                  return tenon_value_copy(&stack->args[0], &stack->rets[0]);
                }));
  const TensorPtr a = scalar(1), b = scalar(2);
  tenon_tensor* const list[2] = {a.get(), b.get()};
  const LayerPtr layer = dispatch::enter_layer(kDeriving);
  Call same({list_value(TENON_TAG_TENSOR_LIST, list, 2)}, 1);
  TENON_EXPECT_OK(tenon_op_call_fast(op, same.stack()));
  dispatch::leave_layer(*layer);
  ASSERT_EQ(same.ret().count, 2u);
  const auto* tensors = static_cast<tenon_tensor* const*>(same.ret().as.list.data);
  EXPECT_EQ(tensors[0], a.get());
  EXPECT_EQ(tensors[1], b.get());
}

TEST_F(Transforms, InPlaceOnACapturedTensor_IsANamedError) {
  const TensorPtr captured = scalar(4);
  const LayerPtr layer = dispatch::enter_layer(kDeriving);
  try {
    call_op(scale_op, {captured.get()});
    ADD_FAILURE() << "a write that no derivative knows";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), TENON_ERROR_STATE);
    EXPECT_STREQ(
        error.what(),
        "t::scale_: a must be a tensor of the deriving of level 1 to be modified inplace there, "
        "got one captured from outside; pass it to the transformed function as an argument");
  }
  dispatch::leave_layer(*layer);
  EXPECT_EQ(elements(captured), Numbers{4});
}

TEST_F(Transforms, LayerContent_IsDroppedWithTheLastReference) {
  static int dropped;
  dropped = 0;
  int content = 7;
  const auto drop = [](void* given) { dropped += *static_cast<int*>(given); };
  tenon_thread_state* state = nullptr;
  {
    const LayerPtr layer = dispatch::enter_layer(kBatching, &content, drop);
    EXPECT_EQ(layer->content(), &content);
    TENON_ASSERT_OK(tenon_thread_state_capture(&state));
    dispatch::leave_layer(*layer);
  }
  EXPECT_EQ(dropped, 0) << "a thread that it was carried to may still look";
  tenon_thread_state_release(state);
  EXPECT_EQ(dropped, 7);
}

TEST_F(Transforms, KeysInsideALayer_AreThoseOfTheLayerAlone) {
  const tenon_op* op = library_.define("look(Tensor a) -> ()");
  library_.impl("look", TENON_KEY_TRACER, logging_kernel("tracer"));
  library_.impl("look", TENON_KEY_CPU, logging_kernel("cpu"));
  library_.impl("look", TENON_KEY_BATCHED, going_on("rule"));
  library_.impl("look", TENON_KEY_AUTOGRAD, going_on("autograd"));
  tenon_key_guard guard;
  TENON_ASSERT_OK(tenon_key_guard_include(keys({TENON_KEY_TRACER}), &guard));
  const LayerPtr layer = dispatch::enter_layer(kBatching);
  const TensorPtr x = batched(*layer, vector_of({1, 2}));
  tenon_value value{};
  value.tag = TENON_TAG_TENSOR;
  value.as.tensor = x.get();
  // The tracer runs after the last layer: below Batched, with the unwrapped tensor.
  TENON_EXPECT_OK(call(op, {value}));
  dispatch::leave_layer(*layer);
  tenon_key_guard_leave(&guard);
  EXPECT_EQ(take_notes(), "rule@Batched tracer");
}

TEST_F(Transforms, ErrorBelow_ComesHomeAndRestoresEverything) {
  const tenon_op* op = library_.define("fail(Tensor a) -> Tensor");
  library_.impl("fail", TENON_KEY_CPU,
                kernel_of([](void*, const tenon_op*, tenon_keyset, tenon_stack*) {
                  return tenon_error_raise(TENON_ERROR_INDEX, "out of rows");
                }));
  const LayerPtr outer = dispatch::enter_layer(kDeriving);
  const LayerPtr inner = dispatch::enter_layer(kDeriving);
  const TensorPtr x = dual(*inner, *scalar(1), {});
  const tenon_keyset include = tenon_keyset_included();
  tenon_value value{};
  value.tag = TENON_TAG_TENSOR;
  value.as.tensor = x.get();
  TENON_EXPECT_ERROR(call(op, {value}, 1), TENON_ERROR_INDEX, "out of rows");
  EXPECT_EQ(tenon_keyset_included(), include);
  EXPECT_EQ(dispatch::top_layer(), inner);
  dispatch::leave_layer(*inner);
  dispatch::leave_layer(*outer);
}

TEST_F(Transforms, DeadDerivativeTensor_StandsForItsValue) {
  TensorPtr kept;
  grad([&](const TensorPtr& x) { return kept = square(x); })(scalar(3));
  EXPECT_EQ(elements(mul(kept, scalar(2))), Numbers{18});
  EXPECT_EQ(elements(vmap([&](const TensorPtr& x) { return mul(kept, x); })(vector_of({1, 2}))),
            (Numbers{9, 18}));
}

TEST_F(Transforms, DeadBatchedTensor_IsAnError) {
  TensorPtr kept;
  vmap([&](const TensorPtr& x) { return kept = square(x); })(vector_of({1, 2}));
  const LayerPtr layer = dispatch::enter_layer(kDeriving);
  EXPECT_THROW(mul(kept, scalar(2)), Error);
  try {
    mul(kept, scalar(2));
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what())
                  .find("t::mul: tensor must not outlive its transform, got "
                        "one of a batching that has ended (level 1)"),
              std::string::npos)
        << error.what();
  }
  dispatch::leave_layer(*layer);
}

TEST_F(Transforms, TensorOfAHigherLayer_IsAnErrorBelow) {
  const LayerPtr outer = dispatch::enter_layer(kDeriving);
  const LayerPtr inner = dispatch::enter_layer(kDeriving);
  const TensorPtr x = dual(*inner, *scalar(1), {});
  {
    const BelowLayer below;
    EXPECT_THROW(mul(x, x), Error);
  }
  EXPECT_THROW(dispatch::leave_layer(*outer), Error);  // not the innermost
  dispatch::leave_layer(*inner);
  dispatch::leave_layer(*outer);
}

// A batch of transposed matrices: code that depends on strides sees those of each matrix.
TEST_F(Transforms, LevelTensor_ClaimsStridesAndSharesVersions) {
  const LayerPtr layer = dispatch::enter_layer(kBatching);
  const std::vector<int64_t> sizes{2, 3, 4}, turned{12, 1, 3};
  const TensorPtr base = tensor::new_tensor(TENON_DTYPE_F64, nullptr, sizes);
  const TensorPtr below = tensor::new_alias(*base, sizes, turned, 0);
  const tensor::Geometry geometry(below->size_span().subspan(1), below->strides() + 1, 0);
  const TensorPtr level = dispatch::new_level_tensor(*layer, *below, kBatchedBit, geometry);
  EXPECT_EQ(level->strides()[0], 1);
  EXPECT_EQ(level->strides()[1], 3);
  EXPECT_FALSE(level->is_contiguous());
  base->bump_version();
  level->count_write();
  EXPECT_EQ(level->version(), 2);
  EXPECT_EQ(base->version(), 2);
  level->check_invariants();
  dispatch::leave_layer(*layer);
}

TEST_F(Transforms, ThreadState_CarriesLayers) {
  const LayerPtr layer = dispatch::enter_layer(kDeriving);
  const TensorPtr x = dual(*layer, *scalar(3), scalar(1));
  tenon_thread_state* state = nullptr;
  TENON_ASSERT_OK(tenon_thread_state_capture(&state));
  TensorPtr y;
  std::thread([&] {
    tenon_thread_state* previous = nullptr;
    TENON_EXPECT_OK(tenon_thread_state_enter(state, &previous));
    y = square(x);
    tenon_thread_state_leave(previous);
    EXPECT_FALSE(dispatch::top_layer());
  }).join();
  ASSERT_NE(level_tensor(*y, *layer), nullptr);
  EXPECT_EQ(elements(value_of(*y, *layer)), Numbers{9});
  EXPECT_EQ(elements(derivative_of(*y, *layer)), Numbers{6});
  dispatch::leave_layer(*layer);
  // The carried layer has ended: the state is entered, but nothing is lifted any more.
  std::thread([&] {
    tenon_thread_state* previous = nullptr;
    TENON_EXPECT_OK(tenon_thread_state_enter(state, &previous));
    EXPECT_FALSE(dispatch::top_layer());
    EXPECT_EQ(elements(square(scalar(4))), Numbers{16});
    tenon_thread_state_leave(previous);
  }).join();
  tenon_thread_state_release(state);
}

}  // namespace
}  // namespace tenon::test
