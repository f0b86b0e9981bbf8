// SPDX-License-Identifier: Apache-2.0
//! Typed calls: the Rust types of parameters and results, their lowered C forms, and [`TypedOp`],
//! which calls a kernel through them without boxing.

use std::fmt;
use std::marker::PhantomData;
use std::mem::MaybeUninit;
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};

use tenon_sys as sys;

use crate::arg::{raw_values, Arg};
use crate::error::{check, Error, Result};
use crate::op::{failure, Op};
use crate::parameter::{FewTensors, ManyTensors, Parameter, DYNAMIC};
use crate::results::Results;
use crate::returns::{with_slots, FromReturns};
use crate::signature::{fit, signature, RustType, RustTypes};
use crate::status::Status;
use crate::types::Device;

/// An operator with Rust types. It calls a kernel with a typed form directly, and any other kernel
/// boxed.
///
/// `A` is a tuple of parameter types; `R` is a result type of [`Op::call`]. A return that is a
/// written argument has no result in the typed form: use `()` for `add_`.
///
/// ```
/// use tenon::{Op, Tensor};
/// # let library = tenon::Library::define_namespace("typed_doc")?;
/// # library.define("first(Tensor a, Tensor b) -> Tensor")?;
/// # library.impl_fn("first", tenon::DispatchKey::CPU, |a: &Tensor, _b: &Tensor| a.clone())?;
/// let first = Op::find("typed_doc::first")?.typed::<(&Tensor, &Tensor), Tensor>()?;
/// let (x, y) = (Tensor::scalar(1.0f32)?, Tensor::scalar(2.0f32)?);
/// assert_eq!(first.call(&x, &y)?.item::<f32>()?, 1.0);
/// # Ok::<(), tenon::Error>(())
/// ```
pub struct TypedOp<A, R> {
    op: Op,
    types: PhantomData<fn(A) -> R>,
}

impl<A, R> Clone for TypedOp<A, R> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<A, R> Copy for TypedOp<A, R> {}

impl<A, R> fmt::Debug for TypedOp<A, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TypedOp({})", self.op)
    }
}

impl<A, R> TypedOp<A, R> {
    /// Returns the operator.
    pub fn op(&self) -> Op {
        self.op
    }
}

impl Op {
    /// Returns the operator with Rust types, which are checked against its schema once, here.
    ///
    /// # Errors
    /// [`Status::INVALID_ARGUMENT`] naming the argument whose type does not match.
    pub fn typed<A: Parameters, R: Results>(self) -> Result<TypedOp<A, R>> {
        let op = self.read()?;
        let types = RustTypes {
            parameters: A::parameters(),
            results: R::TYPES,
            signature: signature(A::LETTERS, R::LETTERS),
        };
        fit("typed call", &op.schema()?, &types)?;
        Ok(TypedOp {
            op,
            types: PhantomData,
        })
    }
}

/// A tuple of parameter types.
pub trait Parameters {
    #[doc(hidden)]
    const LETTERS: &'static [u8];

    #[doc(hidden)]
    fn parameters() -> Vec<RustType>;
}

/// A call that has begun. Its frame must be left on this thread, also on failure.
struct Begun<'a> {
    frame: &'a mut sys::tenon_frame,
    entry: &'a sys::tenon_entry,
}

impl<'a> Begun<'a> {
    /// # Safety
    /// `entry` is the result of a begin function for `frame`: NULL, or the frame is filled.
    #[inline(always)]
    unsafe fn new(
        entry: *const sys::tenon_entry,
        frame: &'a mut MaybeUninit<sys::tenon_frame>,
    ) -> Result<Begun<'a>> {
        if entry.is_null() {
            return Err(Error::take(Status::INTERNAL.code()));
        }
        // SAFETY: frame.h: the frame is filled, and the entry is borrowed until it is left.
        unsafe {
            Ok(Begun {
                frame: frame.assume_init_mut(),
                entry: &*entry,
            })
        }
    }

    /// Leaves the frame after success: one release store.
    #[inline(always)]
    fn leave(self) {
        // SAFETY: frame.h: as the inline tenon_frame_leave, which bindgen does not translate.
        unsafe {
            let word = &*self.frame.leave_word.cast::<AtomicPtr<std::ffi::c_void>>();
            word.store(self.frame.leave_value, Ordering::Release);
        }
    }

    #[cold]
    #[inline(never)]
    fn fail(self, status: sys::tenon_status) -> Error {
        // SAFETY: frame.h: ends the frame on its thread; the error is stored in the slot.
        let status = unsafe { sys::tenon_frame_end(self.frame, status) };
        Error::take(status)
    }

    #[cold]
    #[inline(never)]
    fn fail_without_result(self, index: usize) -> Error {
        // SAFETY: frame.h: leaves the frame on its thread; the error is stored in the slot.
        Error::take(unsafe { sys::tenon_frame_end_without_result(self.frame, index as i64) })
    }

    /// Calls the boxed kernel after checking every argument.
    fn invoke<R: FromReturns>(self, op: Op, args: &[Arg<'_>]) -> Result<R> {
        // SAFETY: `Arg` is transparent over `tenon_value`; the arguments live for the call.
        let status = unsafe {
            sys::tenon_op_check_arguments(op.as_raw(), args.as_ptr().cast(), args.len() as i64)
        };
        if let Err(error) = check(status) {
            self.leave();
            return Err(error);
        }
        let returns = op.return_count();
        with_slots(returns, |slots| {
            let mut stack = sys::tenon_stack {
                args: args.as_ptr().cast_mut().cast(),
                rets: slots.as_mut_ptr(),
                nargs: args.len() as u32,
                nrets: returns as u32,
                error: ptr::null_mut(),
                reserved: [0; 2],
            };
            // SAFETY: frame.h: the entry is borrowed until the frame is left, which both branches
            // below do.
            let status = unsafe { sys::tenon_frame_call(self.frame, &mut stack) };
            if status != 0 {
                let error = failure(status, &mut stack);
                self.leave();
                return Err(error);
            }
            self.leave();
            R::from_returns(op, slots)
        })
    }
}

/// Returns the error for lowered arguments that cannot be read back, which would be a bug in this
/// package.
#[cold]
fn not_liftable() -> sys::tenon_status {
    Error::new(Status::INTERNAL, "lowered arguments must be readable").leave()
}

/// Begins a call with one to three tensors.
///
/// # Safety
/// The tensors are live or absent.
#[inline(always)]
unsafe fn begin_few(
    op: *const sys::tenon_op,
    tensors: &FewTensors,
    count: usize,
    frame: *mut sys::tenon_frame,
) -> *const sys::tenon_entry {
    let [a, b, c] = tensors
        .handles
        .map(|tensor| tensor.map_or(ptr::null(), |tensor| tensor.as_ptr().cast_const()));
    // SAFETY: frame.h: the tensors are borrowed; the caller's promise.
    unsafe {
        match count {
            1 => sys::tenon_frame_begin1(op, a, frame),
            2 => sys::tenon_frame_begin2(op, a, b, frame),
            _ => sys::tenon_frame_begin3(op, a, b, c, frame),
        }
    }
}

/// Begins a call with any number of tensors, or with no tensor and optionally a device.
///
/// # Safety
/// The tensors are live or absent.
unsafe fn begin_many(
    op: *const sys::tenon_op,
    tensors: &[*mut sys::tenon_tensor],
    device: Option<Device>,
    frame: *mut sys::tenon_frame,
) -> *const sys::tenon_entry {
    if !tensors.is_empty() {
        let count = tensors.len() as i64;
        // SAFETY: frame.h: the tensors are borrowed; the caller's promise.
        return unsafe { sys::tenon_frame_begin_n(op, tensors.as_ptr(), count, frame) };
    }
    let device = device.map(Device::to_raw);
    let device = device.as_ref().map_or(ptr::null(), |device| device);
    // SAFETY: frame.h: the device lives for the call; the caller's promise.
    unsafe { sys::tenon_frame_begin_factory(op, device, frame) }
}

macro_rules! typed_op {
    ($($param:ident $item:ident $temp:ident $low:ident),*) => {
        impl<$($param: Parameter),*> Parameters for ($($param,)*) {
            const LETTERS: &'static [u8] = &[$($param::LETTER),*];

            fn parameters() -> Vec<RustType> {
                vec![$(($param::PATTERN, $param::TYPE)),*]
            }
        }

        impl<$($param: Parameter,)* R: Results> TypedOp<($($param,)*), R> {
            const SIGNATURE: u64 = signature(&[$($param::LETTER),*], R::LETTERS);
            const TENSORS: usize = {
                let counts: &[usize] = &[$($param::TENSORS),*];
                let (mut sum, mut at) = (0usize, 0);
                while at < counts.len() {
                    sum = sum.saturating_add(counts[at]);
                    at += 1;
                }
                sum
            };

            /// Calls the operator.
            ///
            /// # Errors
            /// As [`Op::call`].
            #[inline]
            #[allow(clippy::too_many_arguments, clippy::extra_unused_lifetimes)]
            pub fn call<'a>(&self, $($item: $param::Item<'a>),*) -> Result<R> {
                let op = self.op.as_raw();
                $(
                    let $temp = $param::temp($item);
                    let $low = $param::lower($item, &$temp);
                )*
                let mut frame = MaybeUninit::uninit();
                // SAFETY: the tensors are borrowed for 'a; the frame is left by `finish` on this
                // thread.
                let begun = unsafe {
                    let entry = if Self::TENSORS > 0 && Self::TENSORS <= 3 {
                        #[allow(unused_mut)]
                        let mut tensors = FewTensors::default();
                        $($param::tensors($item, &mut tensors);)*
                        begin_few(op, &tensors, Self::TENSORS, frame.as_mut_ptr())
                    } else {
                        let device: Option<Device> = None;
                        $(let device = device.or($param::device($item));)*
                        #[allow(unused_mut)]
                        let mut tensors = ManyTensors::new();
                        $($param::tensors($item, &mut tensors);)*
                        begin_many(op, tensors.as_slice(), device, frame.as_mut_ptr())
                    };
                    Begun::new(entry, &mut frame)?
                };
                // SAFETY: the arguments that were lowered are borrowed for 'a.
                unsafe { self.finish(begun, $($low),*) }
            }

            /// Calls, from inside a kernel, the kernel that serves `keys`.
            ///
            /// # Errors
            /// As [`Op::redispatch`].
            #[inline]
            #[allow(clippy::too_many_arguments, clippy::extra_unused_lifetimes)]
            pub fn redispatch<'a>(
                &self,
                keys: crate::DispatchKeySet,
                $($item: $param::Item<'a>),*
            ) -> Result<R> {
                crate::op::check_keys(self.op, keys, raw_values(&[$($param::to_arg($item)),*]))?;
                $(
                    let $temp = $param::temp($item);
                    let $low = $param::lower($item, &$temp);
                )*
                let mut frame = MaybeUninit::uninit();
                // SAFETY: frame.h: the frame is left by `finish` on this thread.
                let begun = unsafe {
                    let op = self.op.as_raw();
                    let entry = sys::tenon_frame_begin_keys(op, keys.0, frame.as_mut_ptr());
                    Begun::new(entry, &mut frame)?
                };
                // SAFETY: the arguments that were lowered are borrowed for 'a.
                unsafe { self.finish(begun, $($low),*) }
            }

            /// Calls the kernel of a begun call, and leaves its frame.
            ///
            /// # Safety
            /// The lowered arguments obey kernel.h for this call.
            #[inline(always)]
            #[allow(clippy::too_many_arguments)]
            unsafe fn finish(
                &self,
                begun: Begun<'_>,
                $($low: ($param::First, $param::Second)),*
            ) -> Result<R> {
                let same = LOWERS && begun.entry.signature == Self::SIGNATURE;
                if let (Some(typed), true) = (begun.entry.typed, same) {
                    let mut slots = R::slots();
                    let (o0, o1, o2, o3) = R::outs(&mut slots);
                    // SAFETY: kernel.h: the hash says that this is the function's type. Parameters
                    // of type `()` are not passed: see LOWERS.
                    let status = unsafe {
                        let typed: unsafe extern "C" fn(
                            *const sys::tenon_frame,
                            $($param::First, $param::Second,)*
                            R::O0, R::O1, R::O2, R::O3,
                        ) -> sys::tenon_status = std::mem::transmute(typed);
                        typed(begun.frame, $($low.0, $low.1,)* o0, o1, o2, o3)
                    };
                    if status != 0 {
                        return Err(begun.fail(status));
                    }
                    if let Some(index) = R::missing(&slots) {
                        let error = begun.fail_without_result(index);
                        // SAFETY: as below. The other results are dropped after the frame is left,
                        // because their drop code may call operators.
                        drop(unsafe { R::finish(self.op, slots) });
                        return Err(error);
                    }
                    begun.leave();
                    // SAFETY: kernel.h: outs are written on success.
                    return unsafe { R::finish(self.op, slots) };
                }
                // SAFETY: the caller's promise.
                unsafe { Self::finish_boxed(self.op, begun, $($low),*) }
            }

            /// Takes the lowered arguments, not the caller's: keeping both alive would cost the
            /// typed path registers.
            ///
            /// # Safety
            /// As `finish`.
            #[cold]
            #[inline(never)]
            #[allow(clippy::too_many_arguments)]
            unsafe fn finish_boxed(
                op: Op,
                begun: Begun<'_>,
                $($low: ($param::First, $param::Second)),*
            ) -> Result<R> {
                // SAFETY: the caller's promise.
                $(let $item = unsafe { $param::lift(&$low.0, &$low.1) };)*
                match ($($item,)*) {
                    ($(Some($item),)*) => begun.invoke(op, &[$($param::to_arg($item)),*]),
                    #[allow(unreachable_patterns)]
                    _ => Err(begun.fail(not_liftable())),
                }
            }
        }
    };
}

typed_op!();
typed_op!(A a ta la);
typed_op!(A a ta la, B b tb lb);
typed_op!(A a ta la, B b tb lb, C c tc lc);
typed_op!(A a ta la, B b tb lb, C c tc lc, D d td ld);
typed_op!(A a ta la, B b tb lb, C c tc lc, D d td ld, E e te le);
typed_op!(A a ta la, B b tb lb, C c tc lc, D d td ld, E e te le, F f tf lf);
typed_op!(A a ta la, B b tb lb, C c tc lc, D d td ld, E e te le, F f tf lf, G g tg lg);
typed_op!(A a ta la, B b tb lb, C c tc lc, D d td ld, E e te le, F f tf lf, G g tg lg, H h th lh);

/// True if typed forms are used on this target.
///
/// Note [Zero-sized C parameters]: a lowered parameter is one or two C parameters. Functions that
/// are generic over the types always declare two; the second has type `()` if there is only one. On
/// these targets rustc passes no register or stack word for a zero-sized parameter of an `extern
/// "C"` function. The few exceptions, such as windows-gnu, s390x and sparc64, use boxed calls.
/// `tests/rust/typed_test.rs` checks this against plain C signatures.
pub(crate) const LOWERS: bool = cfg!(all(
    unix,
    any(target_arch = "x86_64", target_arch = "aarch64"),
));

const _: () = assert!(DYNAMIC > 3);
