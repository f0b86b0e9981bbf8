// SPDX-License-Identifier: Apache-2.0
// Plugins: found, refused, loaded, unloaded, loaded again, and loaded on first use.
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <thread>

#include "plugin/plugin.h"
#include "support.h"

namespace tenon::test {
namespace {

std::string path_of(const char* name) {
  return std::string(TENON_TEST_PLUGINS) + "/lib" + name + ".so";
}
tenon_status load(const std::string& path_or_name, tenon_plugin** out_plugin = nullptr) {
  return tenon_plugin_load(path_or_name.c_str(), out_plugin);
}
// Reads a counter of a plugin that is already mapped.
int counter(const char* plugin, const char* symbol) {
  void* handle = dlopen(path_of(plugin).c_str(), RTLD_NOW | RTLD_NOLOAD);
  if (handle == nullptr) return -1;
  const int value = *static_cast<int*>(dlsym(handle, symbol));
  dlclose(handle);
  return value;
}
int64_t answer(const char* name) {
  const tenon_op* op = nullptr;
  if (tenon_op_find((std::string("plugged::") + name).c_str(), &op) != TENON_OK) return -1;
  Call one({}, 1);
  if (tenon_op_call_fast(op, one.stack()) != TENON_OK) return -2;
  return one.ret().as.i;
}

class Plugin : public DispatchTest {
 protected:
  void SetUp() override { setenv("TENON_PLUGIN_PATH", TENON_TEST_PLUGINS, 1); }
};

TEST_F(Plugin, LoadByNameCallUnloadLoadAgain) {
  tenon_plugin* plugin = nullptr;
  TENON_ASSERT_OK(load("good", &plugin));
  EXPECT_STREQ(tenon_plugin_name(plugin), "good");
  EXPECT_STREQ(tenon_plugin_version(plugin), "1.2");
  EXPECT_EQ(tenon_plugin_path(plugin), path_of("good"));
  EXPECT_EQ(tenon_plugin_is_loaded(plugin), 1);
  EXPECT_EQ(answer("good"), 42);
  EXPECT_EQ(counter("good", "plugin_loads"), 1);

  TENON_EXPECT_OK(tenon_plugin_unload(plugin, -1));
  EXPECT_EQ(tenon_plugin_is_loaded(plugin), 0);
  EXPECT_EQ(answer("good"), -1);
  take_error();
  EXPECT_EQ(counter("good", "plugin_unloads"), 1);
  TENON_EXPECT_OK(tenon_plugin_unload(plugin, -1));
  EXPECT_EQ(counter("good", "plugin_unloads"), 1);

  tenon_plugin* again = nullptr;
  TENON_ASSERT_OK(load(path_of("good"), &again));
  EXPECT_EQ(again, plugin);
  EXPECT_EQ(answer("good"), 42);
  EXPECT_EQ(counter("good", "plugin_loads"), 2);
  TENON_EXPECT_OK(tenon_plugin_unload(plugin, -1));
}

TEST_F(Plugin, Item139_LoadedTwice_IsTheSameAndLoadsOnce) {
  tenon_plugin *first = nullptr, *second = nullptr;
  TENON_ASSERT_OK(load("good", &first));
  const int loads = counter("good", "plugin_loads");
  TENON_ASSERT_OK(load(path_of("good"), &second));
  TENON_EXPECT_OK(load("good"));
  EXPECT_EQ(first, second);
  EXPECT_EQ(counter("good", "plugin_loads"), loads);
}

TEST_F(Plugin, LoadedFromManyThreads_LoadsOnce) {
  tenon_plugin* plugin = nullptr;
  TENON_ASSERT_OK(load("good", &plugin));
  TENON_ASSERT_OK(tenon_plugin_unload(plugin, -1));
  const int loads = counter("good", "plugin_loads");
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([] {
      EXPECT_EQ(load("good"), TENON_OK);
      EXPECT_EQ(answer("good"), 42);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(counter("good", "plugin_loads"), loads + 1);
  TENON_EXPECT_OK(tenon_plugin_unload(plugin, -1));
}

TEST_F(Plugin, LoadedAndUnloadedByManyThreads_EachLoadHasItsUnload) {
  tenon_plugin* plugin = nullptr;
  TENON_ASSERT_OK(load("good", &plugin));
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([plugin] {
      for (int round = 0; round < 10000; ++round) {
        TENON_EXPECT_OK(load("good"));
        TENON_EXPECT_OK(tenon_plugin_unload(plugin, -1));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(tenon_plugin_is_loaded(plugin), 0);
  EXPECT_EQ(counter("good", "plugin_loads"), counter("good", "plugin_unloads"));
}

TEST_F(Plugin, Requirement_IsLoadedFirst) {
  TENON_ASSERT_OK(load("needs_good"));
  EXPECT_EQ(answer("good"), 42);
  EXPECT_EQ(answer("needs_good"), 42);
}

TEST_F(Plugin, MissingRequirement_ErrorNamesBoth) {
  EXPECT_EQ(load("needs_missing"), TENON_ERROR_NOT_FOUND);
  tenon_error* error = tenon_error_take();
  const std::string text = tenon_error_format(error);
  tenon_error_release(error);
  EXPECT_NE(text.find("not_there"), std::string::npos) << text;
  EXPECT_NE(text.find("needs_missing requires not_there"), std::string::npos) << text;
  EXPECT_EQ(counter("needs_missing", "plugin_loads"), 0);
}

TEST_F(Plugin, CircularRequirements_AreAnError) {
  TENON_EXPECT_ERROR(load("needs_itself"), TENON_ERROR_STATE, "circular");
  TENON_EXPECT_ERROR(load("circle_a"), TENON_ERROR_STATE, "circular");
}

TEST_F(Plugin, CircularRequirementsFromTwoThreads_EndInAnError) {
  tenon_status first = TENON_OK, second = TENON_OK;
  std::thread a([&] {
    first = load("circle_a");
    take_error();
  });
  std::thread b([&] {
    second = load("circle_b");
    take_error();
  });
  a.join();
  b.join();
  EXPECT_EQ(first, TENON_ERROR_STATE);
  EXPECT_EQ(second, TENON_ERROR_STATE);
}

TEST_F(Plugin, MissingFile_ErrorTellsWhereItLooked) {
  TENON_EXPECT_ERROR(load("absent"), TENON_ERROR_NOT_FOUND, TENON_TEST_PLUGINS);
  TENON_EXPECT_ERROR(load("/nowhere/libabsent.so"), TENON_ERROR_NOT_FOUND, "/nowhere/libabsent.so");
  TENON_EXPECT_ERROR(load(""), TENON_ERROR_INVALID_ARGUMENT, "given");
  TENON_EXPECT_ERROR(tenon_plugin_load(nullptr, nullptr), TENON_ERROR_INVALID_ARGUMENT, "given");
}

TEST_F(Plugin, NotALibrary_IsTheLoadersError) {
  const std::string path = testing::TempDir() + "/libtext.so";
  std::ofstream(path) << "no ELF";
  TENON_EXPECT_ERROR(load(path), TENON_ERROR_SYSTEM, "libtext.so");
  std::remove(path.c_str());
}

TEST_F(Plugin, OtherAbi_IsRefusedBeforeItsCodeRuns) {
  for (const char* name : {"future", "newer"}) {
    TENON_EXPECT_ERROR(load(name), TENON_ERROR_ABI, "ABI must be");
    EXPECT_LE(counter(name, "plugin_loads"), 0);
  }
  TENON_EXPECT_ERROR(load("sanitized"), TENON_ERROR_ABI, "anitizer");
  TENON_EXPECT_ERROR(load("short"), TENON_ERROR_ABI, "got 16");
  TENON_EXPECT_ERROR(load("declines"), TENON_ERROR_ABI, "got NULL from its query function");
  TENON_EXPECT_ERROR(load("no_query"), TENON_ERROR_ABI, "tenon_plugin_query");
}

// The loader validates everything it reads before any code of the plugin runs.
TEST_F(Plugin, RequirementsThatAreNone_AreRefused) {
  tenon_plugin_descriptor descriptor{};
  descriptor.struct_size = sizeof descriptor;
  descriptor.abi_version = TENON_ABI_VERSION;
  descriptor.name = "faulty";
  descriptor.sanitizer = TENON_SANITIZER_CURRENT;
  descriptor.load = [](tenon_plugin*, void**) -> tenon_status { return TENON_OK; };
  descriptor.requirement_count = 2;
  const auto refusal = [&]() -> std::string {
    try {
      plugin::read_descriptor(&descriptor, "faulty.so");
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), TENON_ERROR_ABI);
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(refusal(), "plugin faulty.so: requirements must not be NULL if requirement_count is 2");
  const char* names[] = {"good", nullptr};
  descriptor.requirements = names;
  EXPECT_EQ(refusal(), "plugin faulty.so: requirement 1 must be a name, got NULL");
  names[1] = "";
  EXPECT_EQ(refusal(), "plugin faulty.so: requirement 1 must be a name, got \"\"");
  names[1] = "other";
  EXPECT_EQ(refusal(), "");
}

// Descriptors of other versions: shorter ones down to the first released version, and longer ones
// if their unknown fields are zero.
TEST_F(Plugin, DescriptorsOfOtherVersions) {
  struct Later {
    tenon_plugin_descriptor known{};
    uint64_t unknown = 0;
  } later;
  tenon_plugin_descriptor& descriptor = later.known;
  descriptor.struct_size = sizeof later;
  descriptor.abi_version = TENON_ABI_VERSION;
  descriptor.name = "later";
  descriptor.sanitizer = TENON_SANITIZER_CURRENT;
  descriptor.load = [](tenon_plugin*, void**) -> tenon_status { return TENON_OK; };
  const auto refusal = [&]() -> std::string {
    try {
      EXPECT_STREQ(plugin::read_descriptor(&descriptor, "later.so").name, "later");
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(refusal(), "");
  later.unknown = 1;
  EXPECT_EQ(refusal(),
            "plugin later.so: fields unknown to this version must be zero, got a nonzero byte at "
            "offset 96");
  descriptor.struct_size = 96;  // the first released size
  EXPECT_EQ(refusal(), "");
  descriptor.struct_size = 95;
  EXPECT_EQ(refusal(), "plugin later.so: struct_size must be at least 96, got 95");
  descriptor.struct_size = sizeof descriptor;
  descriptor.reserved[3] = 1;
  EXPECT_EQ(refusal(), "plugin later.so: reserved fields must be zero, got another value");
}

TEST_F(Plugin, LoadThatFails_ErrorComesHomeWithANoteAndNothingIsLoaded) {
  tenon_plugin* plugin = reinterpret_cast<tenon_plugin*>(1);
  EXPECT_EQ(load("fails", &plugin), TENON_ERROR_SYSTEM);
  EXPECT_EQ(plugin, nullptr);
  tenon_error* error = tenon_error_take();
  EXPECT_STREQ(tenon_error_message(error), "the driver is missing");
  ASSERT_EQ(tenon_error_note_count(error), 1);
  EXPECT_NE(std::string(tenon_error_note(error, 0)).find("fails"), std::string::npos);
  tenon_error_release(error);
}

TEST_F(Plugin, WithoutUnloadFunction_StaysLoaded) {
  tenon_plugin* plugin = nullptr;
  TENON_ASSERT_OK(load("stays", &plugin));
  TENON_EXPECT_ERROR(tenon_plugin_unload(plugin, -1), TENON_ERROR_NOT_SUPPORTED, "unload");
  EXPECT_EQ(answer("stays"), 42);
}

// The plugin named tenon_cpu here refuses to load, which a lookup in `aten` must handle.
TEST_F(Plugin, AutomaticLoadThatFails_IsTheCauseAndIsTriedOnce) {
  const tenon_op* op = nullptr;
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(tenon_op_find("aten::add.Tensor", &op), TENON_ERROR_NOT_FOUND);
    tenon_error* error = tenon_error_take();
    const tenon_error* cause = tenon_error_cause(error);
    ASSERT_NE(cause, nullptr);
    EXPECT_STREQ(tenon_error_message(cause), "the driver is missing");
    tenon_error_release(error);
  }
  EXPECT_EQ(counter("tenon_cpu", "plugin_loads"), 1);
  EXPECT_EQ(tenon_op_find("other::add", &op), TENON_ERROR_NOT_FOUND);
  tenon_error* error = tenon_error_take();
  EXPECT_EQ(tenon_error_cause(error), nullptr);
  tenon_error_release(error);
}

TEST_F(Plugin, MissingKernelOfAShippedNamespace_TriesItsPluginToo) {
  TestLibrary library(TENON_LIBRARY_FRAGMENT, "tenon");
  const tenon_op* op = library.define("unserved(Tensor a) -> ()");
  TestTensor tensor;
  EXPECT_EQ(call(op, {tensor_value(tensor)}), TENON_ERROR_NO_KERNEL);
  tenon_error* error = tenon_error_take();
  ASSERT_NE(tenon_error_cause(error), nullptr);
  EXPECT_STREQ(tenon_error_message(tenon_error_cause(error)), "the driver is missing");
  tenon_error_release(error);
}

// If the plugin is not installed, the error says so and lists the searched places before it
// suggests registering a kernel.
TEST_F(Plugin, MissingKernelOfADeviceWhosePluginIsMissing_NamesThePlugin) {
  TestLibrary library(TENON_LIBRARY_FRAGMENT, "tenon");
  const tenon_op* op = library.define("unserved_there(Tensor a) -> ()");
  TestTensor tensor({TENON_KEY_CUDA});
  EXPECT_EQ(call(op, {tensor_value(tensor)}), TENON_ERROR_NO_KERNEL);
  const std::string message = take_error();
  const size_t plugin = message.find("libtenon_cuda.so must be in one of");
  ASSERT_NE(plugin, std::string::npos) << message;
  EXPECT_LT(plugin, message.find("register a kernel for CUDA")) << message;
}

TEST_F(Plugin, FirstUseOfADevice_LooksForItsPlugin) {
  const tenon_device cuda{TENON_DEVICE_CUDA, 0};
  const int64_t sizes[1] = {1};
  tenon_tensor* tensor = nullptr;
  EXPECT_EQ(tenon_tensor_new(TENON_DTYPE_F32, &cuda, 1, sizes, nullptr, &tensor),
            TENON_ERROR_NOT_FOUND);
  tenon_error* error = tenon_error_take();
  const std::string text = tenon_error_format(error);
  tenon_error_release(error);
  EXPECT_NE(text.find("libtenon_cuda.so"), std::string::npos) << text;
}

}  // namespace
}  // namespace tenon::test
