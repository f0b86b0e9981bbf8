// SPDX-License-Identifier: Apache-2.0
// TENON_LIBRARY blocks, and TENON_PLUGIN, which turns their shared library into a plugin.
#pragma once

#if __cplusplus <= 201703L
#error "tenon/hpp/plugin.hpp needs C++20: compile with -std=c++20 or later"
#else

#include <memory>
#include <vector>

#include "tenon/hpp/library.hpp"
#include "tenon/plugin.h"

// Usage:
//
//   TENON_LIBRARY(shop, m) {
//     m.def("twice(Tensor x) -> Tensor");
//     m.impl("twice", TENON_KEY_CPU, [](const tenon::Tensor& x) { return aten::add(x, x); });
//   }
//   TENON_PLUGIN("shop", "1.0");

namespace tenon::inline hpp {

// One TENON_LIBRARY block of this program or shared library, in a linked list.
struct Block {
  Library::Kind kind;
  const char* ns;
  const char* key;  // "" for no key
  void (*body)(Library&);
  Site site;
  Block* next = nullptr;
};

namespace detail {

// Hidden, so that each shared library has its own list. Constant-initialised, so that static
// initialisers of blocks may run before it.
struct [[gnu::visibility("hidden")]] BlockList {
  Block* first = nullptr;
  Block** last = nullptr;
};
[[gnu::visibility("hidden")]] inline constinit BlockList block_list;

// Appends a block to the list of its shared library.
struct BlockAdder {
  [[gnu::visibility("hidden")]] explicit BlockAdder(Block* block) {
    Block** last = block_list.last != nullptr ? block_list.last : &block_list.first;
    *last = block;
    block_list.last = &block->next;
  }
};

}  // namespace detail

// Runs the TENON_LIBRARY blocks of this program or shared library, in the order of their
// definition. The libraries are closed when the result is destroyed.
[[gnu::visibility("hidden")]] inline std::vector<Library> load_blocks() {
  std::vector<Library> libraries;
  for (const Block* block = detail::block_list.first; block != nullptr; block = block->next) {
    const tenon_key block_key = *block->key != 0 ? key(block->key) : TENON_KEY_NONE;
    Library& library = libraries.emplace_back(block->kind, block->ns, block_key, block->site);
    block->body(library);
  }
  return libraries;
}

namespace detail {

[[gnu::visibility("hidden")]] inline tenon_status load_plugin(tenon_plugin*, void** out_state) {
  try {
    *out_state = new std::vector<Library>(load_blocks());
    return TENON_OK;
  } catch (abi::__forced_unwind&) {
    throw;
  } catch (...) {
    return tenon_error_set(current_error());
  }
}
[[gnu::visibility("hidden")]] inline void unload_plugin(void* state) {
  delete static_cast<std::vector<Library>*>(state);
}

}  // namespace detail

}  // namespace tenon::inline hpp

#define TENON_DETAIL_BLOCK(kind, ns, key, m, id)                                                \
  static void tenon_block_##id(::tenon::Library&);                                              \
  static ::tenon::Block tenon_block_node_##id{                                                  \
      ::tenon::Library::kind, #ns, #key, &tenon_block_##id, ::tenon::Site{__FILE__, __LINE__}}; \
  static const ::tenon::detail::BlockAdder tenon_block_adder_##id(&tenon_block_node_##id);      \
  static void tenon_block_##id([[maybe_unused]] ::tenon::Library& m)
#define TENON_DETAIL_BLOCK_ID(kind, ns, key, m, id) TENON_DETAIL_BLOCK(kind, ns, key, m, id)

// Owns namespace `ns`: TENON_LIBRARY(vision, m) { m.def("blur(Tensor image) -> Tensor", &blur); }
#define TENON_LIBRARY(ns, m) TENON_DETAIL_BLOCK_ID(Def, ns, , m, __COUNTER__)
// Adds to a namespace that another library owns or shares.
#define TENON_FRAGMENT(ns, m) TENON_DETAIL_BLOCK_ID(Fragment, ns, , m, __COUNTER__)
// Adds kernels for one key: TENON_IMPL(vision, CUDA, m) { m.impl("blur", &blur_cuda); }
#define TENON_IMPL(ns, key, m) TENON_DETAIL_BLOCK_ID(Impl, ns, key, m, __COUNTER__)

// Exports the query function of a plugin. Loading it runs the TENON_LIBRARY blocks of its shared
// library; unloading closes them. Use it once per shared library. Additional arguments are names of
// plugins to load first: TENON_PLUGIN("my_cuda", "1.0", "my_cpu");
#define TENON_PLUGIN(plugin_name, plugin_version, ...)                                         \
  extern "C" TENON_EXPORT const tenon_plugin_descriptor* tenon_plugin_query(                   \
      uint32_t host_abi_min, uint32_t host_abi_max) {                                          \
    static constexpr const char* requirements[] = {__VA_ARGS__ __VA_OPT__(, ) nullptr};        \
    static constexpr uint32_t requirement_count =                                              \
        sizeof(requirements) / sizeof(*requirements) - 1;                                      \
    static const tenon_plugin_descriptor descriptor = {sizeof(tenon_plugin_descriptor),        \
                                                       TENON_ABI_VERSION,                      \
                                                       plugin_name,                            \
                                                       plugin_version,                         \
                                                       "",                                     \
                                                       TENON_SANITIZER_CURRENT,                \
                                                       requirement_count,                      \
                                                       requirements,                           \
                                                       &::tenon::detail::load_plugin,          \
                                                       &::tenon::detail::unload_plugin,        \
                                                       {0, 0, 0, 0}};                          \
    return TENON_ABI_VERSION < host_abi_min || TENON_ABI_VERSION > host_abi_max ? nullptr      \
                                                                                : &descriptor; \
  }                                                                                            \
  static_assert(true, "a semicolon follows")

#endif
