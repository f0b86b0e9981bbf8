// SPDX-License-Identifier: Apache-2.0
// Plugin descriptors and life cycles. A bad descriptor must be refused before any code of the
// plugin runs. Loads and unloads in any order, failing or not, must keep the reference counts
// right.
#include <dlfcn.h>

#include <array>
#include <memory>
#include <vector>

#include "base/error.h"
#include "fuzz.h"
#include "plugin/plugin.h"
#include "plugin_script.h"

namespace tenon::fuzz {
namespace {

// ---- Descriptors -------------------------------------------------------------------------------

// A descriptor whose strings and arrays have exactly the needed size, so that sanitizers detect
// reads beyond their ends.
class Descriptor {
 public:
  explicit Descriptor(Input& input);
  const tenon_plugin_descriptor* get() const { return &descriptor_; }
  bool complete() const;

 private:
  const char* text(Input& input);
  static tenon_status load(tenon_plugin*, void**) { FUZZ_CHECK(false, "a check must not load"); }

  tenon_plugin_descriptor descriptor_{};
  std::vector<std::unique_ptr<char[]>> texts_;
  std::unique_ptr<const char*[]> requirements_;
};

const char* Descriptor::text(Input& input) {
  const uint32_t size = input.below(12);
  if (size == 11) return nullptr;
  auto text = std::make_unique<char[]>(size + 1);
  for (uint32_t i = 0; i < size; ++i) text[i] = static_cast<char>(input.byte());
  text[size] = '\0';
  texts_.push_back(std::move(text));
  return texts_.back().get();
}

Descriptor::Descriptor(Input& input) {
  descriptor_.struct_size = sizeof descriptor_;
  descriptor_.abi_version = TENON_ABI_VERSION;
  descriptor_.sanitizer = TENON_SANITIZER_CURRENT;
  if (input.below(8) == 0) descriptor_.struct_size = input.number<uint32_t>() % 256;
  if (input.below(8) == 0) descriptor_.abi_version = input.number<uint32_t>();
  if (input.below(8) == 0) descriptor_.sanitizer = input.byte();
  if (descriptor_.struct_size > sizeof descriptor_) descriptor_.struct_size = sizeof descriptor_;
  descriptor_.name = text(input);
  descriptor_.version = text(input);
  descriptor_.build_id = text(input);
  descriptor_.load = input.below(8) == 0 ? nullptr : &load;
  descriptor_.requirement_count = input.below(4);
  if (input.below(8) != 0) {
    requirements_ = std::make_unique<const char*[]>(descriptor_.requirement_count);
    for (uint32_t i = 0; i < descriptor_.requirement_count; ++i) requirements_[i] = text(input);
  }
  descriptor_.requirements = requirements_.get();
}

// Returns true if the descriptor has all fields that loading reads.
bool Descriptor::complete() const {
  const tenon_plugin_descriptor& one = descriptor_;
  bool good = one.struct_size == sizeof one && one.name != nullptr && one.name[0] != '\0' &&
              one.load != nullptr && one.sanitizer == TENON_SANITIZER_CURRENT;
  if (one.requirement_count != 0 && one.requirements == nullptr) return false;
  for (uint32_t i = 0; i < one.requirement_count; ++i) {
    good = good && one.requirements[i] != nullptr && one.requirements[i][0] != '\0';
  }
  return good && one.abi_version >> 16 == TENON_ABI_MAJOR &&
         (one.abi_version & 0xffff) <= TENON_ABI_MINOR;
}

void check_descriptor(Input& input) {
  const Descriptor descriptor(input);
  bool accepted = true;
  try {
    plugin::read_descriptor(descriptor.get(), "fuzz.so");
  } catch (const Error& error) {
    accepted = false;
    FUZZ_CHECK(error.code() == TENON_ERROR_ABI, error.what());
  }
  FUZZ_CHECK(accepted == descriptor.complete());
}

// ---- Life cycles -------------------------------------------------------------------------------

constexpr const char* kFiles[] = {FUZZ_PLUGIN_A, FUZZ_PLUGIN_B};

// One of the two plugins on disk; the target controls its functions through `script`.
struct Scripted {
  explicit Scripted(const char* file) : path(file) {
    void* handle = ::dlopen(file, RTLD_NOW | RTLD_LOCAL);
    FUZZ_CHECK(handle != nullptr, ::dlerror());
    script = static_cast<tenon_plugin_script*>(::dlsym(handle, "tenon_plugin_script_of"));
    FUZZ_CHECK(script != nullptr);
  }
  void reset() const { *script = {0, 0, nullptr, 0, 0, script->op_name}; }

  const char* path;
  tenon_plugin_script* script;
  bool loaded = false;
};

void load(Scripted* plugin, Input& input) {
  plugin->reset();
  plugin->script->fail = input.below(4) == 0 ? 1 : 0;
  plugin->script->fail_silently = input.below(4) == 0 ? 1 : 0;
  plugin->script->load_again = input.below(4) == 0 ? plugin->path : nullptr;
  tenon_plugin* handle = nullptr;
  const tenon_status status = tenon_plugin_load(plugin->path, &handle);
  const std::string message = settle(status);
  const bool ran = !plugin->loaded;
  FUZZ_CHECK(plugin->script->loads == (ran ? 1 : 0), message);
  if (ran) plugin->loaded = plugin->script->fail == 0;
  FUZZ_CHECK((status == TENON_OK) == plugin->loaded, message);
  FUZZ_CHECK((handle != nullptr) == plugin->loaded);
}

void unload(Scripted* plugin, Input& input) {
  tenon_plugin* handle = nullptr;
  plugin->reset();
  if (!plugin->loaded) {  // a handle is only returned by loading
    FUZZ_CHECK(tenon_plugin_load(plugin->path, &handle) == TENON_OK);
  }
  FUZZ_CHECK(tenon_plugin_load(plugin->path, &handle) == TENON_OK);
  FUZZ_CHECK(tenon_plugin_is_loaded(handle) == 1);
  for (uint32_t times = 1 + input.below(2); times > 0; --times) {
    const tenon_status status = tenon_plugin_unload(handle, 0);
    FUZZ_CHECK(status == TENON_OK, settle(status));
    FUZZ_CHECK(tenon_plugin_is_loaded(handle) == 0);
  }
  FUZZ_CHECK(plugin->script->unloads == 1);
  plugin->loaded = false;
}

void check_life(Input& input) {
  static std::array<Scripted, 2> plugins{Scripted(kFiles[0]), Scripted(kFiles[1])};
  for (int steps = 0; !input.empty() && steps < 32; ++steps) {
    Scripted* plugin = &plugins[input.below(2)];
    if (input.coin()) {
      load(plugin, input);
    } else {
      unload(plugin, input);
    }
    const tenon_op* op = nullptr;
    const tenon_status found = tenon_op_find(plugin->script->op_name, &op);
    settle(found);
    FUZZ_CHECK((found == TENON_OK) == plugin->loaded);
  }
  Input end(nullptr, 0);
  for (Scripted& plugin : plugins) {
    if (plugin.loaded) unload(&plugin, end);
  }
}

}  // namespace

void fuzz_plugin(const uint8_t* data, size_t size) {
  const LeakCheck nothing_left;
  Input input(data, size);
  if (input.coin()) {
    check_life(input);
  } else {
    check_descriptor(input);
  }
}

}  // namespace tenon::fuzz
