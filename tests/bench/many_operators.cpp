// SPDX-License-Identifier: Apache-2.0
// What 100 000 operators cost: bytes and nanoseconds to register one, nanoseconds to find one.
#include <malloc.h>
#include <time.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include <tenon/tenon.h>

namespace {

tenon_status noop(void*, const tenon_op*, tenon_keyset, tenon_stack*) { return TENON_OK; }

void must(tenon_status status) {
  if (status == TENON_OK) return;
  std::fprintf(stderr, "many_operators: %s\n", tenon_error_message(tenon_error_peek()));
  std::exit(1);
}

// Time of this thread: others may be at work on the machine.
double now() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e9 + static_cast<double>(time.tv_nsec);
}

// Bytes that malloc has given out, small blocks and mapped ones.
double allocated() {
  const struct mallinfo2 info = mallinfo2();
  return static_cast<double>(info.uordblks + info.hblkhd);
}

}  // namespace

int main(int argc, char** argv) {
  const int count = argc > 1 ? std::atoi(argv[1]) : 100000;
  std::vector<std::string> schemas;
  std::vector<std::string> names;
  for (int i = 0; i < count; ++i) {
    const std::string name = "operator_" + std::to_string(i);
    names.push_back("many::" + name);
    schemas.push_back(name + "(Tensor a, Tensor b, *, Scalar alpha=1) -> Tensor");
  }
  tenon_library* library = nullptr;
  must(tenon_library_new(TENON_LIBRARY_DEF, "many", TENON_KEY_NONE, __FILE__, 0, &library));
  tenon_kernel kernel{};
  kernel.struct_size = sizeof(kernel);
  kernel.language = TENON_LANGUAGE_CPP;
  kernel.boxed = &noop;

  const double before = allocated();
  double start = now();
  for (const std::string& schema : schemas) {
    must(tenon_library_define(library, schema.c_str(), nullptr, nullptr));
  }
  const double define = (now() - start) / count;
  const double defined = (allocated() - before) / count;
  start = now();
  for (const std::string& name : names) {
    must(tenon_library_impl(library, name.c_str(), TENON_KEY_CPU, &kernel, nullptr));
  }
  const double implement = (now() - start) / count;
  const double bytes = (allocated() - before) / count;

  // In random order, but one after the other in memory: the misses are the table's.
  std::shuffle(names.begin(), names.end(), std::mt19937(1));
  std::vector<std::array<char, 32>> order(names.size());
  for (size_t i = 0; i < names.size(); ++i) names[i].copy(order[i].data(), 31);
  double lookup = 1e9;
  for (int round = 0; round < 5; ++round) {
    start = now();
    for (const auto& name : order) {
      const tenon_op* op = nullptr;
      must(tenon_op_find(name.data(), &op));
    }
    lookup = std::min(lookup, (now() - start) / count);
  }
  // A few hot names: what a program that looks up what it uses pays.
  double hot = 1e9;
  for (int round = 0; round < 5; ++round) {
    start = now();
    for (int i = 0; i < count; ++i) {
      const tenon_op* op = nullptr;
      must(tenon_op_find(order[static_cast<size_t>(i) % 16].data(), &op));
    }
    hot = std::min(hot, (now() - start) / count);
  }
  std::printf(
      "{\"define_ns\": %.1f, \"define_bytes\": %.1f, \"impl_ns\": %.1f, \"bytes\": %.1f, "
      "\"lookup_ns\": %.1f, \"hot_lookup_ns\": %.1f}\n",
      define, defined, implement, bytes, lookup, hot);
  tenon_library_release(library);
}
