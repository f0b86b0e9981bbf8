// SPDX-License-Identifier: Apache-2.0
#include "base/processors.h"

#include <fcntl.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <string>

namespace tenon::base {

namespace {

constexpr const char* kGroups = "/sys/fs/cgroup";

// Returns the content of a short file; empty if it cannot be read.
std::string read_file(const std::string& path) {
  std::string text(1024, '\0');
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  const ssize_t count = file < 0 ? 0 : read(file, text.data(), text.size());
  if (file >= 0) close(file);
  text.resize(count > 0 ? static_cast<size_t>(count) : 0);
  return text;
}

int64_t next_number(std::string_view& text) noexcept {
  text.remove_prefix(std::min(text.find_first_not_of(" \n"), text.size()));
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  return error == std::errc() ? number : 0;
}

// Returns the smallest quota from the process's own group up to the root; 0 if there is none.
int32_t quota() {
  // The line of cgroup v2 is "0::/user.slice/...".
  const std::string groups = read_file("/proc/self/cgroup");
  const size_t line = groups.find("0::");
  std::string group;
  if (line != std::string::npos) {
    group = groups.substr(line + 3, groups.find('\n', line) - line - 3);
    if (group == "/") group.clear();
  }
  int32_t least = 0;
  for (;;) {
    const int32_t here = processors_of_quota(read_file(kGroups + group + "/cpu.max"));
    if (here > 0) least = least > 0 ? std::min(least, here) : here;
    if (group.empty()) break;
    group.resize(group.rfind('/'));
  }
  if (least > 0) return least;
  // cgroup v1 has a file for each of the two numbers.
  const std::string folder = std::string(kGroups) + "/cpu/cpu.cfs_";
  return processors_of_quota(read_file(folder + "quota_us") + " " +
                             read_file(folder + "period_us"));
}

}  // namespace

int32_t processors_of_quota(std::string_view text) noexcept {
  const int64_t time = next_number(text);
  const int64_t period = next_number(text);
  if (time <= 0 || period <= 0) return 0;
  return static_cast<int32_t>(
      std::min<int64_t>(time / period + (time % period != 0), kMostThreads));
}

int32_t thread_count_of(std::string_view text) noexcept {
  std::string_view rest = text;
  const int64_t count = next_number(rest);
  return rest.empty() && count <= kMostThreads ? static_cast<int32_t>(std::max<int64_t>(count, 0))
                                               : 0;
}

int32_t processor_count() noexcept {
  cpu_set_t set;
  CPU_ZERO(&set);
  // Fails if the system has more processors than the set can hold. Assume all of them then.
  const bool known = sched_getaffinity(0, sizeof set, &set) == 0;
  int64_t count = known ? CPU_COUNT(&set) : sysconf(_SC_NPROCESSORS_ONLN);
  try {
    if (const int32_t limit = quota(); limit > 0) count = std::min<int64_t>(count, limit);
  } catch (const std::bad_alloc&) {
    // Without memory to read them, quotas are ignored.
  }
  return static_cast<int32_t>(std::clamp<int64_t>(count, 1, kMostThreads));
}

}  // namespace tenon::base
