// SPDX-License-Identifier: Apache-2.0
// Plugins from several compilers and settings load beside each other, answer, unload and load
// again; those built with a sanitizer that the library was not built with are refused readably.
#include <cstring>
#include <initializer_list>

#include "core/dispatch/support.h"
#include "stress.h"

namespace tenon::test {
namespace {

struct Build {
  const char* name;
  const char* path;
};
constexpr Build kGood[] = {STRESS_GOOD_BUILDS};
constexpr std::initializer_list<Build> kSanitized = {STRESS_SANITIZED_BUILDS};

tenon_status answer(const char* name, int64_t* out_answer) {
  const tenon_op* op = nullptr;
  const tenon_status found =
      tenon_op_find((std::string("stress_") + name + "::answer").c_str(), &op);
  if (found != TENON_OK) return found;
  Call one({}, 1);
  const tenon_status status = tenon_op_call_fast(op, one.stack());
  *out_answer = one.ret().as.i;
  return status;
}

TEST(Builds, PluginsOfEachCompilerAndSetting_AnswerTogether) {
  for (int round = 0; round < 3; ++round) {
    std::vector<tenon_plugin*> loaded;
    for (const Build& build : kGood) {
      SCOPED_TRACE(build.name);
      tenon_plugin* plugin = nullptr;
      TENON_ASSERT_OK(tenon_plugin_load(build.path, &plugin));
      loaded.push_back(plugin);
    }
    for (const Build& build : kGood) {
      int64_t value = 0;
      TENON_EXPECT_OK(answer(build.name, &value));
      EXPECT_EQ(value, 42) << build.name;
    }
    for (tenon_plugin* plugin : loaded) TENON_EXPECT_OK(tenon_plugin_unload(plugin, -1));
    for (const Build& build : kGood) {
      int64_t value = 0;
      TENON_EXPECT_ERROR(answer(build.name, &value), TENON_ERROR_NOT_FOUND, build.name);
    }
  }
  if (!STRESS_HAS_CLANG) GTEST_SKIP() << "without clang-14 only gcc's builds were tried";
}

TEST(Builds, SanitizedPlugins_AreRefusedBeforeTheirRuntimeIsLoaded) {
  for (const Build& build : kSanitized) {
    SCOPED_TRACE(build.name);
    tenon_plugin* plugin = nullptr;
    const bool thread = std::strstr(build.name, "thread") != nullptr;
    TENON_EXPECT_ERROR(
        tenon_plugin_load(build.path, &plugin), TENON_ERROR_ABI,
        thread
            ? "ThreadSanitizer, which it was built with, must be loaded when the process starts"
            : "AddressSanitizer, which it was built with, must be loaded when the process starts");
    EXPECT_EQ(plugin, nullptr);
  }
}

}  // namespace
}  // namespace tenon::test
