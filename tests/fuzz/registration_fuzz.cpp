// SPDX-License-Identifier: Apache-2.0
// Registration in any order. Dispatch tables must always follow from the registrations, a failure
// must change nothing, and after all libraries are closed nothing remains and each deleter ran
// once.
#include <array>

#include "fuzz.h"

namespace tenon::fuzz {
namespace {

constexpr const char* kNamespace = "fuzz_registration";
constexpr uint32_t kLibraries = 4;
constexpr uint32_t kRegistrations = 16;
constexpr const char* kNames[] = {"a", "b", "b.other", "c", "fuzz_registration::d", "other::e", ""};
constexpr const char* kSchemas[] = {
    "a(Tensor x) -> Tensor",
    "a(Tensor x, Tensor y) -> ()",
    "b(Tensor(a!) x, int n=1) -> Tensor(a!)",
    "b.other(Tensor[] list) -> ()",
    "c(int n) -> int",
    "fuzz_registration::d(Tensor? x) -> (Tensor, Tensor)",
    "other::e() -> ()",
    "c(int n -> int",
};
constexpr tenon_key kKeys[] = {
    TENON_KEY_CPU,
    TENON_KEY_CUDA,
    TENON_KEY_META,
    TENON_KEY_AUTOGRAD_CPU,
    TENON_KEY_AUTOGRAD,
    TENON_KEY_AUTOCAST,
    TENON_KEY_COMPOSITE_IMPLICIT_AUTOGRAD,
    TENON_KEY_COMPOSITE_EXPLICIT_AUTOGRAD,
    TENON_KEY_COMPOSITE_EXPLICIT_AUTOGRAD_NON_FUNCTIONAL,
    TENON_KEY_BATCHED_DECOMPOSITION,
    TENON_KEY_BACKEND_SELECT,
    TENON_KEY_BATCHED,
    TENON_KEY_WRAPPER,
    TENON_KEY_AD_INPLACE_OR_VIEW,
    TENON_KEY_UNDEFINED,
    TENON_KEY_NONE,
    12345,
};
constexpr const char* kKernelSchemas[] = {nullptr, "(Tensor _0) -> Tensor", "(int _0) -> int",
                                          "(broken"};

tenon_status pass(void*, const tenon_op*, tenon_keyset, tenon_stack* stack) {
  if (stack->nrets == 1 && stack->nargs >= 1) {
    return tenon_value_copy(&stack->args[0], &stack->rets[0]);
  }
  return TENON_OK;
}

class Registry {
 public:
  explicit Registry(Input& input) : input_(input), empty_(dump()) {}
  ~Registry();
  Registry(const Registry&) = delete;
  Registry& operator=(const Registry&) = delete;
  void step();

 private:
  static void count_deletion(void* ctx) { ++static_cast<Registry*>(ctx)->deleted_; }
  static void hear(void* ctx, uint32_t event, const tenon_op* op);
  tenon_kernel make_kernel();
  void open();
  void define();
  void implement();
  void fall_back();
  void close();
  void remove();
  void listen();
  void call();
  static void check_tables();
  void keep(tenon_registration* registration);
  void failed(tenon_status status, const std::string& before);
  std::string dump() const;
  tenon_library*& library() { return libraries_[input_.below(kLibraries)]; }
  tenon_key key() { return kKeys[input_.below(std::size(kKeys))]; }

  Input& input_;
  const std::string empty_;
  std::array<tenon_library*, kLibraries> libraries_{};
  std::array<tenon_registration*, kRegistrations> registrations_{};
  uint32_t next_registration_ = 0;
  int steps_ = 0;
  int64_t made_ = 0;
  int64_t deleted_ = 0;
  int64_t defined_ = 0;  // number of definitions, as counted by the listener
};

// Operators that inputs name; their handles stay valid until the process exits.
const std::array<const tenon_op*, 5>& operators() {
  static const std::array<const tenon_op*, 5> all = [] {
    std::array<const tenon_op*, 5> ops{};
    tenon_library* library = nullptr;
    FUZZ_CHECK(tenon_library_new(TENON_LIBRARY_FRAGMENT, kNamespace, TENON_KEY_NONE, "fuzz.cpp", 1,
                                 &library) == TENON_OK);
    constexpr const char* kPlain[] = {"a() -> ()", "b() -> ()", "b.other() -> ()", "c() -> ()",
                                      "d() -> ()"};
    for (size_t i = 0; i < ops.size(); ++i) {
      FUZZ_CHECK(tenon_library_define(library, kPlain[i], nullptr, &ops[i]) == TENON_OK);
    }
    tenon_library_release(library);
    return ops;
  }();
  return all;
}

// Returns all registrations of these operators as text.
std::string Registry::dump() const {
  std::string all;
  for (const tenon_op* op : operators()) {
    tenon_buffer* text = nullptr;
    FUZZ_CHECK(tenon_introspect_dump(op, &text) == TENON_OK);
    all += take_text(text);
  }
  return all;
}

void Registry::failed(tenon_status status, const std::string& before) {
  settle(status);
  if (status != TENON_OK) FUZZ_CHECK(dump() == before, before);
}

void Registry::hear(void* ctx, uint32_t event, const tenon_op* op) {
  if (std::strncmp(tenon_op_name(op), kNamespace, std::strlen(kNamespace)) != 0) return;
  static_cast<Registry*>(ctx)->defined_ += event == TENON_EVENT_OP_DEFINED ? 1 : -1;
}

void Registry::keep(tenon_registration* registration) {
  tenon_registration*& place = registrations_[next_registration_++ % kRegistrations];
  tenon_registration_remove(place);
  tenon_registration_release(place);
  place = registration;
}

tenon_kernel Registry::make_kernel() {
  tenon_kernel kernel{};
  kernel.struct_size = sizeof kernel;
  const uint32_t kind = input_.below(8);
  if (kind == 0) {
    kernel.flags = TENON_KERNEL_FALLTHROUGH;
  } else if (kind != 1) {
    kernel.boxed = &pass;
  }
  kernel.ctx = this;
  kernel.deleter = &count_deletion;
  kernel.language = TENON_LANGUAGE_CPP;
  kernel.policy = input_.below(4);
  kernel.schema = kKernelSchemas[input_.below(16) % std::size(kKernelSchemas)];
  if (kind == 2) {
    kernel.typed = reinterpret_cast<tenon_typed_fn>(&count_deletion);  // never called
    kernel.signature = 0x6c62fe19e196c2e9;                             // T>T
  }
  ++made_;
  return kernel;
}

void Registry::open() {
  tenon_library*& place = library();
  if (place != nullptr) return;
  const uint32_t kind = input_.below(5);
  const char* ns = input_.below(4) == 0 ? "_" : kNamespace;
  settle(tenon_library_new(kind, ns, key(), "fuzz.cpp", 1, &place));
}

void Registry::define() {
  tenon_library* into = library();
  const char* schema = kSchemas[input_.below(std::size(kSchemas))];
  const std::string before = dump();
  failed(tenon_library_define(into, schema, nullptr, nullptr), before);
}

void Registry::implement() {
  tenon_library* into = library();
  const char* name = kNames[input_.below(std::size(kNames))];
  const tenon_key at = key();
  const tenon_kernel kernel = make_kernel();
  tenon_registration* registration = nullptr;
  const std::string before = dump();
  failed(tenon_library_impl(into, name, at, &kernel, &registration), before);
  keep(registration);
}

void Registry::fall_back() {
  tenon_library* into = library();
  const tenon_key at = key();
  const tenon_kernel kernel = make_kernel();
  tenon_registration* registration = nullptr;
  const std::string before = dump();
  failed(tenon_library_fallback(into, at, &kernel, nullptr, &registration), before);
  keep(registration);
}

void Registry::close() {
  tenon_library*& place = library();
  if (place == nullptr) return;
  if (input_.coin()) tenon_library_close(place);
  if (input_.coin()) {
    settle(tenon_library_drain(place, 0));
  } else {
    tenon_library_release(place);
    place = nullptr;
  }
}

void Registry::remove() { tenon_registration_remove(registrations_[input_.below(kRegistrations)]); }

void Registry::listen() {
  tenon_registration* registration = nullptr;
  FUZZ_CHECK(tenon_registry_add_listener([](void*, uint32_t, const tenon_op*) {}, nullptr, nullptr,
                                         &registration) == TENON_OK);
  keep(registration);
}

void Registry::call() {
  const tenon_op* op = operators()[input_.below(5)];
  const int64_t sizes[1] = {1};
  tenon_tensor* tensor = nullptr;
  FUZZ_CHECK(tenon_tensor_new(TENON_DTYPE_F32, nullptr, 1, sizes, nullptr, &tensor) == TENON_OK);
  tenon_value args[2] = {};
  args[0].tag = TENON_TAG_TENSOR;
  args[0].as.tensor = tensor;
  args[1].tag = TENON_TAG_INT;
  tenon_value rets[2] = {};
  tenon_stack stack{};
  stack.args = args;
  stack.nargs = 1 + input_.below(2);
  stack.rets = rets;
  stack.nrets = input_.below(3);
  settle(tenon_op_call(op, &stack));
  tenon_value_clear_n(rets, 2);
  FUZZ_CHECK(tenon_tensor_use_count(tensor) == 1);
  tenon_tensor_release(tensor);
}

void Registry::step() {
  using Step = void (Registry::*)();
  constexpr Step kSteps[] = {&Registry::open,      &Registry::define, &Registry::implement,
                             &Registry::implement, &Registry::remove, &Registry::fall_back,
                             &Registry::close,     &Registry::call,   &Registry::listen};
  (this->*kSteps[input_.below(std::size(kSteps))])();
  if (++steps_ % 8 == 0) check_tables();
}

// Checks that the dispatch tables equal ones that are resolved from scratch.
void Registry::check_tables() {
  const tenon_status status = tenon_introspect_check(nullptr);
  FUZZ_CHECK(status == TENON_OK, settle(status));
}

Registry::~Registry() {
  check_tables();
  tenon_registration* listener = nullptr;
  FUZZ_CHECK(tenon_registry_add_listener(&hear, this, nullptr, &listener) == TENON_OK);
  for (tenon_library*& one : libraries_) {
    tenon_library_release(one);
    one = nullptr;
  }
  for (tenon_registration*& one : registrations_) {
    tenon_registration_remove(one);  // listeners; the others are removed
    tenon_registration_release(one);
    one = nullptr;
  }
  tenon_registration_remove(listener);
  tenon_registration_release(listener);
  tenon_registry_reap();
  FUZZ_CHECK(defined_ == 0, std::to_string(defined_));
  FUZZ_CHECK(deleted_ == made_, std::to_string(deleted_) + " of " + std::to_string(made_));
  FUZZ_CHECK(dump() == empty_, dump());
}

}  // namespace

void fuzz_registration(const uint8_t* data, size_t size) {
  operators();
  const LeakCheck nothing_left;
  Input input(data, size);
  Registry registry(input);
  for (int steps = 0; !input.empty() && steps < 100; ++steps) registry.step();
}

}  // namespace tenon::fuzz
