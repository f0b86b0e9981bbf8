// SPDX-License-Identifier: Apache-2.0
// Strings kept for ever, one copy each: stable, NUL-terminated, compared by address.
#include "base/interned_string.h"

#include <cstring>
#include <mutex>
#include <unordered_set>

#include "base/fork.h"

namespace tenon::base {
namespace {

struct Table {
  std::mutex mutex;
  std::unordered_set<std::string_view> texts;
  char* block = nullptr;  // texts are cut from blocks: one allocation serves many names
  size_t left = 0;
};

// Leaked: names are read until the process ends.
Table& table() {
  static Table* const leaked = [] {
    auto* names = new Table;
    hold_across_fork(names->mutex, ForkOrder::kNames);
    return names;
  }();
  return *leaked;
}

char* allocate_locked(Table& names, size_t size) {
  constexpr size_t kBlock = 16 << 10;
  if (size > kBlock / 8) return new char[size];
  if (names.left < size) {
    names.block = new char[kBlock];
    names.left = kBlock;
  }
  char* memory = names.block;
  names.block += size;
  names.left -= size;
  return memory;
}

}  // namespace

const char InternedString::kEmpty[1] = {'\0'};

std::string_view intern(std::string_view text) {
  Table& names = table();
  std::lock_guard lock(names.mutex);
  if (auto found = names.texts.find(text); found != names.texts.end()) return *found;
  char* memory = allocate_locked(names, text.size() + 1);
  if (!text.empty()) std::memcpy(memory, text.data(), text.size());
  memory[text.size()] = '\0';
  return *names.texts.emplace(memory, text.size()).first;
}

InternedString::InternedString(std::string_view text)
    : text_(text.empty() ? kEmpty : intern(text).data()) {}

}  // namespace tenon::base
