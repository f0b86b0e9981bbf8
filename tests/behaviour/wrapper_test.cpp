// SPDX-License-Identifier: Apache-2.0
// Wrapper tensors in shipped operators: composites use the strides that a wrapper reports.
#include <numeric>

#include "support.h"

namespace tenon_behaviour {
namespace {

using tenon::Dtype;
using tenon::Sizes;
using tenon::Tensor;
using tenon::TensorRef;

std::vector<std::string>& called() {
  static std::vector<std::string> names;
  return names;
}

tenon_status pass_on(void* self, const tenon_op* op, tenon_keyset keys, tenon_stack* stack);
void drop(void* self) { tenon_tensor_release(static_cast<tenon_tensor*>(self)); }

// Owns an inner tensor and reports its sizes and strides.
const tenon_object_type kPassing = [] {
  tenon_object_type type{};
  type.struct_size = sizeof type;
  type.language = TENON_LANGUAGE_CPP;
  type.name = "behaviour.Passing";
  type.release = &drop;
  type.dispatch = &pass_on;
  return type;
}();

tenon_tensor* inner_of(const tenon_value& value) {
  if (value.tag != TENON_TAG_TENSOR) return nullptr;
  tenon_object* object = tenon_wrapper_object(value.as.tensor);
  return object != nullptr ? static_cast<tenon_tensor*>(tenon_object_self(object)) : nullptr;
}

Tensor wrap(const Tensor& inner) {
  const tenon_tensor_info info = inner.info();
  tenon_wrapper_options options{};
  options.struct_size = sizeof options;
  options.ndim = info.ndim;
  options.sizes = info.sizes;
  options.strides = info.strides;
  options.storage_offset = info.storage_offset;
  options.dtype = info.dtype;
  options.device = &info.device;
  options.alias_of = inner.get();
  tenon_tensor* handle = nullptr;
  tenon::check(tenon_wrapper_new(&kPassing, inner.get(), &options, &handle));
  tenon_tensor_retain(inner.get());  // owned by the wrapper, which releases it
  return Tensor(handle);
}

// Calls the operator on the inner tensors and wraps its results.
tenon_status pass_on(void*, const tenon_op* op, tenon_keyset, tenon_stack* stack) {
  called().push_back(tenon_op_name(op));
  std::vector<tenon_value> args(stack->args, stack->args + stack->nargs);
  for (tenon_value& arg : args) {
    arg.flags = 0;
    if (tenon_tensor* inner = inner_of(arg)) arg.as.tensor = inner;
  }
  tenon_stack inner_stack{};
  inner_stack.args = args.data();
  inner_stack.nargs = stack->nargs;
  inner_stack.rets = stack->rets;
  inner_stack.nrets = stack->nrets;
  const tenon_status status = tenon_op_call(op, &inner_stack);
  if (status != TENON_OK) return status;
  for (uint32_t i = 0; i < stack->nrets; ++i) {
    if (stack->rets[i].tag != TENON_TAG_TENSOR) continue;
    const Tensor result(stack->rets[i].as.tensor);
    stack->rets[i].as.tensor = wrap(result).release();
  }
  return TENON_OK;
}

// Returns the transpose of [[0, 1, 2], [3, 4, 5]].
Tensor turned() {
  std::vector<float> elements(6);
  std::iota(elements.begin(), elements.end(), 0.0f);
  const int64_t sizes[2] = {2, 3};
  const Tensor base = Tensor::from<float>(std::span<const float>(elements), sizes);
  return tenon::LazyOp<Tensor(const Tensor&)>("aten::t")(base);
}

std::vector<float> elements_of(const Tensor& wrapper) {
  tenon_value value{};
  value.tag = TENON_TAG_TENSOR;
  value.as.tensor = wrapper.get();
  const TensorRef inner(inner_of(value));
  const auto span = (*inner).elements<float>();
  return {span.begin(), span.end()};
}

TEST(Wrapper, ReshapeOfATurnedOne_CopiesInOrder) {
  const Tensor wrapper = wrap(turned());
  const int64_t flat[1] = {-1};
  called().clear();
  const Tensor result = tenon::LazyOp<Tensor(const Tensor&, Sizes)>("aten::reshape")(wrapper, flat);
  EXPECT_EQ(elements_of(result), (std::vector<float>{0, 3, 1, 4, 2, 5}));
  EXPECT_EQ(called(), (std::vector<std::string>{"aten::clone", "aten::_unsafe_view"}));
  EXPECT_TRUE(result.is_contiguous());
}

TEST(Wrapper, ContiguousOfATurnedOne_IsACopy) {
  const Tensor wrapper = wrap(turned());
  const tenon::LazyOp<Tensor(const Tensor&, tenon::MemoryFormat)> contiguous("aten::contiguous");
  const Tensor result = contiguous(wrapper, tenon::MemoryFormat::Contiguous);
  EXPECT_NE(result.get(), wrapper.get());
  EXPECT_EQ(elements_of(result), (std::vector<float>{0, 3, 1, 4, 2, 5}));
  EXPECT_EQ(contiguous(result, tenon::MemoryFormat::Contiguous).get(), result.get());
}

TEST(Wrapper, ReshapeThatAViewServes_CopiesNothing) {
  const Tensor wrapper = wrap(turned());
  const int64_t sizes[3] = {3, 1, 2};
  called().clear();
  const Tensor result =
      tenon::LazyOp<Tensor(const Tensor&, Sizes)>("aten::reshape")(wrapper, sizes);
  EXPECT_EQ(called(), (std::vector<std::string>{"aten::view"}));
  EXPECT_EQ(result.strides()[0], 1);
}

// A write to the inner tensor raises the wrapper's version, and the other way round.
TEST(Wrapper, InPlace_IsSeenInBothVersions) {
  const Tensor inner = turned();
  const Tensor wrapper = wrap(inner);
  const int64_t before = wrapper.version();
  EXPECT_EQ(inner.version(), before);
  tenon::LazyOp<void(const Tensor&)>("aten::zero_")(inner);
  EXPECT_EQ(wrapper.version(), before + 1);
  tenon_tensor_bump_version(wrapper.get());
  EXPECT_EQ(inner.version(), before + 2);
}

}  // namespace
}  // namespace tenon_behaviour
