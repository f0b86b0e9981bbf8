// SPDX-License-Identifier: Apache-2.0
// Interned strings, never freed: one stable, NUL-terminated copy each, compared by address.
#include "base/interned_string.h"

#include <cstring>
#include <mutex>
#include <vector>

#include "base/fork.h"
#include "base/text_hash.h"

namespace tenon::base {
namespace {

struct Bucket {
  const char* text = nullptr;  // NULL if free, which ends a search
  uint32_t size = 0;
  uint32_t hash = 0;  // upper half of the hash
};

// Open addressing, three quarters full at most. Nothing is ever removed.
struct Table {
  Table() { hold_across_fork(mutex, ForkOrder::kNames); }

  std::mutex mutex;
  std::vector<Bucket> places = std::vector<Bucket>(1024);
  size_t count = 0;
  char* block = nullptr;  // texts are cut from blocks: one allocation serves many names
  size_t left = 0;
};

Table& table() { return singleton<Table, ForkOrder::kNames>(); }

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

// Returns the place of a text, or the free place where it belongs.
Bucket& find(std::vector<Bucket>& places, std::string_view text, uint64_t hash) {
  const size_t mask = places.size() - 1;
  for (size_t i = hash & mask;; i = (i + 1) & mask) {
    Bucket& place = places[i];
    if (place.text == nullptr) return place;
    if (place.hash != hash >> 32 || place.size != text.size()) continue;
    if (std::memcmp(place.text, text.data(), text.size()) == 0) return place;
  }
}

void grow_locked(Table& names) {
  std::vector<Bucket> larger(2 * names.places.size());
  for (const Bucket& place : names.places) {
    if (place.text == nullptr) continue;
    const std::string_view text(place.text, place.size);
    find(larger, text, hash_text(text)) = place;
  }
  names.places.swap(larger);
}

}  // namespace

const char InternedString::kEmpty[1] = {'\0'};

std::string_view intern(std::string_view text) {
  if (text.empty()) return InternedString().view();
  const uint64_t hash = hash_text(text);
  Table& names = table();
  std::lock_guard lock(names.mutex);
  Bucket* place = &find(names.places, text, hash);
  if (place->text == nullptr) {
    if (4 * (names.count + 1) > 3 * names.places.size()) {
      grow_locked(names);
      place = &find(names.places, text, hash);
    }
    char* memory = allocate_locked(names, text.size() + 1);
    std::memcpy(memory, text.data(), text.size());
    memory[text.size()] = '\0';
    *place = {memory, static_cast<uint32_t>(text.size()), static_cast<uint32_t>(hash >> 32)};
    ++names.count;
  }
  return {place->text, place->size};
}

InternedString::InternedString(std::string_view text)
    : text_(text.empty() ? kEmpty : intern(text).data()) {}

}  // namespace tenon::base
