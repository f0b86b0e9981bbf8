// SPDX-License-Identifier: Apache-2.0
//! Shared parts of the benchmarks of the Rust binding.

pub mod by_hand;
pub mod thread_time;
