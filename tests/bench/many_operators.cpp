// SPDX-License-Identifier: Apache-2.0
// Measures a large registry, as one JSON object: bytes and nanoseconds to register one of 100 000
// operators, to look one up, to open and close a library and to load a plugin, with all keys
// declared; and how much two calling threads slow each other down.
//
//     many_operators [OPERATORS]
#include <malloc.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <tenon/tenon.h>

namespace {

tenon_status noop(void*, const tenon_op*, tenon_keyset, tenon_stack*) { return TENON_OK; }

void must(tenon_status status) {
  if (status == TENON_OK) return;
  std::fprintf(stderr, "many_operators: %s\n", tenon_error_message(tenon_error_peek()));
  std::exit(1);
}

// Returns CPU time of this thread, so that other load on the machine does not count.
double now() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e9 + static_cast<double>(time.tv_nsec);
}

// Returns the bytes allocated by malloc, in small blocks and mappings.
double allocated() {
  const struct mallinfo2 info = mallinfo2();
  return static_cast<double>(info.uordblks + info.hblkhd);
}

// Prints the figures of one object, each once.
class Report {
 public:
  Report() { std::putchar('{'); }
  ~Report() { std::puts("}"); }
  Report(const Report&) = delete;
  Report& operator=(const Report&) = delete;
  void put(const char* name, double value) {
    std::printf("%s\"%s\": %.2f", first_ ? "" : ", ", name, value);
    first_ = false;
  }

 private:
  bool first_ = true;
};

tenon_kernel noop_kernel() {
  tenon_kernel kernel{};
  kernel.struct_size = sizeof(kernel);
  kernel.language = TENON_LANGUAGE_CPP;
  kernel.boxed = &noop;
  return kernel;
}

tenon_library* open(uint32_t kind, const char* ns) {
  tenon_library* library = nullptr;
  must(tenon_library_new(kind, ns, TENON_KEY_NONE, __FILE__, 0, &library));
  return library;
}

struct Names {
  std::vector<std::string> schemas;
  std::vector<std::string> full;
};

Names make_names(const std::string& ns, int count) {
  Names names;
  for (int i = 0; i < count; ++i) {
    const std::string name = "operator_" + std::to_string(i);
    names.full.push_back(ns + "::" + name);
    names.schemas.push_back(name + "(Tensor a, Tensor b, *, Scalar alpha=1) -> Tensor");
  }
  return names;
}

// Nanoseconds and bytes per operator when registering operators with one kernel each.
struct Registered {
  double define_ns, define_bytes, impl_ns, bytes;
};

Registered register_all(tenon_library* library, const Names& names) {
  const tenon_kernel kernel = noop_kernel();
  const auto count = static_cast<double>(names.full.size());
  const double before = allocated();
  double start = now();
  for (const std::string& schema : names.schemas) {
    must(tenon_library_define(library, schema.c_str(), nullptr, nullptr));
  }
  const double define = (now() - start) / count;
  const double defined = (allocated() - before) / count;
  start = now();
  for (const std::string& name : names.full) {
    must(tenon_library_impl(library, name.c_str(), TENON_KEY_CPU, &kernel, nullptr));
  }
  const double implement = (now() - start) / count;
  return {define, defined, implement, (allocated() - before) / count};
}

// Looks up `count` names, `distinct` of them different; returns nanoseconds per lookup.
double look_up(const std::vector<std::array<char, 32>>& names, size_t distinct) {
  double least = 1e9;
  for (int round = 0; round < 5; ++round) {
    const double start = now();
    for (size_t i = 0; i < names.size(); ++i) {
      const tenon_op* op = nullptr;
      must(tenon_op_find(names[i % distinct].data(), &op));
    }
    least = std::min(least, (now() - start) / static_cast<double>(names.size()));
  }
  return least;
}

// Returns nanoseconds per dependent cache miss: a chase through one cache line per operator, in
// random order. A lookup has at least two such misses, in the table and in the operator.
double read_lines(size_t count) {
  struct alignas(64) Line {
    size_t next;
  };
  std::vector<size_t> order(count);
  for (size_t i = 0; i < count; ++i) order[i] = i;
  std::shuffle(order.begin(), order.end(), std::mt19937(2));
  std::vector<Line> lines(count);
  for (size_t i = 0; i < count; ++i) lines[order[i]].next = order[(i + 1) % count];
  double least = 1e9;
  size_t at = 0;
  for (int round = 0; round < 5; ++round) {
    const double start = now();
    for (size_t i = 0; i < count; ++i) at = lines[at].next;
    asm volatile("" : : "r"(at));
    least = std::min(least, (now() - start) / static_cast<double>(count));
  }
  return least;
}

void measure_lookup(std::vector<std::string> names, Report& report) {
  // Shuffled names stored contiguously, so that cache misses come from the table and not from
  // names.
  std::shuffle(names.begin(), names.end(), std::mt19937(1));
  std::vector<std::array<char, 32>> order(names.size());
  for (size_t i = 0; i < names.size(); ++i) names[i].copy(order[i].data(), 31);
  report.put("lookup_ns", look_up(order, order.size()));
  report.put("hot_lookup_ns", look_up(order, 16));
  report.put("line_ns", read_lines(order.size()));
}

// Measures opening and closing a library with one operator and one kernel.
void measure_libraries(int count, Report& report) {
  const tenon_kernel kernel = noop_kernel();
  double first_bytes = 0;
  const double start = now();
  for (int i = 0; i < count; ++i) {
    tenon_library* library = open(TENON_LIBRARY_FRAGMENT, "passing");
    must(tenon_library_define(library, "by(Tensor a) -> ()", nullptr, nullptr));
    must(tenon_library_impl(library, "by", TENON_KEY_CPU, &kernel, nullptr));
    tenon_library_release(library);
    if (i == 0) first_bytes = allocated();
  }
  report.put("library_ns", (now() - start) / count);
  // memory that closed libraries leave behind; must be 0
  report.put("library_left_bytes", (allocated() - first_bytes) / count);
}

// Measures loading copies of many_plugin, which is built next to this program's libraries.
void measure_plugins(int count, Report& report) {
  namespace fs = std::filesystem;
  const fs::path program = fs::read_symlink("/proc/self/exe");
  const fs::path plugin = program.parent_path().parent_path() / "lib" / "libmany_plugin.so";
  std::string pattern = (fs::temp_directory_path() / "many_plugins.XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr) {
    std::perror("many_operators: mkdtemp");
    std::exit(1);
  }
  const fs::path folder = pattern;
  std::vector<std::string> files;
  for (int i = 0; i < count; ++i) {
    files.push_back((folder / ("plugin_" + std::to_string(i) + ".so")).string());
    fs::copy_file(plugin, files.back());
  }
  const double start = now();
  for (const std::string& file : files) {
    tenon_plugin* handle = nullptr;
    must(tenon_plugin_load(file.c_str(), &handle));
  }
  report.put("plugin_ns", (now() - start) / count);
  fs::remove_all(folder);
}

// Measures the CPU time of calls on one thread, and on two threads that call concurrently.
class Caller {
 public:
  explicit Caller(const char* name) {
    const int64_t size = 1;
    must(tenon_op_find(name, &op_));
    must(tenon_tensor_new(TENON_DTYPE_F32, nullptr, 1, &size, nullptr, &tensor_));
  }
  ~Caller() { tenon_tensor_release(tensor_); }
  Caller(const Caller&) = delete;
  Caller& operator=(const Caller&) = delete;

  double call_ns() const {
    constexpr int kCalls = 100000;
    tenon_value arg{};
    arg.tag = TENON_TAG_TENSOR;
    arg.as.tensor = tensor_;
    tenon_stack stack{};
    stack.args = &arg;
    stack.nargs = 1;
    const double start = now();
    for (int i = 0; i < kCalls; ++i) must(tenon_op_call_fast(op_, &stack));
    return (now() - start) / kCalls;
  }

 private:
  const tenon_op* op_ = nullptr;
  tenon_tensor* tensor_ = nullptr;
};

// Like Caller but without memory accesses: the best scaling of two threads on this machine.
class Loop {
 public:
  explicit Loop(const char*) {}
  static double call_ns() {
    constexpr int kSteps = 2000000;
    uint64_t state = 1;
    const double start = now();
    for (int i = 0; i < kSteps; ++i) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      asm volatile("" : "+r"(state));
    }
    return (now() - start) / kSteps;
  }
};

// Throughput of two threads relative to one: 2 if they share no cache line and if each hardware
// thread is as fast as one alone.
class Scaling {
 public:
  template <class Work>
  void measure(const char* first, const char* second) {
    const Work mine(first);
    mine.call_ns();
    // Take the slower of two runs, as below; otherwise noise would count on one side only.
    alone_ = std::min(alone_, std::max(mine.call_ns(), mine.call_ns()));
    std::atomic<int> ready{0};
    const auto wait_and_work = [&ready](const char* name) {
      const Work work(name);
      work.call_ns();
      ++ready;
      while (ready.load() != 2) std::this_thread::yield();
      return work.call_ns();
    };
    double other = 0;
    std::thread thread([&] { other = wait_and_work(second); });
    const double me = wait_and_work(first);
    thread.join();
    together_ = std::min(together_, std::max(me, other));
  }
  double times() const { return 2 * alone_ / together_; }

 private:
  double alone_ = 1e9, together_ = 1e9;
};

void measure_threads(Report& report) {
  const tenon_kernel kernel = noop_kernel();
  tenon_library* library = open(TENON_LIBRARY_DEF, "threads");
  for (const char* name : {"a", "b"}) {
    must(tenon_library_define(library, (std::string(name) + "(Tensor x) -> ()").c_str(), nullptr,
                              nullptr));
    must(tenon_library_impl(library, name, TENON_KEY_CPU, &kernel, nullptr));
  }
  Scaling loop, same, different;
  for (int round = 0; round < 40; ++round) {
    loop.measure<Loop>("", "");
    same.measure<Caller>("threads::a", "threads::a");
    different.measure<Caller>("threads::a", "threads::b");
  }
  report.put("two_threads_loop_x", loop.times());
  report.put("two_threads_same_operator_x", same.times());
  report.put("two_threads_two_operators_x", different.times());
  tenon_library_release(library);
}

// Declares keys until every gap is full; this rebuilds all dispatch tables and enlarges new ones.
void measure_keys(int count, Report& report) {
  const char* const anchors[] = {"BackendSelect", "Fake",     "Wrapper",        "TransformBack",
                                 "Autograd",      "Autocast", "TransformFront", "Override"};
  double most = 0;
  int declared = 0;
  for (const char* anchor : anchors) {
    for (const uint32_t flags : {0u, TENON_KEY_FLAG_ABOVE}) {
      while (true) {
        tenon_key key = 0;
        const std::string name = "Many" + std::to_string(declared);
        const double start = now();
        if (tenon_functionality_register(name.c_str(), anchor, flags, &key) != TENON_OK) break;
        most = std::max(most, now() - start);
        ++declared;
      }
      tenon_error_release(tenon_error_take());
    }
  }
  tenon_library* library = open(TENON_LIBRARY_DEF, "all_keys");
  const Registered cost = register_all(library, make_names("all_keys", count / 10));
  report.put("declared_keys", declared);
  report.put("declare_key_ms", most / 1e6);
  report.put("all_keys_define_ns", cost.define_ns);
  report.put("all_keys_impl_ns", cost.impl_ns);
  report.put("all_keys_bytes", cost.bytes);
  tenon_library_release(library);
}

}  // namespace

int main(int argc, char** argv) {
  const int count = argc > 1 ? std::atoi(argv[1]) : 100000;
  Report report;
  tenon_library* library = open(TENON_LIBRARY_DEF, "many");
  const Names names = make_names("many", count);
  const Registered cost = register_all(library, names);
  report.put("define_ns", cost.define_ns);
  report.put("define_bytes", cost.define_bytes);
  report.put("impl_ns", cost.impl_ns);
  report.put("bytes", cost.bytes);
  measure_lookup(names.full, report);
  measure_libraries(count / 10, report);
  measure_plugins(count / 100, report);
  measure_threads(report);
  measure_keys(count, report);
  const double start = now();
  tenon_library_release(library);
  report.put("close_ns", (now() - start) / count);
}
