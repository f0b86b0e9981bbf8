// SPDX-License-Identifier: Apache-2.0
// Languages by number: those with fixed numbers, and those registered by name.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/error.h"
#include "tenon/language.h"

namespace tenon::base {

/// How many numbers there are, and how many of them are fixed.
constexpr uint32_t kMaxLanguages = 32;
constexpr uint32_t kFixedLanguages = 6;

/// "Python" and so on, "" for TENON_LANGUAGE_NONE, NULL for an unknown number. Static text.
const char* language_name(uint32_t language) noexcept;

/// Whether errors, kernels, objects and cells may carry the number; NONE they may.
inline bool is_language(uint32_t language) noexcept { return language_name(language) != nullptr; }

/// The number of a name, given to it if it has none. Throws TENON_ERROR_INVALID_ARGUMENT for "",
/// TENON_ERROR_STATE when none is left.
uint32_t register_language(std::string_view name);

/// The number of a name that has one; else TENON_LANGUAGE_NONE.
uint32_t find_language(std::string_view name) noexcept;

/// See tenon_language_set_frames.
void set_frames(uint32_t language, tenon_frames_fn frames, void* ctx);

/// An error that nobody raises: with the frames that the calling thread is in, of all languages
/// that tell them. `most` other than 0: so many of each language, those of its users.
ErrorPtr capture_frames(std::string_view message, int32_t most = 0);

}  // namespace tenon::base
