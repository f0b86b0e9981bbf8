// SPDX-License-Identifier: Apache-2.0
// Finds plugin files, and checks their descriptors before any other of their code runs.
#include <unistd.h>

#include <cstdlib>

#include "base/check.h"
#include "base/read_struct.h"
#include "plugin/plugin.h"

namespace tenon::plugin {

namespace {

std::string folder_of(const std::string& path) {
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? std::string(".") : path.substr(0, slash);
}

std::string real_path(const std::string& path) {
  char* resolved = ::realpath(path.c_str(), nullptr);
  if (resolved == nullptr) return path;
  std::string text(resolved);
  std::free(resolved);
  return text;
}

bool is_readable(const std::string& path) { return ::access(path.c_str(), R_OK) == 0; }

// Returns the folder of libtenon, then the folders in TENON_PLUGIN_PATH.
std::vector<std::string> folders() {
  static const char kInThisLibrary = 0;
  std::vector<std::string> all{folder_of(base::path_of_address(&kInThisLibrary))};
  const char* more = std::getenv("TENON_PLUGIN_PATH");
  std::string_view left = more != nullptr ? more : "";
  while (!left.empty()) {
    const size_t colon = left.find(':');
    const std::string_view folder = left.substr(0, colon);
    if (!folder.empty()) all.emplace_back(folder);
    left = colon == std::string_view::npos ? std::string_view() : left.substr(colon + 1);
  }
  return all;
}

}  // namespace

const char* sanitizer_name(uint32_t sanitizer) noexcept {
  switch (sanitizer) {
    case TENON_SANITIZER_NONE:
      return "no sanitizer";
    case TENON_SANITIZER_ADDRESS:
      return "AddressSanitizer";
    case TENON_SANITIZER_THREAD:
      return "ThreadSanitizer";
    case TENON_SANITIZER_MEMORY:
      return "MemorySanitizer";
    default:
      return "an unknown sanitizer";
  }
}

std::string find_file(std::string_view path_or_name) {
  TENON_CHECK_ARG(!path_or_name.empty(), "plugin: path or name must be given, got \"\"");
  if (path_or_name.find('/') != std::string_view::npos) {
    const std::string path(path_or_name);
    TENON_CHECK(is_readable(path), TENON_ERROR_NOT_FOUND,
                "plugin: path must be a readable file, got ", path);
    return real_path(path);
  }
  const std::string file = base::concat("lib", path_or_name, ".so");
  std::string tried;
  for (const std::string& folder : folders()) {
    const std::string path = base::concat(folder, "/", file);
    if (is_readable(path)) return real_path(path);
    tried += base::concat(tried.empty() ? "" : ", ", folder);
  }
  fail(TENON_ERROR_NOT_FOUND, "plugin ", path_or_name, ": file ", file, " must be in one of ",
       tried, ", got none there; add its folder to TENON_PLUGIN_PATH");
}

tenon_plugin_descriptor read_descriptor(const tenon_plugin_descriptor* given,
                                        std::string_view path) {
  TENON_CHECK(given != nullptr, TENON_ERROR_ABI, "plugin ", path, ": must support ABI ",
              TENON_ABI_MAJOR, ".", TENON_ABI_MINOR, ", got NULL from its query function");
  constexpr size_t kFirstSize = 96;
  const std::string who = base::concat("plugin ", path);
  const auto whole = base::read_struct(who, kFirstSize, *given);
  base::check_reserved(who, whole.reserved);
  const uint32_t major = whole.abi_version >> 16;
  const uint32_t minor = whole.abi_version & 0xffff;
  TENON_CHECK(major == TENON_ABI_MAJOR && minor <= TENON_ABI_MINOR, TENON_ERROR_ABI, "plugin ",
              path, ": ABI must be ", TENON_ABI_MAJOR, ".0 to ", TENON_ABI_MAJOR, ".",
              TENON_ABI_MINOR, ", got ", major, ".", minor);
  TENON_CHECK(has_runtime(whole.sanitizer), TENON_ERROR_ABI, "plugin ", path,
              ": must be built with ", sanitizer_name(TENON_SANITIZER_CURRENT),
              " like libtenon, or with a sanitizer that is loaded in the process, got ",
              sanitizer_name(whole.sanitizer));
  TENON_CHECK(whole.name != nullptr && whole.name[0] != '\0' && whole.load != nullptr,
              TENON_ERROR_ABI, "plugin ", path,
              ": descriptor must have a name and a load function");
  TENON_CHECK(whole.requirement_count == 0 || whole.requirements != nullptr, TENON_ERROR_ABI,
              "plugin ", path, ": requirements must not be NULL if requirement_count is ",
              whole.requirement_count);
  for (uint32_t i = 0; i < whole.requirement_count; ++i) {
    const char* name = whole.requirements[i];
    TENON_CHECK(name != nullptr && name[0] != '\0', TENON_ERROR_ABI, "plugin ", path,
                ": requirement ", i, " must be a name, got ", name == nullptr ? "NULL" : "\"\"");
  }
  return whole;
}

}  // namespace tenon::plugin
