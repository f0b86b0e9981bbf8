// SPDX-License-Identifier: Apache-2.0
//! Rust types of an operator's results, which kernels return and typed calls receive.

use std::ptr;

use tenon_sys as sys;

use crate::error::Result;
use crate::op::Op;
use crate::pattern::{
    Pattern, BOOL, BOOLS, COMPLEX, DEVICE, DTYPE, FLOAT, FLOATS, FORMAT, FUNCTION, GENERATOR, INT,
    INTS, LAYOUT, OBJECT, SCALAR, STR, TENSOR, TENSORS,
};
use crate::returns::{place, taken, FromReturns, FromValue};
use crate::signature::RustType;
use crate::types::{Complex, DType, Device, Layout, MemoryFormat};
use crate::value::{Mismatch, RawValue, Scalar, Value};
use crate::{Function, Generator, Object, Tensor};

/// A Rust type of one result: `Tensor`, a number, `String`, a vector, [`Value`], or an option of
/// some of these.
///
/// # Safety
/// `Slot` is the type that the out parameter of kernel.h's letter points to; this trait is only
/// implemented here.
#[doc(hidden)]
pub unsafe trait ResultType: FromValue {
    type Slot: Copy;
    type Ready;
    const LETTER: u8;
    const PATTERN: Pattern;
    const EMPTY: Self::Slot;

    /// Boxes the result.
    fn into_raw(self) -> Result<RawValue>;

    /// Does everything that can fail, before any out parameter is written.
    fn ready(self) -> Result<Self::Ready>;

    /// Converts to the owned word that is written to an out parameter.
    fn slot(ready: Self::Ready) -> Self::Slot;

    /// Returns true if a kernel succeeded without writing a result that the type requires.
    fn is_missing(_: Self::Slot) -> bool {
        false
    }

    /// Takes over the word of an out parameter.
    ///
    /// # Safety
    /// `slot` was written as kernel.h says for `LETTER`.
    unsafe fn from_slot(op: Op, index: usize, slot: Self::Slot) -> Result<Self>;
}

// SAFETY: kernel.h: T results are tenon_tensor** with a new reference.
unsafe impl ResultType for Tensor {
    type Slot = *mut sys::tenon_tensor;
    type Ready = Tensor;
    const LETTER: u8 = b'T';
    const PATTERN: Pattern = TENSOR;
    const EMPTY: Self::Slot = ptr::null_mut();

    #[inline(always)]
    fn into_raw(self) -> Result<RawValue> {
        let mut raw = RawValue::NONE;
        raw.tag = sys::TENON_TAG_TENSOR as u16;
        raw.flags = sys::TENON_VALUE_OWNED as u16;
        raw.as_.tensor = Tensor::into_raw(self);
        Ok(RawValue(raw))
    }

    #[inline(always)]
    fn ready(self) -> Result<Tensor> {
        Ok(self)
    }

    #[inline(always)]
    fn slot(ready: Tensor) -> Self::Slot {
        Tensor::into_raw(ready)
    }

    #[inline(always)]
    fn is_missing(slot: Self::Slot) -> bool {
        slot.is_null()
    }

    #[inline(always)]
    unsafe fn from_slot(op: Op, index: usize, slot: Self::Slot) -> Result<Tensor> {
        if slot.is_null() {
            let mismatch = Mismatch {
                expected: "Tensor",
                actual: "NULL",
            };
            return Err(mismatch.error(&place(op, index)));
        }
        // SAFETY: the caller's promise.
        Ok(unsafe { Tensor::from_raw(slot) })
    }
}

// SAFETY: as above; NULL is an absent optional.
unsafe impl ResultType for Option<Tensor> {
    type Slot = *mut sys::tenon_tensor;
    type Ready = Option<Tensor>;
    const LETTER: u8 = b'T';
    const PATTERN: Pattern = Pattern::OneOf(&[TENSOR, Pattern::Optional(&TENSOR)]);
    const EMPTY: Self::Slot = ptr::null_mut();

    fn into_raw(self) -> Result<RawValue> {
        self.map_or(Ok(RawValue(RawValue::NONE)), ResultType::into_raw)
    }

    fn ready(self) -> Result<Option<Tensor>> {
        Ok(self)
    }

    fn slot(ready: Option<Tensor>) -> Self::Slot {
        ready.map_or(ptr::null_mut(), Tensor::into_raw)
    }

    unsafe fn from_slot(_: Op, _: usize, slot: Self::Slot) -> Result<Option<Tensor>> {
        // SAFETY: the caller's promise.
        Ok((!slot.is_null()).then(|| unsafe { Tensor::from_raw(slot) }))
    }
}

/// The schema types of an int's letter.
const WORD: Pattern = Pattern::OneOf(&[INT, DTYPE, LAYOUT, FORMAT]);

macro_rules! number_results {
    ($($type:ty, $letter:literal, $pattern:expr, $c:ty,
       |$item:ident| $to:expr, |$slot:ident| $from:expr;)*) => {
        $(
            // SAFETY: kernel.h specifies this C type for the letter.
            unsafe impl ResultType for $type {
                type Slot = $c;
                type Ready = $c;
                const LETTER: u8 = $letter;
                const PATTERN: Pattern = $pattern;
                const EMPTY: $c = 0 as $c;

                #[inline(always)]
                fn into_raw(self) -> Result<RawValue> {
                    let arg = std::mem::ManuallyDrop::new(crate::arg::IntoArg::into_arg(self));
                    Ok(RawValue(*arg.as_raw()))
                }

                #[inline(always)]
                fn ready(self) -> Result<$c> {
                    let $item = self;
                    Ok($to)
                }

                #[inline(always)]
                fn slot(ready: $c) -> $c {
                    ready
                }

                #[inline(always)]
                unsafe fn from_slot(_: Op, _: usize, $slot: $c) -> Result<$type> {
                    Ok($from)
                }
            }
        )*
    };
}

number_results! {
    i64, b'i', WORD, i64, |x| x, |x| x;
    f64, b'd', FLOAT, f64, |x| x, |x| x;
    bool, b'b', BOOL, i64, |x| i64::from(x), |x| x != 0;
    DType, b'i', DTYPE, i64, |x| i64::from(x.0), |x| DType(x as i32);
    Layout, b'i', LAYOUT, i64, |x| i64::from(x.0), |x| Layout(x as i32);
    MemoryFormat, b'i', FORMAT, i64, |x| i64::from(x.0), |x| MemoryFormat(x as i32);
}

macro_rules! boxed_results {
    ($($type:ty, $pattern:expr;)*) => {
        $(
            // SAFETY: kernel.h: v results are tenon_value*, written owned.
            unsafe impl ResultType for $type {
                type Slot = sys::tenon_value;
                type Ready = RawValue;
                const LETTER: u8 = b'v';
                const PATTERN: Pattern = $pattern;
                const EMPTY: Self::Slot = RawValue::NONE;

                fn into_raw(self) -> Result<RawValue> {
                    Value::from(self).into_owned_raw()
                }

                fn ready(self) -> Result<RawValue> {
                    ResultType::into_raw(self)
                }

                fn slot(ready: RawValue) -> Self::Slot {
                    ready.into_raw()
                }

                unsafe fn from_slot(op: Op, index: usize, slot: Self::Slot) -> Result<$type> {
                    taken(op, index, RawValue(slot))
                }
            }
        )*
    };
}

boxed_results! {
    Value, Pattern::Any;
    String, STR;
    Complex<f64>, COMPLEX;
    Scalar, SCALAR;
    Device, DEVICE;
    Generator, GENERATOR;
    Object, OBJECT;
    Function, FUNCTION;
    Vec<i64>, INTS;
    Vec<f64>, FLOATS;
    Vec<bool>, BOOLS;
    Vec<Tensor>, Pattern::OneOf(&[TENSORS, Pattern::List(&Pattern::Optional(&TENSOR))]);
    Vec<Option<Tensor>>, Pattern::OneOf(&[TENSORS, Pattern::List(&Pattern::Optional(&TENSOR))]);
    Vec<Value>, Pattern::OneOf(&[
        Pattern::List(&Pattern::Any),
        Pattern::Kind(&[sys::TENON_TYPE_TUPLE, sys::TENON_TYPE_ANY]),
    ]);
    Option<i64>, Pattern::Optional(&INT);
    Option<f64>, Pattern::Optional(&FLOAT);
    Option<bool>, Pattern::Optional(&BOOL);
    Option<String>, Pattern::Optional(&STR);
    Option<Generator>, Pattern::Optional(&GENERATOR);
}

/// All results of a kernel or a typed call: `()`, one type or a tuple of up to four.
///
/// # Safety
/// `O0` to `O3` are pointers to the slots of `LETTERS`, or `()` if there are fewer.
#[doc(hidden)]
pub unsafe trait Results: FromReturns {
    type Slots;
    type O0: Copy;
    type O1: Copy;
    type O2: Copy;
    type O3: Copy;
    const LETTERS: &'static [u8];
    const TYPES: &'static [RustType];

    /// Boxes all results in order.
    fn into_raws(self, put: impl FnMut(RawValue) -> Result<()>) -> Result<()>;

    /// Writes all out parameters, or none on failure.
    ///
    /// # Safety
    /// The outs point to slots that may be overwritten.
    unsafe fn write(self, o0: Self::O0, o1: Self::O1, o2: Self::O2, o3: Self::O3) -> Result<()>;

    fn slots() -> Self::Slots;
    fn outs(slots: &mut Self::Slots) -> (Self::O0, Self::O1, Self::O2, Self::O3);

    /// Returns the first result that a successful kernel did not write although its schema requires
    /// it.
    fn missing(slots: &Self::Slots) -> Option<usize>;

    /// Takes over the results of a successful call.
    ///
    /// # Safety
    /// The slots were passed as outs of a call that succeeded.
    unsafe fn finish(op: Op, slots: Self::Slots) -> Result<Self>;
}

// SAFETY: no outs.
unsafe impl Results for () {
    type Slots = ();
    type O0 = ();
    type O1 = ();
    type O2 = ();
    type O3 = ();
    const LETTERS: &'static [u8] = &[];
    const TYPES: &'static [RustType] = &[];

    #[inline(always)]
    fn into_raws(self, _: impl FnMut(RawValue) -> Result<()>) -> Result<()> {
        Ok(())
    }

    #[inline(always)]
    unsafe fn write(self, (): (), (): (), (): (), (): ()) -> Result<()> {
        Ok(())
    }

    #[inline(always)]
    fn slots() {}

    #[inline(always)]
    fn outs((): &mut ()) -> ((), (), (), ()) {
        ((), (), (), ())
    }

    #[inline(always)]
    fn missing((): &()) -> Option<usize> {
        None
    }

    #[inline(always)]
    unsafe fn finish(_: Op, (): ()) -> Result<()> {
        Ok(())
    }
}

macro_rules! results_one {
    ($($type:ty),* $(,)?) => {
        $(
            // SAFETY: one out parameter, as in `ResultType`.
            unsafe impl Results for $type {
                type Slots = <$type as ResultType>::Slot;
                type O0 = *mut Self::Slots;
                type O1 = ();
                type O2 = ();
                type O3 = ();
                const LETTERS: &'static [u8] = &[<$type as ResultType>::LETTER];
                const TYPES: &'static [RustType] =
                    &[(<$type as ResultType>::PATTERN, <$type as FromValue>::TYPE)];

                #[inline(always)]
                fn into_raws(self, mut put: impl FnMut(RawValue) -> Result<()>) -> Result<()> {
                    put(ResultType::into_raw(self)?)
                }

                #[inline(always)]
                unsafe fn write(self, o0: Self::O0, (): (), (): (), (): ()) -> Result<()> {
                    let ready = self.ready()?;
                    // SAFETY: the caller's promise.
                    unsafe { o0.write(<$type as ResultType>::slot(ready)) };
                    Ok(())
                }

                #[inline(always)]
                fn slots() -> Self::Slots {
                    <$type as ResultType>::EMPTY
                }

                #[inline(always)]
                fn outs(slots: &mut Self::Slots) -> (Self::O0, (), (), ()) {
                    (slots, (), (), ())
                }

                #[inline(always)]
                fn missing(slots: &Self::Slots) -> Option<usize> {
                    <$type as ResultType>::is_missing(*slots).then_some(0)
                }

                #[inline(always)]
                unsafe fn finish(op: Op, slots: Self::Slots) -> Result<Self> {
                    // SAFETY: the caller's promise.
                    unsafe { ResultType::from_slot(op, 0, slots) }
                }
            }
        )*
    };
}

results_one!(
    Tensor,
    Option<Tensor>,
    i64,
    f64,
    bool,
    DType,
    Layout,
    MemoryFormat,
    Value,
    String,
    Complex<f64>,
    Scalar,
    Device,
    Generator,
    Object,
    Function,
    Vec<i64>,
    Vec<f64>,
    Vec<bool>,
    Vec<Tensor>,
    Vec<Option<Tensor>>,
    Option<i64>,
    Option<f64>,
    Option<bool>,
    Option<String>,
    Option<Generator>,
);

macro_rules! results_tuple {
    ($($type:ident $index:tt $slot:ident $out:ident),+; $($no:ident $filler:ident),*) => {
        // SAFETY: one out parameter each, as in `ResultType`.
        unsafe impl<$($type: ResultType),+> Results for ($($type,)+) {
            type Slots = ($($type::Slot,)+);
            $(type $out = *mut $type::Slot;)+
            $(type $no = ();)*
            const LETTERS: &'static [u8] = &[$($type::LETTER),+];
            const TYPES: &'static [RustType] = &[$(($type::PATTERN, $type::TYPE)),+];

            #[inline(always)]
            fn into_raws(self, mut put: impl FnMut(RawValue) -> Result<()>) -> Result<()> {
                $(put(self.$index.into_raw()?)?;)+
                Ok(())
            }

            #[inline(always)]
            unsafe fn write(self, $($slot: Self::$out,)+ $($filler: ()),*) -> Result<()> {
                let ready = ($(self.$index.ready()?,)+);
                $(let () = $filler;)*
                // SAFETY: the caller's promise.
                unsafe { $($slot.write($type::slot(ready.$index));)+ }
                Ok(())
            }

            #[inline(always)]
            fn slots() -> Self::Slots {
                ($($type::EMPTY,)+)
            }

            #[inline(always)]
            fn outs(slots: &mut Self::Slots) -> (Self::O0, Self::O1, Self::O2, Self::O3) {
                $(let $filler = ();)*
                ($(&mut slots.$index,)+ $($filler),*)
            }

            #[inline(always)]
            fn missing(slots: &Self::Slots) -> Option<usize> {
                $(
                    if $type::is_missing(slots.$index) {
                        return Some($index);
                    }
                )+
                None
            }

            #[inline(always)]
            unsafe fn finish(op: Op, slots: Self::Slots) -> Result<Self> {
                // SAFETY: the caller's promise. All results are taken over before one can fail.
                let taken = unsafe { ($($type::from_slot(op, $index, slots.$index),)+) };
                Ok(($(taken.$index?,)+))
            }
        }
    };
}

results_tuple!(A 0 o0 O0; O1 o1, O2 o2, O3 o3);
results_tuple!(A 0 o0 O0, B 1 o1 O1; O2 o2, O3 o3);
results_tuple!(A 0 o0 O0, B 1 o1 O1, C 2 o2 O2; O3 o3);
results_tuple!(A 0 o0 O0, B 1 o1 O1, C 2 o2 O2, D 3 o3 O3;);
