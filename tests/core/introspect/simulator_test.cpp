// SPDX-License-Identifier: Apache-2.0
// The simulator: registrations on an operator that is not in the registry.
#include "support.h"

namespace tenon::test {
namespace {

class Simulator {
 public:
  explicit Simulator(const char* schema = nullptr) {
    EXPECT_EQ(tenon_simulator_new(schema, &handle_), TENON_OK) << take_error();
  }
  ~Simulator() { tenon_simulator_release(handle_); }
  Simulator(const Simulator&) = delete;
  Simulator& operator=(const Simulator&) = delete;

  tenon_simulator* get() const { return handle_; }
  tenon_status add(const std::vector<const char*>& names, uint32_t flags = 0) {
    return tenon_simulator_register(handle_, names.data(), static_cast<int64_t>(names.size()),
                                    flags);
  }
  std::string print(uint32_t what) const {
    tenon_buffer* text = nullptr;
    EXPECT_EQ(tenon_simulator_print(handle_, what, &text), TENON_OK) << take_error();
    return take_text(text);
  }
  tenon_slot_info slot(const char* key) const {
    tenon_slot_info info{};
    info.struct_size = sizeof info;
    tenon_key number = 0;
    EXPECT_EQ(tenon_key_parse(key, &number), TENON_OK) << take_error();
    EXPECT_EQ(tenon_simulator_get_slot(handle_, number, &info), TENON_OK) << take_error();
    return info;
  }

 private:
  tenon_simulator* handle_ = nullptr;
};

TEST(Simulator, Item229_TablesAsARealOperatorWouldHave) {
  Simulator simulator;
  TENON_ASSERT_OK(simulator.add({"CPU", "Autograd"}));
  EXPECT_EQ(simulator.print(TENON_SIMULATOR_REGISTRATIONS),
            "Registered Kernels\n"
            "key       kernel\n"
            "----------------------\n"
            "CPU       fn_CPU\n"
            "Autograd  fn_Autograd\n");
  EXPECT_EQ(simulator.print(TENON_SIMULATOR_TABLE),
            "Computed Dispatch Table\n"
            "key           kernel\n"
            "--------------------------\n"
            "CPU           fn_CPU [kernel]\n"
            "AutogradCPU   fn_Autograd [autograd kernel]\n"
            "AutogradCUDA  fn_Autograd [autograd kernel]\n"
            "AutogradMeta  fn_Autograd [autograd kernel]\n");
}

// Every slot equals that of a real operator with the same registrations.
TEST(Simulator, Slots_EqualThoseOfARealOperator) {
  const std::vector<std::vector<const char*>> sets = {
      {"CompositeImplicitAutograd"},
      {"CPU", "CompositeImplicitAutograd"},
      {"CPU", "Autograd", "CompositeImplicitAutograd"},
      {"CompositeExplicitAutograd", "AutogradCPU"},
      {"CompositeExplicitAutogradNonFunctional", "BatchedDecomposition"},
      {"Tracer", "CUDA", "Autocast"}};
  tenon_buffer* buffer = nullptr;
  TENON_ASSERT_OK(tenon_key_list(&buffer));
  const auto* list = static_cast<const tenon_key*>(tenon_buffer_data(buffer));
  const std::vector<tenon_key> all(list, list + tenon_buffer_size(buffer) / 4);
  tenon_buffer_release(buffer);
  for (const auto& names : sets) {
    TestLibrary library;
    const tenon_op* op = library.define("real(Tensor x) -> Tensor");
    Simulator simulator;
    TENON_ASSERT_OK(simulator.add(names));
    for (const char* name : names) {
      tenon_key key = 0;
      TENON_ASSERT_OK(tenon_key_parse(name, &key));
      library.impl("real", key, logging_kernel("k"));
    }
    for (const tenon_key key : all) {
      tenon_slot_info real{};
      real.struct_size = sizeof real;
      TENON_ASSERT_OK(tenon_introspect_get_slot(op, key, &real));
      const tenon_slot_info simulated = simulator.slot(tenon_key_name(key));
      EXPECT_EQ(simulated.provenance, real.provenance) << tenon_key_name(key);
      EXPECT_EQ(simulated.source_key, real.source_key) << tenon_key_name(key);
      EXPECT_EQ(simulated.fallthrough, real.fallthrough) << tenon_key_name(key);
    }
  }
}

TEST(Simulator, FallbacksOfTheProcess_ServeIt_BySchema) {
  Simulator reads;
  Simulator writes("f_(Tensor(a!) self) -> Tensor(a!)");
  EXPECT_EQ(reads.slot("ADInplaceOrView").fallthrough, 1u);
  EXPECT_EQ(writes.slot("ADInplaceOrView").fallthrough, 0u);
  EXPECT_STREQ(reads.slot("Tracer").name, "record_graph");
  {
    FallbackLibrary fallbacks;
    fallbacks.fallback(TENON_KEY_TRACER, logging_kernel("profiles"));
    EXPECT_STREQ(reads.slot("Tracer").name, "profiles");
    EXPECT_NE(reads.print(TENON_SIMULATOR_RAW_TABLE).find("Tracer: profiles"), std::string::npos);
    EXPECT_EQ(reads.print(TENON_SIMULATOR_TABLE).find("profiles"), std::string::npos);
  }
  EXPECT_STREQ(reads.slot("Tracer").name, "record_graph");
}

TEST(Simulator, Fallthroughs) {
  Simulator simulator;
  TENON_ASSERT_OK(simulator.add({"CPU"}));
  TENON_ASSERT_OK(simulator.add({"AutogradCPU"}, TENON_KERNEL_FALLTHROUGH));
  EXPECT_EQ(simulator.slot("AutogradCPU").fallthrough, 1u);
  EXPECT_NE(simulator.print(TENON_SIMULATOR_REGISTRATIONS)
                .find("AutogradCPU  fn_AutogradCPU [fallthrough]"),
            std::string::npos);
}

TEST(Simulator, RemovingGivesBack) {
  Simulator simulator;
  TENON_ASSERT_OK(simulator.add({"CPU", "CompositeImplicitAutograd"}));
  EXPECT_EQ(simulator.slot("CPU").provenance, TENON_PROVENANCE_KERNEL);
  TENON_ASSERT_OK(tenon_simulator_remove(simulator.get(), "CPU"));
  EXPECT_EQ(simulator.slot("CPU").provenance, TENON_PROVENANCE_MATH_KERNEL);
  TENON_EXPECT_ERROR(tenon_simulator_remove(simulator.get(), "CPU"), TENON_ERROR_NOT_FOUND,
                     "key must be registered, got CPU");
}

TEST(Simulator, BadRegistrations_ChangeNothing) {
  Simulator simulator;
  TENON_ASSERT_OK(simulator.add({"CPU"}));
  const std::string before = simulator.print(TENON_SIMULATOR_RAW_REGISTRATIONS);
  TENON_EXPECT_ERROR(simulator.add({"CUDA", "NoSuchKey"}), TENON_ERROR_NOT_FOUND, "NoSuchKey");
  TENON_EXPECT_ERROR(simulator.add({"CUDA", "CUDA"}), TENON_ERROR_INVALID_ARGUMENT,
                     "each key must be given only once, got CUDA twice");
  TENON_EXPECT_ERROR(simulator.add({"CPU"}), TENON_ERROR_INVALID_ARGUMENT, "got CPU twice");
  TENON_EXPECT_ERROR(simulator.add({"CompositeImplicitAutograd", "CompositeExplicitAutograd"}),
                     TENON_ERROR_INVALID_ARGUMENT, "must not contain both CompositeImplicit");
  TENON_EXPECT_ERROR(simulator.add({"Undefined"}), TENON_ERROR_INVALID_ARGUMENT, "got Undefined");
  TENON_EXPECT_ERROR(simulator.add({"CUDA"}, 64), TENON_ERROR_INVALID_ARGUMENT, "got 64");
  EXPECT_EQ(simulator.print(TENON_SIMULATOR_RAW_REGISTRATIONS), before);
  EXPECT_NE(before.find("CPU: fn_CPU"), std::string::npos) << before;
  EXPECT_NE(before.find("simulated::f(Tensor x) -> Tensor"), std::string::npos) << before;
}

TEST(Simulator, BadRequests_AreErrors) {
  tenon_simulator* none = nullptr;
  TENON_EXPECT_ERROR(tenon_simulator_new("f(Tensor", &none), TENON_ERROR_PARSE, "f(Tensor");
  EXPECT_EQ(none, nullptr);
  Simulator simulator;
  tenon_buffer* text = nullptr;
  TENON_EXPECT_ERROR(tenon_simulator_print(simulator.get(), 4, &text), TENON_ERROR_INVALID_ARGUMENT,
                     "got 4");
  tenon_slot_info info{};
  info.struct_size = sizeof info;
  TENON_EXPECT_ERROR(tenon_simulator_get_slot(simulator.get(), TENON_KEY_AUTOGRAD, &info),
                     TENON_ERROR_INVALID_ARGUMENT, "Autograd");
  info.struct_size = 8;
  TENON_EXPECT_ERROR(tenon_simulator_get_slot(simulator.get(), TENON_KEY_CPU, &info),
                     TENON_ERROR_ABI, "tenon_simulator_get_slot: struct_size");
}

TEST(Simulator, Explain_WalksAKeySet) {
  Simulator simulator;
  TENON_ASSERT_OK(simulator.add({"CPU", "Autograd"}));
  tenon_buffer* text = nullptr;
  tenon_key autograd_cpu = 0;
  TENON_ASSERT_OK(tenon_key_parse("AutogradCPU", &autograd_cpu));
  TENON_ASSERT_OK(
      tenon_simulator_explain(simulator.get(), keys({autograd_cpu, TENON_KEY_CPU}), &text));
  EXPECT_EQ(take_text(text),
            "simulated::f(Tensor x) -> Tensor\n"
            "  the call has {AutogradCPU, CPU}\n"
            "  the highest key is AutogradCPU: fn_Autograd runs [autograd kernel]\n"
            "    because AutogradCPU has no kernel of its own, and the alias Autograd serves it\n"
            "  below it, CPU: fn_CPU [kernel]\n"
            "    because a kernel is registered on CPU itself\n"
            "  nothing is below CPU: its kernel ends the call\n");
}

TEST(Simulator, LeavesNothing) {
  Simulator first;  // the first use creates the registry's own kernels
  TENON_ASSERT_OK(first.add({"CPU"}));
  const int64_t kernels = tenon_introspect_live_count(TENON_HANDLE_KERNEL);
  const int64_t simulators = tenon_introspect_live_count(TENON_HANDLE_SIMULATOR);
  {
    Simulator simulator;
    TENON_ASSERT_OK(simulator.add({"CPU"}));
    EXPECT_EQ(tenon_introspect_live_count(TENON_HANDLE_SIMULATOR), simulators + 1);
    EXPECT_EQ(tenon_introspect_live_count(TENON_HANDLE_KERNEL), kernels + 1);
    const tenon_op* op = nullptr;
    EXPECT_EQ(tenon_op_find("simulated::f", &op), TENON_ERROR_NOT_FOUND);
    take_error();
  }
  EXPECT_EQ(tenon_introspect_live_count(TENON_HANDLE_SIMULATOR), simulators);
  EXPECT_EQ(tenon_introspect_live_count(TENON_HANDLE_KERNEL), kernels);
}

}  // namespace
}  // namespace tenon::test
