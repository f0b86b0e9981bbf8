// SPDX-License-Identifier: Apache-2.0
//! Tests of the Rust binding, one module per noun. Each test has namespaces of its own.

mod autocast_test;
mod autograd_function_test;
mod autograd_test;
mod binding_test;
mod dispatch_test;
mod dlpack_test;
mod error_test;
mod explain_test;
mod fake_test;
mod forward_ad_test;
mod func_test;
mod function_test;
mod generator_test;
mod grad_mode_test;
mod graph_test;
mod hook_test;
mod introspect_test;
mod jvp_test;
mod layout_test;
mod library_test;
mod object_test;
mod op_test;
mod overrides_test;
mod plugin_test;
mod recording_test;
mod returns_test;
mod schema_test;
mod support;
mod tensor_test;
mod thread_slot_test;
mod thread_test;
mod typed_test;
mod value_test;
mod warning_test;
mod weak_tensor_test;
