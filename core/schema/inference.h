// SPDX-License-Identifier: Apache-2.0
// Lowered signatures of typed kernels, and the check of a kernel against its operator's schema.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "schema/schema.h"

namespace tenon::schema {

/// The letters of tenon/kernel.h for a schema, such as "TTv>T". Empty where the schema has no typed
/// form: it ends in `...`.
std::string signature_codes(const Schema& schema);

/// FNV-1a of the letters, never 0.
uint64_t signature_hash(std::string_view codes);

/// A schema text "(Tensor _0, float _1) -> Tensor" that has these letters; `v` becomes Any. Error
/// TENON_ERROR_INVALID_ARGUMENT for an unknown letter or a missing `>`.
std::string schema_text_from_codes(std::string_view codes);

/// Why a kernel with schema `kernel` cannot serve operator schema `declared`, in one line; nothing
/// when it can. Only counts and types matter: names, defaults, annotations and N do not, and types
/// that lower to the same are the same.
std::optional<std::string> find_mismatch(const Schema& kernel, const Schema& declared);

}  // namespace tenon::schema
