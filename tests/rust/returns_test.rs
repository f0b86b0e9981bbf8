// SPDX-License-Identifier: Apache-2.0
//! Calls whose kernels, written in another language, return invalid results.

use std::ffi::{c_void, CString};
use std::ptr;

use tenon::{sys, Device, DispatchKey, Library, Op, Status, Tensor, Value};

use crate::support::{fails, floats};

type Boxed = unsafe extern "C" fn(
    *mut c_void,
    *const sys::tenon_op,
    u64,
    *mut sys::tenon_stack,
) -> sys::tenon_status;

/// Defines an operator `f` whose CPU kernel is a C function.
fn with_c_kernel(namespace: &str, schema: &str, boxed: Boxed) -> (Library, Op) {
    let library = Library::define_namespace(namespace).unwrap();
    let op = library.define(schema).unwrap();
    let (namespace, name) = (CString::new(namespace).unwrap(), CString::new("f").unwrap());
    unsafe {
        let mut own = ptr::null_mut();
        let (kind, no_key) = (sys::TENON_LIBRARY_IMPL, sys::TENON_KEY_NONE);
        let text = namespace.as_ptr();
        assert_eq!(
            sys::tenon_library_new(kind, text, no_key, ptr::null(), 0, &mut own),
            0
        );
        let mut kernel: sys::tenon_kernel = std::mem::zeroed();
        kernel.struct_size = std::mem::size_of::<sys::tenon_kernel>() as u32;
        kernel.boxed = Some(boxed);
        kernel.language = sys::TENON_LANGUAGE_C;
        let (text, key) = (name.as_ptr(), sys::TENON_KEY_CPU);
        assert_eq!(
            sys::tenon_library_impl(own, text, key, &kernel, ptr::null_mut()),
            0
        );
        // Stays registered: the test process ends with it.
    }
    (library, op)
}

unsafe fn write(stack: *mut sys::tenon_stack, index: usize, tag: u32, owned: bool) {
    unsafe {
        let mut value: sys::tenon_value = std::mem::zeroed();
        value.tag = tag as u16;
        value.flags = if owned {
            sys::TENON_VALUE_OWNED as u16
        } else {
            0
        };
        (*stack).rets.add(index).write(value);
    }
}

unsafe extern "C" fn null_tensors(
    _: *mut c_void,
    _: *const sys::tenon_op,
    _: u64,
    stack: *mut sys::tenon_stack,
) -> sys::tenon_status {
    unsafe {
        for index in 0..(*stack).nrets as usize {
            write(stack, index, sys::TENON_TAG_TENSOR, true);
        }
    }
    0
}

#[test]
fn a_null_tensor_is_an_error_on_every_path() {
    let (_library, op) = with_c_kernel("returns_null", "f(Tensor x) -> Tensor", null_tensors);
    let x = floats(&[1.0]);
    let texts = ["returns_null::f", "result 0 must be Tensor", "NULL"];
    fails(op.call::<Tensor>((&x,)), Status::TYPE, &texts);
    fails(op.call::<Value>((&x,)), Status::TYPE, &texts);
    fails(op.call::<Option<Tensor>>((&x,)), Status::TYPE, &texts);
    fails(op.call::<Vec<Value>>((&x,)), Status::TYPE, &texts);
    fails(op.call::<(Tensor,)>((&x,)), Status::TYPE, &texts);
    let keyed = op.call_key::<Tensor>(DispatchKey::CPU, (&x,));
    fails(keyed, Status::TYPE, &texts);
    let typed = op.typed::<(&Tensor,), Tensor>().unwrap();
    fails(typed.call(&x), Status::TYPE, &texts);
}

#[test]
fn a_null_tensor_among_several_results_is_an_error() {
    let schema = "f(Tensor x) -> (Tensor, Tensor)";
    let (_library, op) = with_c_kernel("returns_nulls", schema, null_tensors);
    let texts = ["returns_nulls::f", "result 0 must be Tensor", "NULL"];
    let both = op.call::<(Tensor, Tensor)>((&floats(&[1.0]),));
    fails(both, Status::TYPE, &texts);
}

#[test]
fn a_null_tensor_of_a_redispatch_is_an_error() {
    let (library, op) = with_c_kernel("returns_below", "f(Tensor x) -> Tensor", null_tensors);
    library
        .impl_kernel(
            "f",
            DispatchKey::AUTOGRAD_CPU,
            tenon::Kernel::on_stack(|stack| {
                let keys = stack.keys() & tenon::DispatchKeySet::below(DispatchKey::AUTOGRAD_CPU);
                stack.redispatch(keys)?;
                // Results must be safe to read, whatever the kernel below wrote.
                let _ = format!("{:?}", stack.results().get(0));
                Ok(())
            }),
        )
        .unwrap();
    fails(
        op.call::<Tensor>((&floats(&[1.0]),)),
        Status::TYPE,
        &["returns_below::f"],
    );
}

/// A kernel with the signature "T>T" that succeeds without writing its out parameter.
unsafe extern "C" fn writes_no_out(
    _: *const sys::tenon_frame,
    _: *mut sys::tenon_tensor,
    _: *mut *mut sys::tenon_tensor,
) -> sys::tenon_status {
    0
}

/// Registers a C kernel on the CPU for the operator "f"; its boxed form returns NULL tensors.
fn impl_typed(namespace: &str, function: *const (), signature: &str) {
    let (namespace, name) = (CString::new(namespace).unwrap(), CString::new("f").unwrap());
    unsafe {
        let mut own = ptr::null_mut();
        let (kind, no_key) = (sys::TENON_LIBRARY_IMPL, sys::TENON_KEY_NONE);
        let text = namespace.as_ptr();
        assert_eq!(
            sys::tenon_library_new(kind, text, no_key, ptr::null(), 0, &mut own),
            0
        );
        let mut kernel: sys::tenon_kernel = std::mem::zeroed();
        kernel.struct_size = std::mem::size_of::<sys::tenon_kernel>() as u32;
        kernel.boxed = Some(null_tensors);
        kernel.typed = Some(std::mem::transmute::<*const (), unsafe extern "C" fn()>(
            function,
        ));
        kernel.signature = fnv1a(signature);
        kernel.language = sys::TENON_LANGUAGE_C;
        let (text, key) = (name.as_ptr(), sys::TENON_KEY_CPU);
        let status = sys::tenon_library_impl(own, text, key, &kernel, ptr::null_mut());
        assert_eq!(status, 0);
    }
}

/// The hash of kernel.h.
fn fnv1a(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

#[test]
fn a_typed_kernel_that_gives_null_is_an_error() {
    assert_eq!(fnv1a("T>T"), 0x6c62_fe19_e196_c2e9);
    let library = Library::define_namespace("returns_typed").unwrap();
    let op = library.define("f(Tensor x) -> Tensor").unwrap();
    impl_typed("returns_typed", writes_no_out as *const (), "T>T");
    let typed = op.typed::<(&Tensor,), Tensor>().unwrap();
    fails(
        typed.call(&floats(&[1.0])),
        Status::TYPE,
        &["returns_typed::f: result 0 must be Tensor, got NULL; schema: "],
    );
}

/// A kernel with the signature "T>TT" that returns its argument and does not write its second out
/// parameter.
unsafe extern "C" fn writes_one_out(
    _: *const sys::tenon_frame,
    x: *mut sys::tenon_tensor,
    first: *mut *mut sys::tenon_tensor,
    _: *mut *mut sys::tenon_tensor,
) -> sys::tenon_status {
    unsafe { first.write(sys::tenon_tensor_retain(x)) };
    0
}

#[test]
fn results_beside_one_that_is_null_are_dropped() {
    let library = Library::define_namespace("returns_pair").unwrap();
    let op = library.define("f(Tensor x) -> (Tensor, Tensor)").unwrap();
    impl_typed("returns_pair", writes_one_out as *const (), "T>TT");
    let x = floats(&[1.0]);
    let typed = op.typed::<(&Tensor,), (Tensor, Tensor)>().unwrap();
    fails(
        typed.call(&x),
        Status::TYPE,
        &["returns_pair::f: result 1 must be Tensor, got NULL; schema: "],
    );
    assert_eq!(x.use_count(), 1);
}

unsafe extern "C" fn bytes(
    _: *mut c_void,
    _: *const sys::tenon_op,
    _: u64,
    stack: *mut sys::tenon_stack,
) -> sys::tenon_status {
    unsafe { sys::tenon_value_new_string(b"\xff\xfe".as_ptr().cast(), 2, (*stack).rets) }
}

#[test]
fn text_that_is_not_utf8_is_named_as_such() {
    let (_library, op) = with_c_kernel("returns_bytes", "f(Tensor x) -> str", bytes);
    let text = "returns_bytes::f: result 0 must be str, got bytes that are not UTF-8";
    let x = floats(&[1.0]);
    fails(op.call::<String>((&x,)), Status::TYPE, &[text]);
    fails(op.call::<Value>((&x,)), Status::TYPE, &[text]);
}

unsafe extern "C" fn unknown_device(
    _: *mut c_void,
    _: *const sys::tenon_op,
    _: u64,
    stack: *mut sys::tenon_stack,
) -> sys::tenon_status {
    unsafe {
        write(stack, 0, sys::TENON_TAG_DEVICE, false);
        (*(*stack).rets).as_.device = sys::tenon_device {
            type_: 77,
            index: 0,
        };
    }
    0
}

#[test]
fn a_device_of_an_unknown_type_is_an_error() {
    let (_library, op) = with_c_kernel("returns_device", "f(Tensor x) -> Device", unknown_device);
    let x = floats(&[1.0]);
    let texts = ["returns_device::f", "77"];
    fails(op.call::<Device>((&x,)), Status::TYPE, &texts);
    fails(op.call::<Value>((&x,)), Status::TYPE, &texts);
}

#[test]
fn a_rust_kernel_that_gives_an_unknown_device_fails() {
    let library = Library::define_namespace("returns_rust_device").unwrap();
    let op = library.define("f(Tensor x) -> Device").unwrap();
    library
        .impl_fn("f", DispatchKey::CPU, |_: &Tensor| Device {
            kind: 77,
            index: 0,
        })
        .unwrap();
    let x = floats(&[1.0]);
    fails(op.call::<Device>((&x,)), Status::TYPE, &["77"]);
    let typed = op.typed::<(&Tensor,), Device>().unwrap();
    fails(typed.call(&x), Status::TYPE, &["77"]);
}
