// SPDX-License-Identifier: Apache-2.0
//! Calls and kernels as in C code, written over the generated interface: the baseline for the safe
//! crate.

use std::ffi::{c_void, CString};
use std::hint::black_box;
use std::mem::MaybeUninit;
use std::sync::atomic::{AtomicPtr, Ordering};

use tenon::{sys, Op, Tensor};

type TypedNoop = unsafe extern "C" fn(
    *const sys::tenon_frame,
    *mut sys::tenon_tensor,
    *mut sys::tenon_tensor,
) -> sys::tenon_status;

type TypedAdd = unsafe extern "C" fn(
    *const sys::tenon_frame,
    *mut sys::tenon_tensor,
    *mut sys::tenon_tensor,
    *const sys::tenon_value,
    *mut *mut sys::tenon_tensor,
) -> sys::tenon_status;

unsafe extern "C" fn boxed_noop(
    _: *mut c_void,
    _: *const sys::tenon_op,
    _: sys::tenon_keyset,
    _: *mut sys::tenon_stack,
) -> sys::tenon_status {
    0
}

unsafe extern "C" fn typed_noop(
    _: *const sys::tenon_frame,
    a: *mut sys::tenon_tensor,
    b: *mut sys::tenon_tensor,
) -> sys::tenon_status {
    black_box((a, b));
    0
}

/// Computes FNV-1a of a signature's letters, as kernel.h describes it.
const fn fnv(letters: &[u8]) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325u64;
    let mut at = 0;
    while at < letters.len() {
        hash = (hash ^ letters[at] as u64).wrapping_mul(0x100_0000_01b3);
        at += 1;
    }
    hash
}

const TWO_TENSORS: u64 = fnv(b"TT>");
const ADD: u64 = fnv(b"TTv>T");

/// A library of kernels that are plain C functions.
pub struct CLibrary(*mut sys::tenon_library);

impl CLibrary {
    /// Opens a library that implements operators of `namespace`.
    pub fn new(namespace: &str) -> CLibrary {
        let namespace = CString::new(namespace).expect("a name without NUL");
        let mut library = std::ptr::null_mut();
        let (kind, key) = (sys::TENON_LIBRARY_IMPL, sys::TENON_KEY_NONE);
        // SAFETY: library.h: the texts are copied, the file may be NULL.
        let status = unsafe {
            let file = std::ptr::null();
            sys::tenon_library_new(kind, namespace.as_ptr(), key, file, 0, &mut library)
        };
        assert_eq!(status, 0);
        CLibrary(library)
    }

    /// Registers a no-op for `CPU`, with a typed form if asked for.
    pub fn noop(&self, name: &str, typed: bool) {
        let name = CString::new(name).expect("a name without NUL");
        // SAFETY: kernel.h: zero is a valid kernel description; texts are copied, and the typed
        // function is cast to tenon_typed_fn and back before a call.
        let status = unsafe {
            let mut kernel: sys::tenon_kernel = std::mem::zeroed();
            kernel.struct_size = std::mem::size_of::<sys::tenon_kernel>() as u32;
            kernel.language = sys::TENON_LANGUAGE_C;
            kernel.boxed = Some(boxed_noop);
            if typed {
                let function = std::mem::transmute::<TypedNoop, unsafe extern "C" fn()>(typed_noop);
                kernel.typed = Some(function);
                kernel.signature = TWO_TENSORS;
            }
            let (key, out) = (sys::TENON_KEY_CPU, std::ptr::null_mut());
            sys::tenon_library_impl(self.0, name.as_ptr(), key, &kernel, out)
        };
        assert_eq!(status, 0);
    }
}

impl Drop for CLibrary {
    fn drop(&mut self) {
        // SAFETY: library.h: the handle is ours.
        unsafe { sys::tenon_library_release(self.0) }
    }
}

/// `tenon_op_call_fast`, or its form that checks all types.
pub type BoxedCall =
    unsafe extern "C" fn(*const sys::tenon_op, *mut sys::tenon_stack) -> sys::tenon_status;

/// Two tensors as arguments of boxed calls.
pub struct BoxedPair<'a> {
    args: [sys::tenon_value; 2],
    tensors: std::marker::PhantomData<&'a Tensor>,
}

impl<'a> BoxedPair<'a> {
    /// Borrows the tensors.
    pub fn new(a: &'a Tensor, b: &'a Tensor) -> BoxedPair<'a> {
        let value = |tensor: &Tensor| sys::tenon_value {
            tag: sys::TENON_TAG_TENSOR as u16,
            flags: 0,
            count: 0,
            as_: sys::tenon_payload {
                tensor: tensor.as_raw(),
            },
        };
        BoxedPair {
            args: [value(a), value(b)],
            tensors: std::marker::PhantomData,
        }
    }

    /// One call of an operator without results.
    #[inline(always)]
    pub fn call(&mut self, op: Op, function: BoxedCall) {
        let mut stack = sys::tenon_stack {
            args: self.args.as_mut_ptr(),
            rets: std::ptr::null_mut(),
            nargs: 2,
            nrets: 0,
            error: std::ptr::null_mut(),
            reserved: [0; 2],
        };
        // SAFETY: op.h: the stack and the tensors live for the call.
        assert_eq!(unsafe { function(op.as_raw(), &mut stack) }, 0);
    }
}

/// One typed call of an operator of two tensors without results.
#[inline(always)]
pub fn call_typed(op: Op, a: &Tensor, b: &Tensor) {
    // SAFETY: the signature hash proves the function's type; the tensors outlive the call.
    unsafe {
        typed(op, a, b, TWO_TENSORS, |function, frame| {
            let function = std::mem::transmute::<unsafe extern "C" fn(), TypedNoop>(function);
            assert_eq!(function(frame, a.as_raw(), b.as_raw()), 0);
        });
    }
}

/// One typed call of `aten::add.Tensor`, or an operator of its types; the result is released.
#[inline(always)]
pub fn call_add(op: Op, a: &Tensor, b: &Tensor, alpha: &sys::tenon_value) {
    // SAFETY: as above; the out holds a new reference.
    unsafe {
        typed(op, a, b, ADD, |function, frame| {
            let function = std::mem::transmute::<unsafe extern "C" fn(), TypedAdd>(function);
            let mut out = std::ptr::null_mut();
            assert_eq!(function(frame, a.as_raw(), b.as_raw(), alpha, &mut out), 0);
            sys::tenon_tensor_release(out);
        });
    }
}

/// Begins a call with two tensors, runs it, and leaves the frame if it succeeds.
///
/// # Safety
/// `call` must call the function with the type that the signature states.
#[inline(always)]
unsafe fn typed(
    op: Op,
    a: &Tensor,
    b: &Tensor,
    signature: u64,
    call: impl FnOnce(unsafe extern "C" fn(), *const sys::tenon_frame),
) {
    let mut frame = MaybeUninit::<sys::tenon_frame>::uninit();
    // SAFETY: frame.h: the tensors live for the call; the frame is left on this thread by a release
    // store.
    unsafe {
        let (a, b) = (a.as_raw(), b.as_raw());
        let entry = sys::tenon_frame_begin2(op.as_raw(), a, b, frame.as_mut_ptr());
        let entry = entry.as_ref().expect("a kernel for these tensors");
        assert!(entry.signature == signature);
        call(
            entry.typed.expect("a signature comes with a typed form"),
            frame.as_ptr(),
        );
        let frame = frame.assume_init();
        let word = &*frame.leave_word.cast::<AtomicPtr<c_void>>();
        word.store(frame.leave_value, Ordering::Release);
    }
}
