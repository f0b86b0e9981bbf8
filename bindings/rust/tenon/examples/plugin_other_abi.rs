// SPDX-License-Identifier: Apache-2.0
//! A plugin that was built for an ABI of the far future, for the tests. It is written by hand,
//! because `tenon::plugin!` always stores the actual ABI version.

use std::ffi::c_void;
use std::ptr;

use tenon::sys;

struct Descriptor(sys::tenon_plugin_descriptor);

// SAFETY: read-only.
unsafe impl Sync for Descriptor {}

unsafe extern "C" fn load(_: *mut sys::tenon_plugin, _: *mut *mut c_void) -> sys::tenon_status {
    panic!("the code of a plugin for another ABI must not run");
}

static DESCRIPTOR: Descriptor = Descriptor(sys::tenon_plugin_descriptor {
    struct_size: std::mem::size_of::<sys::tenon_plugin_descriptor>() as u32,
    abi_version: 99 << 16,
    name: b"rust_other_abi\0".as_ptr().cast(),
    version: b"1.0.0\0".as_ptr().cast(),
    build_id: b"\0".as_ptr().cast(),
    sanitizer: sys::TENON_SANITIZER_NONE,
    requirement_count: 0,
    requirements: ptr::null(),
    load: Some(load),
    unload: None,
    reserved: [0; 4],
});

/// Returns the descriptor regardless of the host's ABI.
#[no_mangle]
pub extern "C" fn tenon_plugin_query(_: u32, _: u32) -> *const sys::tenon_plugin_descriptor {
    &DESCRIPTOR.0
}
