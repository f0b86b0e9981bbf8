// SPDX-License-Identifier: Apache-2.0
// Explanations of calls: the whole text for a common call, and the relevant line for all others.
#include "../override/support.h"
#include "dispatch/transform.h"

namespace tenon::test {
namespace {

std::string explained(const tenon_op* op, const std::vector<tenon_value>& args) {
  tenon_buffer* text = nullptr;
  const tenon_status status =
      tenon_op_explain(op, args.data(), static_cast<int64_t>(args.size()), &text);
  return status == TENON_OK ? take_text(text) : take_error();
}

#define EXPECT_SAYS(text, part) \
  EXPECT_NE((text).find(part), std::string::npos) << "looking for: " << (part) << "\n" << (text)

class Explain : public DispatchTest {
 protected:
  TestLibrary library_;
  TestTensor cpu_;
};

TEST_F(Explain, WholeWay_KeyByKey) {
  const tenon_op* op = library_.define("f(Tensor x, Tensor[] y, int n=1) -> ()");
  library_.impl("f", TENON_KEY_CPU, logging_kernel("cpu"));
  library_.impl("f", TENON_KEY_AUTOGRAD, going_on("autograd"));
  const tenon_tensor* list[] = {cpu_.get()};
  const std::string text =
      explained(op, {tensor_value(cpu_), list_value(TENON_TAG_TENSOR_LIST, list, 1), int_value(1)});
  EXPECT_EQ(text,
            "t::f(Tensor x, Tensor[] y, int n=1) -> ()\n"
            "  x has {AutocastCPU, ADInplaceOrView, CPU}\n"
            "  y[0] has {AutocastCPU, ADInplaceOrView, CPU}\n"
            "  the thread adds {ADInplaceOrView, BackendSelect} and excludes {AutocastMeta, "
            "AutocastCUDA, AutocastCPU}\n"
            "  the operator adds {AutogradMeta, AutogradCUDA, AutogradCPU}, for which it has a "
            "kernel\n"
            "  skipped: ADInplaceOrView, BackendSelect, which fall through\n"
            "  the call has {AutogradCPU, CPU}\n"
            "  the highest key is AutogradCPU: autograd (C++ at kernels.cpp:7) runs [autograd "
            "kernel]\n"
            "    because AutogradCPU has no kernel of its own, and the alias Autograd serves it\n"
            "  below it, CPU: cpu (C++ at kernels.cpp:7) [kernel]\n"
            "    because a kernel is registered on CPU itself\n"
            "  nothing is below CPU: its kernel ends the call\n");
  EXPECT_EQ(take_notes(), "") << "explaining must call nothing";
}

// The explanation must match the call.
TEST_F(Explain, AgreesWithTheCall) {
  const tenon_op* op = library_.define("f(Tensor x) -> ()");
  library_.impl("f", TENON_KEY_COMPOSITE_EXPLICIT_AUTOGRAD, logging_kernel("explicit"));
  const std::string text = explained(op, {tensor_value(cpu_)});
  EXPECT_SAYS(text, "the highest key is CPU: explicit (C++");
  EXPECT_SAYS(text, "CPU has no kernel of its own, and CompositeExplicitAutograd serves every");
  TENON_EXPECT_OK(call(op, {tensor_value(cpu_)}));
  EXPECT_EQ(take_notes(), "explicit");
}

TEST_F(Explain, Composite_EndsTheWay) {
  const tenon_op* op = library_.define("f(Tensor x) -> ()");
  library_.impl("f", TENON_KEY_COMPOSITE_IMPLICIT_AUTOGRAD, logging_kernel("math"));
  const std::string text = explained(op, {tensor_value(cpu_)});
  EXPECT_SAYS(text, "math (C++ at kernels.cpp:7) runs [math kernel]");
  EXPECT_SAYS(text, "it is a composite kernel: it calls other operators");
  EXPECT_EQ(text.find("below"), std::string::npos) << text;
}

TEST_F(Explain, KernelInFrontOfAnother) {
  const tenon_op* op = library_.define("f(Tensor x) -> ()");
  library_.impl("f", TENON_KEY_CPU, logging_kernel("old"));
  library_.impl("f", TENON_KEY_CPU, logging_kernel("new"));
  const std::string text = explained(op, {tensor_value(cpu_)});
  EXPECT_SAYS(text, "CPU: new (C++");
  EXPECT_SAYS(text, "    in front of old (C++ at kernels.cpp:7)\n");
}

TEST_F(Explain, Fallthroughs_AreNamed) {
  const tenon_op* op = library_.define("f(Tensor x) -> ()");
  library_.impl("f", TENON_KEY_CPU, logging_kernel("cpu"));
  tenon_key autograd_cpu = 0;
  TENON_ASSERT_OK(tenon_key_parse("AutogradCPU", &autograd_cpu));
  library_.impl("f", TENON_KEY_AUTOGRAD, logging_kernel("autograd"));
  library_.impl("f", autograd_cpu, fallthrough());
  const std::string text = explained(op, {tensor_value(cpu_)});
  EXPECT_SAYS(text, "  skipped: AutogradCPU, ADInplaceOrView, BackendSelect, which fall through\n");
  EXPECT_SAYS(text, "  the call has {CPU}\n");
  EXPECT_SAYS(text, "the highest key is CPU: cpu");
}

TEST_F(Explain, NoKernel_SaysSoAndWhatThereIs) {
  const tenon_op* op = library_.define("f(Tensor x) -> ()");
  library_.impl("f", TENON_KEY_CPU, logging_kernel("cpu"));
  const TestTensor meta{TENON_KEY_META};
  const std::string text = explained(op, {tensor_value(meta)});
  EXPECT_SAYS(text, "the highest key is Meta, which has no kernel: the call fails\n");
  EXPECT_SAYS(text, "  kernels of t::f: CPU\n");
  EXPECT_EQ(call(op, {tensor_value(meta)}), TENON_ERROR_NO_KERNEL);
  take_error();
}

TEST_F(Explain, NoKernelBelow_SaysWhereRedispatchingFails) {
  const tenon_op* op = library_.define("f(Tensor x) -> ()");
  library_.impl("f", TENON_KEY_AUTOGRAD, going_on("autograd"));
  EXPECT_SAYS(explained(op, {tensor_value(cpu_)}),
              "  below it, CPU has no kernel: redispatching there fails\n");
}

TEST_F(Explain, NoTensors_BackendSelectChooses) {
  const tenon_op* op = library_.define("make(Device? device=None) -> ()");
  library_.impl("make", TENON_KEY_CPU, logging_kernel("cpu"));
  library_.impl("make", TENON_KEY_META, logging_kernel("meta"));
  const std::string without = explained(op, {tenon_value{}});
  EXPECT_SAYS(without, "no argument can be a tensor and no device is given: BackendSelect chooses");
  EXPECT_SAYS(without, "the highest key is CPU: cpu");
  const std::string with = explained(op, {device_value(23)});
  EXPECT_SAYS(with, "BackendSelect chooses the backend of the device meta");
  EXPECT_SAYS(with, "the highest key is Meta: meta");
}

TEST_F(Explain, NoTensorsNoBackend_CompositeAtUndefined) {
  const tenon_op* op = library_.define("f(Tensor[] x) -> ()");
  library_.impl("f", TENON_KEY_COMPOSITE_EXPLICIT_AUTOGRAD, logging_kernel("explicit"));
  const std::string text = explained(op, {list_value(TENON_TAG_TENSOR_LIST, nullptr, 0)});
  EXPECT_SAYS(text, "no key is left (no tensor brings one): explicit (C++");
}

TEST_F(Explain, WrittenArguments_VersionsFirst) {
  const tenon_op* op = library_.define("f_(Tensor(a!) self) -> Tensor(a!)");
  library_.impl("f_", TENON_KEY_CPU, logging_kernel("cpu"));
  const std::string text = explained(op, {tensor_value(cpu_)});
  EXPECT_SAYS(text, "the highest key is ADInplaceOrView: bump_versions");
  EXPECT_SAYS(text, "it increments the versions of written arguments and redispatches");
  EXPECT_SAYS(text, "below it, CPU: cpu");
}

// ---- Objects that override, modes, layers -------------------------------------------------------

TEST_F(Explain, ObjectsThatOverride_AreAskedInTurn) {
  const tenon_op* op = library_.define("f(Tensor x, Tensor y) -> ()");
  library_.impl("f", TENON_KEY_CPU, logging_kernel("cpu"));
  const tenon_object_type mode_type = overriding("a.Mode");
  const tenon_object_type type = overriding("a.Type");
  const ActorObject object(type, "object");
  const std::string text = explained(op, {object.value(), tensor_value(cpu_)});
  EXPECT_SAYS(text, "  x, an object of a.Type, has {Override}\n");
  EXPECT_SAYS(text, "the highest key is Override: run_overrides");
  EXPECT_SAYS(text,
              "it calls these handlers in order until one accepts the call: the types a.Type\n");
  EXPECT_SAYS(text, "to continue, a handler calls the operator again with other arguments\n");
  EXPECT_EQ(text.find("below it"), std::string::npos) << text;
  const ActorObject mode(mode_type, "mode");
  const ActorObject::On on(TENON_MODE_OVERRIDE, mode);
  EXPECT_SAYS(explained(op, {object.value(), tensor_value(cpu_)}),
              "until one accepts the call: the modes a.Mode, the types a.Type\n");
  EXPECT_EQ(take_notes(), "") << "explaining must ask nobody";
}

TEST_F(Explain, OverrideTakenAway_TheCallFails) {
  const tenon_op* op = library_.define("f(Tensor x) -> ()");
  library_.impl("f", TENON_KEY_CPU, logging_kernel("cpu"));
  const tenon_object_type type = overriding("a.Type");
  const ActorObject object(type, "object");
  tenon_key_guard guard;
  TENON_ASSERT_OK(tenon_key_guard_exclude(keys({TENON_KEY_OVERRIDE}), &guard));
  EXPECT_SAYS(explained(op, {object.value()}), "Override is excluded or falls through: the call");
  Call one({object.value()}, 0);
  TENON_EXPECT_ERROR(tenon_op_call_fast(op, one.stack()), TENON_ERROR_TYPE, "Override is excluded");
  tenon_key_guard_leave(&guard);
}

TEST_F(Explain, Carriers_NameWhatTheyCarry) {
  const tenon_op* op = library_.define("f(Tensor x) -> ()");
  const tenon_object_type type = overriding("a.Type");
  const ActorObject object(type, "object");
  const Carrier carrier(object.value());
  EXPECT_SAYS(explained(op, {carrier.value()}),
              "  x, a carrier of an object of a.Type, has {Override}\n");
}

TEST_F(Explain, Layers_TheInnermostTakesTheCall) {
  const tenon_op* op = library_.define("f(Tensor x) -> ()");
  library_.impl("f", TENON_KEY_CPU, logging_kernel("cpu"));
  static const dispatch::LayerKind kind{
      "scaling", dispatch::functionality_bit(TENON_FUNCTIONALITY_BATCHED), 0, nullptr, false};
  const dispatch::LayerPtr outer = dispatch::enter_layer(kind);
  const dispatch::LayerPtr inner = dispatch::enter_layer(kind);
  const std::string text = explained(op, {tensor_value(cpu_)});
  dispatch::leave_layer(*inner);
  dispatch::leave_layer(*outer);
  EXPECT_SAYS(text, "the highest key is TransformFront: transform_front");
  EXPECT_SAYS(
      text,
      "wraps tensors at the level of the innermost layer, scaling of level 2, and redispatches");
  EXPECT_EQ(text.find("below it"), std::string::npos) << text;
}

TEST_F(Explain, WrongArguments_AreErrors) {
  const tenon_op* op = library_.define("f(Tensor x) -> ()");
  EXPECT_SAYS(explained(op, {}), "t::f");
  EXPECT_SAYS(explained(op, {int_value(3)}), "TypeError");
  library_.impl("g", TENON_KEY_CPU, logging_kernel("cpu"));
  tenon_buffer* list = nullptr;
  TENON_ASSERT_OK(tenon_introspect_list_dangling(&list));
  const auto* dangling = static_cast<const tenon_op* const*>(tenon_buffer_data(list));
  EXPECT_SAYS(explained(dangling[0], {}), "t::g");
  tenon_buffer_release(list);
}

}  // namespace
}  // namespace tenon::test
