// SPDX-License-Identifier: Apache-2.0
// Wrapper tensors: their contents, handlers below autograd, and handlers that unwrap, call and
// rewrap.
#include "support.h"

namespace tenon::test {
namespace {

class Wrapper {
 public:
  Wrapper(const tenon_object_type& type, void* self, tenon_dtype dtype = TENON_DTYPE_F64) {
    const int64_t sizes[2] = {3, 4};
    EXPECT_EQ(new_wrapper(type, self, 2, sizes, dtype, &handle_), TENON_OK) << take_error();
  }
  ~Wrapper() { tenon_tensor_release(handle_); }
  Wrapper(const Wrapper&) = delete;
  Wrapper& operator=(const Wrapper&) = delete;
  tenon_tensor* get() const { return handle_; }
  tenon_value value() const {
    tenon_value value{};
    value.tag = TENON_TAG_TENSOR;
    value.as.tensor = handle_;
    return value;
  }

 private:
  tenon_tensor* handle_ = nullptr;
};

class Wrappers : public DispatchTest {
 protected:
  TestLibrary library_;
  TestTensor cpu_;
  const tenon_object_type base_ = dispatching("w.Base");
  const tenon_object_type derived_ = dispatching("w.Derived", &base_);
  Actor base_actor_{"base", {}};
  Actor derived_actor_{"derived", {}};
};

TEST_F(Wrappers, ClaimsShapeAndDtype_HasWrapperAndNoDense) {
  const Wrapper wrapper(base_, &base_actor_);
  tenon_tensor_info info{};
  TENON_ASSERT_OK(tenon_tensor_describe(wrapper.get(), &info));
  EXPECT_EQ(info.ndim, 2);
  EXPECT_EQ(info.sizes[1], 4);
  EXPECT_EQ(info.numel, 12);
  EXPECT_EQ(info.dtype, TENON_DTYPE_F64);
  EXPECT_EQ(info.data, nullptr);
  EXPECT_NE(info.flags & TENON_TENSOR_HOLLOW, 0u);
  EXPECT_TRUE(tenon_keyset_has(wrapper.get()->keys(), TENON_KEY_WRAPPER));
  EXPECT_FALSE(tenon_keyset_has(wrapper.get()->keys(), TENON_KEY_CPU));
  ASSERT_NE(tenon_wrapper_object(wrapper.get()), nullptr);
  EXPECT_EQ(tenon_object_self(tenon_wrapper_object(wrapper.get())), &base_actor_);
  EXPECT_EQ(tenon_wrapper_object(cpu_.get()), nullptr);
  void* data = nullptr;
  TENON_EXPECT_ERROR(tenon_tensor_data(wrapper.get(), &data), TENON_ERROR_STATE,
                     "got a hollow tensor");
}

TEST_F(Wrappers, HandlerUnwrapsCallsAndRewraps_BelowAutograd) {
  const tenon_op* op = library_.define("f(Tensor a, Tensor b) -> Tensor");
  library_.impl("f", TENON_KEY_CPU, kernel_of(&return_first, const_cast<char*>("cpu")));
  library_.impl("f", TENON_KEY_AUTOGRAD, going_on("autograd"));
  base_actor_.body = [&](const tenon_op* same, tenon_stack* stack) {
    Call inner({tensor_value(cpu_), stack->args[1]}, 1);
    const tenon_status status = tenon_op_call_fast(same, inner.stack());
    if (status != TENON_OK) return status;
    const int64_t two = 2;
    stack->rets[0].tag = TENON_TAG_TENSOR;
    stack->rets[0].flags = TENON_VALUE_OWNED;
    return new_wrapper(base_, &base_actor_, 1, &two, TENON_DTYPE_F32, &stack->rets[0].as.tensor);
  };
  const Wrapper wrapper(base_, &base_actor_);
  Call call({wrapper.value(), tensor_value(cpu_)}, 1);
  TENON_ASSERT_OK(tenon_op_call_fast(op, call.stack()));
  EXPECT_EQ(take_notes(), "autograd@AutogradCPU base cpu");
  EXPECT_NE(tenon_wrapper_object(call.ret().as.tensor), nullptr);
}

TEST_F(Wrappers, DerivedBeforeBase_DeclinedPassesOn_AllDeclinedIsTypeError) {
  const tenon_op* op = library_.define("f(Tensor a, Tensor[] b) -> ()");
  const Wrapper base(base_, &base_actor_);
  const Wrapper derived(derived_, &derived_actor_);
  tenon_tensor* const list[2] = {cpu_.get(), derived.get()};
  const std::vector<tenon_value> args{base.value(), list_value(TENON_TAG_TENSOR_LIST, list, 2)};
  TENON_EXPECT_ERROR(call(op, args), TENON_ERROR_TYPE,
                     "t::f: a dispatch handler must accept the call, got TENON_DECLINED from types "
                     "[w.Derived, w.Base]");
  EXPECT_EQ(take_notes(), "derived base");
  base_actor_.body = [](const tenon_op*, tenon_stack*) { return TENON_OK; };
  TENON_EXPECT_OK(call(op, args));
  EXPECT_EQ(take_notes(), "derived base");
}

TEST_F(Wrappers, ResultsAreCheckedAgainstSchema) {
  const tenon_op* op = library_.define("f(Tensor a) -> Tensor");
  base_actor_.body = returning(3);
  const Wrapper wrapper(base_, &base_actor_);
  TENON_EXPECT_ERROR(call(op, {wrapper.value()}, 1), TENON_ERROR_TYPE, "must be Tensor, got int");
}

TEST_F(Wrappers, CompositeRunsThroughItsParts) {
  const tenon_op* part = library_.define("part(Tensor a) -> ()");
  const tenon_op* whole = library_.define("whole(Tensor a) -> ()");
  library_.impl("part", TENON_KEY_CPU, logging_kernel("cpu"));
  const tenon_kernel composite = kernel_of(
      [](void* ctx, const tenon_op*, tenon_keyset, tenon_stack* stack) {
        return call(static_cast<const tenon_op*>(ctx), {stack->args[0]});
      },
      const_cast<tenon_op*>(part), "composite");
  library_.impl("whole", TENON_KEY_COMPOSITE_IMPLICIT_AUTOGRAD, composite);
  base_actor_.body = [](const tenon_op* op, tenon_stack*) {
    notes().push_back(tenon_op_name(op));
    return TENON_OK;
  };
  const Wrapper wrapper(base_, &base_actor_);
  TENON_EXPECT_OK(call(whole, {wrapper.value()}));
  EXPECT_EQ(take_notes(), "base t::part");
}

TEST_F(Wrappers, SelfIsReleasedWithTheTensor) {
  static int retained;
  static int released;
  retained = released = 0;
  tenon_object_type type = base_;
  type.retain = [](void*) { ++retained; };
  type.release = [](void*) { ++released; };
  { const Wrapper wrapper(type, &base_actor_); }
  EXPECT_EQ(retained, 1);
  EXPECT_EQ(released, 1);
}

TEST_F(Wrappers, AliasOfAWrapper_IsAViewOfItsRoot) {
  const Wrapper root(base_, &base_actor_);
  const auto view_of = [this](const tenon_tensor* other) {
    const int64_t size = 12;
    tenon_wrapper_options options{};
    options.struct_size = sizeof options;
    options.ndim = 1;
    options.sizes = &size;
    options.dtype = TENON_DTYPE_F64;
    options.alias_of = other;
    tenon_tensor* made = nullptr;
    EXPECT_EQ(tenon_wrapper_new(&base_, &base_actor_, &options, &made), TENON_OK) << take_error();
    return tensor::TensorPtr::adopt(made);
  };
  const tensor::TensorPtr view = view_of(root.get());
  const tensor::TensorPtr view_of_view = view_of(view.get());
  for (const tensor::TensorPtr& each : {view, view_of_view}) {
    EXPECT_EQ(each->base(), root.get());
    EXPECT_EQ(tenon_tensor_storage(each.get()), tenon_tensor_storage(root.get()));
    EXPECT_EQ(tenon_object_self(tenon_wrapper_object(each.get())), &base_actor_);
  }
  tenon_tensor_bump_version(view_of_view.get());
  EXPECT_EQ(tenon_tensor_version(root.get()), 1);
  const tensor::TensorPtr of_plain = view_of(cpu_.get());
  EXPECT_EQ(of_plain->base(), nullptr);
}

TEST_F(Wrappers, MayRequireGradients_IfFloating) {
  const Wrapper wrapper(base_, &base_actor_);
  TENON_ASSERT_OK(tenon_tensor_set_requires_grad(wrapper.get(), 1));
  EXPECT_EQ(tenon_tensor_requires_grad(wrapper.get()), 1);
  const Wrapper whole(base_, &base_actor_, TENON_DTYPE_I64);
  TENON_EXPECT_ERROR(tenon_tensor_set_requires_grad(whole.get(), 1), TENON_ERROR_TYPE,
                     "floating point and complex dtype can require gradients");
}

TEST_F(Wrappers, BadArguments_AreErrorsAndRetainNothing) {
  static int retained;
  retained = 0;
  tenon_object_type type = base_;
  type.retain = [](void*) { ++retained; };
  tenon_tensor* out = nullptr;
  const int64_t negative = -1;
  TENON_EXPECT_ERROR(new_wrapper(type, nullptr, 1, &negative, TENON_DTYPE_F32, &out),
                     TENON_ERROR_INVALID_ARGUMENT, "tenon_wrapper_new");
  TENON_EXPECT_ERROR(new_wrapper(type, nullptr, 0, nullptr, 999, &out),
                     TENON_ERROR_INVALID_ARGUMENT, "dtype must be a known dtype");
  const tenon_object_type without = type_named("w.Without");
  TENON_EXPECT_ERROR(new_wrapper(without, nullptr, 0, nullptr, TENON_DTYPE_F32, &out),
                     TENON_ERROR_INVALID_ARGUMENT, "must have a dispatch handler, got w.Without");
  EXPECT_EQ(retained, 0);
}

}  // namespace
}  // namespace tenon::test
