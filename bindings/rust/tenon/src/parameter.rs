// SPDX-License-Identifier: Apache-2.0
//! Rust types of an operator's parameters: how kernels receive them and typed calls pass them.

// The lifetimes are written out where the trait's methods have them, so that implementations match.
#![allow(clippy::needless_lifetimes)]

use std::ffi::c_char;
use std::mem::MaybeUninit;
use std::ptr::{self, NonNull};

use tenon_sys as sys;

use crate::arg::{Arg, IntoArg};
use crate::pattern::{
    Pattern, BOOL, BOOLS, COMPLEX, DEVICE, DTYPE, FLOAT, FLOATS, FORMAT, FUNCTION, GENERATOR, INT,
    INTS, LAYOUT, OBJECT, SCALAR, STR, TENSOR, TENSORS,
};
use crate::types::{Complex, DType, Device, Layout, MemoryFormat};
use crate::value::Scalar;
use crate::value_ref::{slice, ValueRef};
use crate::{Function, Generator, Object, Tensor};

/// Marks a number of tensors that is only known at run time.
pub(crate) const DYNAMIC: usize = usize::MAX;

/// Collects the tensors of a call, for key extraction.
#[doc(hidden)]
pub trait TensorSink {
    fn push(&mut self, tensor: *mut sys::tenon_tensor);
}

/// Up to three tensors, whose number is known at compile time.
#[derive(Default)]
pub(crate) struct FewTensors {
    pub(crate) handles: [FewTensor; 3],
    count: usize,
}

pub(crate) type FewTensor = Option<NonNull<sys::tenon_tensor>>;

impl TensorSink for FewTensors {
    #[inline(always)]
    fn push(&mut self, tensor: *mut sys::tenon_tensor) {
        if let Some(slot) = self.handles.get_mut(self.count) {
            *slot = NonNull::new(tensor);
        }
        self.count += 1;
    }
}

/// Any number of tensors: a few on the stack, more on the heap.
pub(crate) struct ManyTensors {
    inline: [MaybeUninit<*mut sys::tenon_tensor>; ManyTensors::INLINE],
    count: usize, // number of elements in `inline`
    spilled: Vec<*mut sys::tenon_tensor>,
}

impl ManyTensors {
    const INLINE: usize = 16;

    #[inline(always)]
    pub(crate) fn new() -> ManyTensors {
        ManyTensors {
            inline: [MaybeUninit::uninit(); ManyTensors::INLINE],
            count: 0,
            spilled: Vec::new(),
        }
    }

    #[inline(always)]
    pub(crate) fn as_slice(&self) -> &[*mut sys::tenon_tensor] {
        if self.spilled.is_empty() {
            self.held()
        } else {
            &self.spilled
        }
    }

    #[inline(always)]
    fn held(&self) -> &[*mut sys::tenon_tensor] {
        // SAFETY: the first `count` are written, and `count` is at most INLINE.
        unsafe { slice(self.inline.as_ptr().cast(), self.count) }
    }

    #[cold]
    fn spill(&mut self, tensor: *mut sys::tenon_tensor) {
        if self.spilled.is_empty() {
            self.spilled = self.held().to_vec();
        }
        self.spilled.push(tensor);
    }
}

impl TensorSink for ManyTensors {
    #[inline(always)]
    fn push(&mut self, tensor: *mut sys::tenon_tensor) {
        match self.inline.get_mut(self.count) {
            Some(slot) => {
                slot.write(tensor);
                self.count += 1;
            }
            None => self.spill(tensor),
        }
    }
}

/// A Rust type of an operator's parameter: `&Tensor`, `Option<&Tensor>`, `&[Tensor]`, `i64`, `f64`,
/// `bool`, `&str`, `&[i64]`, `Scalar`, `DType`, `Device`, `&Generator`, options of them, or
/// [`ValueRef`] for any type.
///
/// # Safety
/// The lowered types are those in kernel.h for `LETTER`; this trait is implemented here
/// only.
#[doc(hidden)]
pub unsafe trait Parameter {
    /// The type with the lifetime of one call.
    type Item<'a>: Copy;
    type First: Copy;
    type Second: Copy;
    type Temp<'a>;
    const LETTER: u8;
    const TYPE: &'static str;
    const PATTERN: Pattern;
    const TENSORS: usize = 0;

    /// Reads a boxed argument. Returns `None` if it has another type.
    ///
    /// # Safety
    /// `raw` obeys value.h for `'a`.
    unsafe fn from_value<'a>(raw: &'a sys::tenon_value) -> Option<Self::Item<'a>>;

    /// Reads a lowered argument.
    ///
    /// # Safety
    /// The words obey kernel.h for `'a`.
    unsafe fn lift<'a>(first: &'a Self::First, second: &'a Self::Second) -> Option<Self::Item<'a>>;

    fn temp<'a>(item: Self::Item<'a>) -> Self::Temp<'a>;
    fn lower<'a>(item: Self::Item<'a>, temp: &Self::Temp<'a>) -> (Self::First, Self::Second);
    fn to_arg(item: Self::Item<'_>) -> Arg<'_>;

    #[inline(always)]
    fn tensors(_item: Self::Item<'_>, _tensors: &mut impl TensorSink) {}

    #[inline(always)]
    fn device(_item: Self::Item<'_>) -> Option<Device> {
        None
    }
}

// SAFETY: kernel.h: T is tenon_tensor*, and `&Tensor` is never absent.
unsafe impl Parameter for &Tensor {
    type Item<'a> = &'a Tensor;
    type First = *mut sys::tenon_tensor;
    type Second = ();
    type Temp<'a> = ();
    const LETTER: u8 = b'T';
    const TYPE: &'static str = "Tensor";
    const PATTERN: Pattern = TENSOR;
    const TENSORS: usize = 1;

    #[inline(always)]
    unsafe fn from_value<'a>(raw: &'a sys::tenon_value) -> Option<&'a Tensor> {
        if u32::from(raw.tag) != sys::TENON_TAG_TENSOR {
            return None;
        }
        // SAFETY: value.h: the tag's field.
        let handle = unsafe { &raw.as_.tensor };
        // SAFETY: NULL or a live handle; `Tensor` is transparent over it.
        (!handle.is_null()).then(|| unsafe { &*(handle as *const *mut sys::tenon_tensor).cast() })
    }

    #[inline(always)]
    unsafe fn lift<'a>(first: &'a Self::First, _: &'a ()) -> Option<&'a Tensor> {
        // SAFETY: kernel.h: NULL or a live handle; `Tensor` is transparent over it.
        (!first.is_null()).then(|| unsafe { &*(first as *const *mut sys::tenon_tensor).cast() })
    }

    #[inline(always)]
    fn temp<'a>(_: Self::Item<'a>) -> Self::Temp<'a> {}

    #[inline(always)]
    fn lower<'a>(item: Self::Item<'a>, (): &()) -> (Self::First, ()) {
        (item.as_raw(), ())
    }

    #[inline(always)]
    fn to_arg(item: Self::Item<'_>) -> Arg<'_> {
        item.into_arg()
    }

    #[inline(always)]
    fn tensors(item: Self::Item<'_>, tensors: &mut impl TensorSink) {
        tensors.push(item.as_raw());
    }
}

// SAFETY: kernel.h: T is tenon_tensor*, NULL = absent.
unsafe impl Parameter for Option<&Tensor> {
    type Item<'a> = Option<&'a Tensor>;
    type First = *mut sys::tenon_tensor;
    type Second = ();
    type Temp<'a> = ();
    const LETTER: u8 = b'T';
    const TYPE: &'static str = "Tensor?";
    const PATTERN: Pattern = Pattern::OneOf(&[TENSOR, Pattern::Optional(&TENSOR)]);
    const TENSORS: usize = 1;

    #[inline(always)]
    unsafe fn from_value<'a>(raw: &'a sys::tenon_value) -> Option<Option<&'a Tensor>> {
        if u32::from(raw.tag) == sys::TENON_TAG_NONE {
            return Some(None);
        }
        // SAFETY: the caller's promise.
        unsafe { <&Tensor>::from_value(raw) }.map(Some)
    }

    #[inline(always)]
    unsafe fn lift<'a>(first: &'a Self::First, _: &'a ()) -> Option<Option<&'a Tensor>> {
        // SAFETY: the caller's promise.
        Some(unsafe { <&Tensor>::lift(first, &()) })
    }

    #[inline(always)]
    fn temp<'a>(_: Self::Item<'a>) -> Self::Temp<'a> {}

    #[inline(always)]
    fn lower<'a>(item: Self::Item<'a>, (): &()) -> (Self::First, ()) {
        (item.map_or(ptr::null_mut(), Tensor::as_raw), ())
    }

    #[inline(always)]
    fn to_arg(item: Self::Item<'_>) -> Arg<'_> {
        item.into_arg()
    }

    #[inline(always)]
    fn tensors(item: Self::Item<'_>, tensors: &mut impl TensorSink) {
        tensors.push(item.map_or(ptr::null_mut(), Tensor::as_raw));
    }
}

// One-word numbers: (type, letter, C type, schema type, pattern, tag, boxed field -> type, C ->
// type).
macro_rules! numbers {
    ($($type:ty, $letter:literal, $c:ty, $text:literal, $pattern:expr, $tag:ident,
       $field:ident, |$boxed:ident| $unbox:expr, |$word:ident| $lift:expr,
       |$item:ident| $lower:expr;)*) => {
        $(
            // SAFETY: kernel.h specifies this C type for the letter.
            unsafe impl Parameter for $type {
                type Item<'a> = $type;
                type First = $c;
                type Second = ();
                type Temp<'a> = ();
                const LETTER: u8 = $letter;
                const TYPE: &'static str = $text;
                const PATTERN: Pattern = $pattern;

                #[inline(always)]
                unsafe fn from_value(raw: &sys::tenon_value) -> Option<$type> {
                    if u32::from(raw.tag) != sys::$tag {
                        return None;
                    }
                    // SAFETY: value.h: the tag's field.
                    let $boxed = unsafe { raw.as_.$field };
                    Some($unbox)
                }

                #[inline(always)]
                unsafe fn lift(first: &$c, _: &()) -> Option<$type> {
                    let $word = *first;
                    Some($lift)
                }

                #[inline(always)]
                fn temp<'a>(_: Self::Item<'a>) -> Self::Temp<'a> {}

                #[inline(always)]
                fn lower<'a>($item: Self::Item<'a>, (): &()) -> ($c, ()) {
                    ($lower, ())
                }

                #[inline(always)]
                fn to_arg(item: Self::Item<'_>) -> Arg<'_> {
                    item.into_arg()
                }
            }
        )*
    };
}

numbers! {
    i64, b'i', i64, "int", INT, TENON_TAG_INT, i, |x| x, |x| x, |x| x;
    f64, b'd', f64, "float", FLOAT, TENON_TAG_FLOAT, f, |x| x, |x| x, |x| x;
    bool, b'b', i64, "bool", BOOL, TENON_TAG_BOOL, i, |x| x != 0, |x| x != 0, |x| i64::from(x);
    DType, b'i', i64, "ScalarType", DTYPE, TENON_TAG_DTYPE, i,
        |x| DType(x as i32), |x| DType(x as i32), |x| i64::from(x.0);
    Layout, b'i', i64, "Layout", LAYOUT, TENON_TAG_LAYOUT, i,
        |x| Layout(x as i32), |x| Layout(x as i32), |x| i64::from(x.0);
    MemoryFormat, b'i', i64, "MemoryFormat", FORMAT, TENON_TAG_MEMORY_FORMAT, i,
        |x| MemoryFormat(x as i32), |x| MemoryFormat(x as i32), |x| i64::from(x.0);
}

// Two words: pointer and count.
macro_rules! spans {
    ($($element:ty, $letter:literal, $pointee:ty, $text:literal, $pattern:expr, $tag:ident,
       $tensors:expr, |$slice:ident| $check:expr;)*) => {
        $(
            // SAFETY: kernel.h: pointer and count of such elements.
            unsafe impl Parameter for &[$element] {
                type Item<'a> = &'a [$element];
                type First = *const $pointee;
                type Second = i64;
                type Temp<'a> = ();
                const LETTER: u8 = $letter;
                const TYPE: &'static str = $text;
                const PATTERN: Pattern = $pattern;
                const TENSORS: usize = $tensors;

                #[inline(always)]
                unsafe fn from_value<'a>(raw: &'a sys::tenon_value) -> Option<Self::Item<'a>> {
                    if u32::from(raw.tag) != sys::$tag {
                        return None;
                    }
                    // SAFETY: value.h: the list's elements live for 'a; tensor handles are checked
                    // first.
                    unsafe {
                        let (data, count) = (raw.as_.list.data, raw.count as usize);
                        let $slice = slice::<'a, $pointee>(data.cast(), count);
                        $check.then(|| slice(data.cast::<$element>(), count))
                    }
                }

                #[inline(always)]
                unsafe fn lift<'a>(
                    first: &'a *const $pointee,
                    second: &'a i64,
                ) -> Option<Self::Item<'a>> {
                    // SAFETY: the caller's promise; tensor handles are checked first.
                    unsafe {
                        let $slice = slice::<'a, $pointee>(*first, *second as usize);
                        $check.then(|| slice(first.cast::<$element>(), *second as usize))
                    }
                }

                #[inline(always)]
                fn temp<'a>(_: Self::Item<'a>) -> Self::Temp<'a> {}

                #[inline(always)]
                fn lower<'a>(item: Self::Item<'a>, (): &()) -> (*const $pointee, i64) {
                    (item.as_ptr().cast(), item.len() as i64)
                }

                #[inline(always)]
                fn to_arg(item: Self::Item<'_>) -> Arg<'_> {
                    item.into_arg()
                }

                #[inline(always)]
                fn tensors(item: Self::Item<'_>, tensors: &mut impl TensorSink) {
                    if $tensors == DYNAMIC {
                        let handles = item.as_ptr().cast::<*mut sys::tenon_tensor>();
                        for index in 0..item.len() {
                            // SAFETY: for lists of tensors the elements are handles.
                            tensors.push(unsafe { *handles.add(index) });
                        }
                    }
                }
            }
        )*
    };
}

spans! {
    i64, b'I', i64, "int[]", INTS, TENON_TAG_INT_LIST, 0, |_all| true;
    f64, b'D', f64, "float[]", FLOATS, TENON_TAG_FLOAT_LIST, 0, |_all| true;
    Tensor, b'L', *mut sys::tenon_tensor, "Tensor[]", TENSORS, TENON_TAG_TENSOR_LIST, DYNAMIC,
        |all| all.iter().all(|tensor| !tensor.is_null());
    Option<Tensor>, b'L', *mut sys::tenon_tensor, "Tensor?[]",
        Pattern::List(&Pattern::OneOf(&[TENSOR, Pattern::Optional(&TENSOR)])),
        TENON_TAG_TENSOR_LIST, DYNAMIC, |_all| true;
}

// SAFETY: kernel.h: s is pointer and size in bytes.
unsafe impl Parameter for &str {
    type Item<'a> = &'a str;
    type First = *const c_char;
    type Second = i64;
    type Temp<'a> = ();
    const LETTER: u8 = b's';
    const TYPE: &'static str = "str";
    const PATTERN: Pattern = STR;

    #[inline(always)]
    unsafe fn from_value<'a>(raw: &'a sys::tenon_value) -> Option<&'a str> {
        if u32::from(raw.tag) != sys::TENON_TAG_STRING {
            return None;
        }
        // SAFETY: value.h: count bytes that live for 'a.
        std::str::from_utf8(unsafe { slice(raw.as_.list.data.cast(), raw.count as usize) }).ok()
    }

    #[inline(always)]
    unsafe fn lift<'a>(first: &'a *const c_char, second: &'a i64) -> Option<&'a str> {
        // SAFETY: the caller's promise.
        std::str::from_utf8(unsafe { slice(first.cast(), *second as usize) }).ok()
    }

    #[inline(always)]
    fn temp<'a>(_: Self::Item<'a>) -> Self::Temp<'a> {}

    #[inline(always)]
    fn lower<'a>(item: Self::Item<'a>, (): &()) -> (*const c_char, i64) {
        (item.as_ptr().cast(), item.len() as i64)
    }

    #[inline(always)]
    fn to_arg(item: Self::Item<'_>) -> Arg<'_> {
        item.into_arg()
    }
}

// All other types are passed as `const tenon_value*`.
macro_rules! boxed {
    ($($type:ty, $item:ty, $text:literal, $pattern:expr, $value:pat => $result:expr
       $(, device $device:expr)? $(, tensors $gather:ident)?;)*) => {
        $(
            // SAFETY: kernel.h: v is const tenon_value*.
            unsafe impl Parameter for $type {
                type Item<'a> = $item;
                type First = *const sys::tenon_value;
                type Second = ();
                type Temp<'a> = Arg<'a>;
                const LETTER: u8 = b'v';
                const TYPE: &'static str = $text;
                const PATTERN: Pattern = $pattern;

                #[inline(always)]
                unsafe fn from_value<'a>(raw: &'a sys::tenon_value) -> Option<$item> {
                    // SAFETY: the caller's promise.
                    match unsafe { ValueRef::from_raw(raw) } {
                        $value => $result,
                        #[allow(unreachable_patterns)]
                        _ => None,
                    }
                }

                #[inline(always)]
                unsafe fn lift<'a>(first: &'a Self::First, _: &'a ()) -> Option<$item> {
                    // SAFETY: kernel.h: not NULL, and it lives for the call.
                    unsafe { Self::from_value(&**first) }
                }

                #[inline(always)]
                fn temp<'a>(item: Self::Item<'a>) -> Arg<'a> {
                    item.into_arg()
                }

                #[inline(always)]
                fn lower<'a>(_: Self::Item<'a>, temp: &Arg<'a>) -> (Self::First, ()) {
                    (temp.as_raw(), ())
                }

                #[inline(always)]
                fn to_arg(item: Self::Item<'_>) -> Arg<'_> {
                    item.into_arg()
                }

                $(#[inline(always)]
                fn device(item: Self::Item<'_>) -> Option<Device> {
                    $device(item)
                })?

                $(const TENSORS: usize = DYNAMIC;

                fn tensors(item: Self::Item<'_>, tensors: &mut impl TensorSink) {
                    $gather(item, tensors);
                })?
            }
        )*
    };
}

/// Collects the tensors in a value of any type.
fn gather(value: ValueRef<'_>, tensors: &mut impl TensorSink) {
    match value {
        ValueRef::Tensor(tensor) => tensors.push(tensor.as_raw()),
        ValueRef::TensorList(list) => {
            list.iter()
                .flatten()
                .for_each(|tensor| tensors.push(tensor.as_raw()));
        }
        ValueRef::List(values) | ValueRef::Tuple(values) | ValueRef::Dict(values) => {
            values.iter().for_each(|value| gather(value, tensors));
        }
        _ => {}
    }
}

boxed! {
    ValueRef<'_>, ValueRef<'a>, "any type", Pattern::Any, value => Some(value), tensors gather;
    Scalar, Scalar, "Scalar", SCALAR, value => value.as_scalar();
    Option<Scalar>, Option<Scalar>, "Scalar?", Pattern::Optional(&SCALAR), value => match value {
        ValueRef::None => Some(None),
        value => value.as_scalar().map(Some),
    };
    Complex<f64>, Complex<f64>, "complex", COMPLEX, ValueRef::Complex(value) => Some(value);
    Device, Device, "Device", DEVICE, ValueRef::Device(value) => Some(value), device Some;
    &Generator, &'a Generator, "Generator", GENERATOR,
        ValueRef::Generator(value) => Some(value);
    &Object, &'a Object, "an object", OBJECT, ValueRef::Object(value) => Some(value);
    &Function, &'a Function, "a function", FUNCTION, ValueRef::Function(value) => Some(value);
}

macro_rules! boxed_options {
    ($($type:ty, $item:ty, $text:literal, $pattern:expr, $variant:ident
       $(, device $device:expr)?;)*) => {
        boxed! {
            $(Option<$type>, Option<$item>, $text, Pattern::Optional(&$pattern),
              value => match value {
                  ValueRef::None => Some(None),
                  ValueRef::$variant(value) => Some(Some(value)),
                  _ => None,
              } $(, device $device)?;)*
        }
    };
}

boxed_options! {
    i64, i64, "int?", INT, Int;
    f64, f64, "float?", FLOAT, Float;
    bool, bool, "bool?", BOOL, Bool;
    Complex<f64>, Complex<f64>, "complex?", COMPLEX, Complex;
    &str, &'a str, "str?", STR, Str;
    DType, DType, "ScalarType?", DTYPE, DType;
    Layout, Layout, "Layout?", LAYOUT, Layout;
    MemoryFormat, MemoryFormat, "MemoryFormat?", FORMAT, MemoryFormat;
    Device, Device, "Device?", DEVICE, Device, device |item: Option<Device>| item;
    &Generator, &'a Generator, "Generator?", GENERATOR, Generator;
    &Object, &'a Object, "an object?", OBJECT, Object;
    &Function, &'a Function, "a function?", FUNCTION, Function;
    &[i64], &'a [i64], "int[]?", INTS, IntList;
    &[f64], &'a [f64], "float[]?", FLOATS, FloatList;
}

/// `bool[]`: bytes in a kernel, where 0 is false and every other value is true.
// SAFETY: kernel.h: B is const uint8_t* and a count.
unsafe impl Parameter for &[u8] {
    type Item<'a> = &'a [u8];
    type First = *const u8;
    type Second = i64;
    type Temp<'a> = ();
    const LETTER: u8 = b'B';
    const TYPE: &'static str = "bool[]";
    const PATTERN: Pattern = BOOLS;

    #[inline(always)]
    unsafe fn from_value<'a>(raw: &'a sys::tenon_value) -> Option<&'a [u8]> {
        // SAFETY: the caller's promise.
        match unsafe { ValueRef::from_raw(raw) } {
            ValueRef::BoolList(bytes) => Some(bytes),
            _ => None,
        }
    }

    #[inline(always)]
    unsafe fn lift<'a>(first: &'a *const u8, second: &'a i64) -> Option<&'a [u8]> {
        // SAFETY: the caller's promise.
        Some(unsafe { slice(*first, *second as usize) })
    }

    #[inline(always)]
    fn temp<'a>(_: Self::Item<'a>) -> Self::Temp<'a> {}

    #[inline(always)]
    fn lower<'a>(item: Self::Item<'a>, (): &()) -> (*const u8, i64) {
        (item.as_ptr(), item.len() as i64)
    }

    #[inline(always)]
    fn to_arg(item: Self::Item<'_>) -> Arg<'_> {
        ValueRef::BoolList(item).into_arg()
    }
}
