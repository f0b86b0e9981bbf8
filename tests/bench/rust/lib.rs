// SPDX-License-Identifier: Apache-2.0
//! What the benchmarks of the Rust binding share.

pub mod by_hand;
pub mod thread_time;
