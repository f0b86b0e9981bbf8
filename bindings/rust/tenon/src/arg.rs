// SPDX-License-Identifier: Apache-2.0
//! Arguments of a call: borrowed values in the layout of the C interface.

use std::fmt;
use std::marker::PhantomData;

use tenon_sys as sys;

use crate::error::Result;
use crate::types::{Complex, DType, Device, Layout, MemoryFormat};
use crate::value::{RawValue, Scalar, Value};
use crate::value_ref::ValueRef;
use crate::{Function, Generator, Object, Tensor};

/// An argument of a call. It borrows from the value that it was made from.
#[repr(transparent)]
pub struct Arg<'a> {
    raw: sys::tenon_value,
    life: PhantomData<&'a ()>,
}

/// Returns the arguments in the layout of the C interface.
pub(crate) fn raw_values<'s>(args: &'s [Arg<'_>]) -> &'s [sys::tenon_value] {
    // SAFETY: `Arg` is transparent over `tenon_value`.
    unsafe { std::slice::from_raw_parts(args.as_ptr().cast(), args.len()) }
}

impl<'a> Arg<'a> {
    /// An absent optional.
    pub const NONE: Arg<'static> = Arg {
        raw: RawValue::NONE,
        life: PhantomData,
    };

    #[inline]
    fn new(tag: u32, count: usize, as_: sys::tenon_payload) -> Arg<'a> {
        // A count beyond u32 becomes u32::MAX. No memory holds that many elements, so the call
        // fails.
        let count = u32::try_from(count).unwrap_or(u32::MAX);
        Arg {
            raw: sys::tenon_value {
                tag: tag as u16,
                flags: 0,
                count,
                as_,
            },
            life: PhantomData,
        }
    }

    #[inline]
    fn list<T>(tag: u32, data: &'a [T]) -> Arg<'a> {
        let list = sys::tenon_list {
            data: data.as_ptr().cast(),
            owner: std::ptr::null_mut(),
        };
        Arg::new(tag, data.len(), sys::tenon_payload { list })
    }

    pub(crate) fn owned(raw: Result<RawValue>) -> Arg<'a> {
        match raw {
            Ok(raw) => Arg {
                raw: raw.into_raw(),
                life: PhantomData,
            },
            // Out of memory for a few pointers. Panics, as Rust's collections do.
            Err(error) => panic!("{error}"),
        }
    }

    /// Returns the value in the layout of the C interface.
    #[inline]
    pub fn as_raw(&self) -> &sys::tenon_value {
        &self.raw
    }

    /// Returns a view of the value.
    pub fn value(&self) -> ValueRef<'_> {
        // SAFETY: every constructor fits payload to tag, and borrows for 'a.
        unsafe { ValueRef::from_raw(&self.raw) }
    }

    /// Borrows a value that lives in a schema or a stack.
    ///
    /// # Safety
    /// `raw` obeys value.h and what it refers to lives for `'a`.
    pub(crate) unsafe fn borrow(raw: &sys::tenon_value) -> Arg<'a> {
        let keep = !(sys::TENON_VALUE_OWNED | sys::TENON_VALUE_MOVABLE) as u16;
        let raw = sys::tenon_value {
            flags: raw.flags & keep,
            ..*raw
        };
        Arg {
            raw,
            life: PhantomData,
        }
    }
}

impl Drop for Arg<'_> {
    #[inline]
    fn drop(&mut self) {
        if self.raw.flags & sys::TENON_VALUE_OWNED as u16 != 0 {
            // SAFETY: value.h: clears what the value owns, once.
            unsafe { sys::tenon_value_clear(&mut self.raw) }
        }
    }
}

impl fmt::Debug for Arg<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.value().fmt(f)
    }
}

/// A value that can be passed to an operator.
///
/// Numbers keep their type here. A call converts them if no information is lost, as described in
/// [`Op::call`](crate::Op::call).
pub trait IntoArg<'a> {
    /// Converts to an argument.
    fn into_arg(self) -> Arg<'a>;
}

impl<'a> IntoArg<'a> for Arg<'a> {
    #[inline]
    fn into_arg(self) -> Arg<'a> {
        self
    }
}

macro_rules! into_arg_int {
    ($($type:ty),*) => {
        $(impl<'a> IntoArg<'a> for $type {
            #[inline]
            fn into_arg(self) -> Arg<'a> {
                let word = i64::from(self) as u64;
                Arg::new(sys::TENON_TAG_INT, 0, sys::tenon_payload { words: [word, 0] })
            }
        })*
    };
}

into_arg_int!(i64, i32, i16, i8, u32, u16, u8);

macro_rules! into_arg_code {
    ($($type:ty => $tag:ident),* $(,)?) => {
        $(impl<'a> IntoArg<'a> for $type {
            #[inline]
            fn into_arg(self) -> Arg<'a> {
                let word = i64::from(self.0) as u64;
                Arg::new(sys::$tag, 0, sys::tenon_payload { words: [word, 0] })
            }
        })*
    };
}

into_arg_code!(DType => TENON_TAG_DTYPE, Layout => TENON_TAG_LAYOUT,
               MemoryFormat => TENON_TAG_MEMORY_FORMAT);

impl<'a> IntoArg<'a> for bool {
    #[inline]
    fn into_arg(self) -> Arg<'a> {
        Arg::new(
            sys::TENON_TAG_BOOL,
            0,
            sys::tenon_payload {
                words: [u64::from(self), 0],
            },
        )
    }
}

impl<'a> IntoArg<'a> for f64 {
    #[inline]
    fn into_arg(self) -> Arg<'a> {
        Arg::new(
            sys::TENON_TAG_FLOAT,
            0,
            sys::tenon_payload {
                words: [self.to_bits(), 0],
            },
        )
    }
}

impl<'a> IntoArg<'a> for f32 {
    #[inline]
    fn into_arg(self) -> Arg<'a> {
        f64::from(self).into_arg()
    }
}

impl<'a> IntoArg<'a> for Complex<f64> {
    #[inline]
    fn into_arg(self) -> Arg<'a> {
        let c = sys::tenon_complex {
            real: self.re,
            imag: self.im,
        };
        Arg::new(sys::TENON_TAG_COMPLEX, 0, sys::tenon_payload { c })
    }
}

impl<'a> IntoArg<'a> for Scalar {
    #[inline]
    fn into_arg(self) -> Arg<'a> {
        match self {
            Scalar::Bool(value) => value.into_arg(),
            Scalar::Int(value) => value.into_arg(),
            Scalar::Float(value) => value.into_arg(),
            Scalar::Complex(value) => value.into_arg(),
        }
    }
}

impl<'a> IntoArg<'a> for Device {
    #[inline]
    fn into_arg(self) -> Arg<'a> {
        let mut payload = sys::tenon_payload { words: [0, 0] };
        payload.device = self.to_raw();
        Arg::new(sys::TENON_TAG_DEVICE, 0, payload)
    }
}

impl<'a> IntoArg<'a> for &'a Tensor {
    #[inline]
    fn into_arg(self) -> Arg<'a> {
        let payload = sys::tenon_payload {
            tensor: self.as_raw(),
        };
        Arg::new(sys::TENON_TAG_TENSOR, 0, payload)
    }
}

impl<'a> IntoArg<'a> for &'a Generator {
    #[inline]
    fn into_arg(self) -> Arg<'a> {
        let payload = sys::tenon_payload {
            generator: self.as_raw(),
        };
        Arg::new(sys::TENON_TAG_GENERATOR, 0, payload)
    }
}

impl<'a> IntoArg<'a> for &'a Object {
    #[inline]
    fn into_arg(self) -> Arg<'a> {
        let payload = sys::tenon_payload {
            object: self.as_raw(),
        };
        Arg::new(sys::TENON_TAG_OBJECT, 0, payload)
    }
}

impl<'a> IntoArg<'a> for &'a Function {
    #[inline]
    fn into_arg(self) -> Arg<'a> {
        let payload = sys::tenon_payload {
            object: self.0.as_raw(),
        };
        Arg::new(sys::TENON_TAG_FUNCTION, 0, payload)
    }
}

impl<'a> IntoArg<'a> for &'a str {
    #[inline]
    fn into_arg(self) -> Arg<'a> {
        Arg::list(sys::TENON_TAG_STRING, self.as_bytes())
    }
}

impl<'a> IntoArg<'a> for &'a String {
    #[inline]
    fn into_arg(self) -> Arg<'a> {
        self.as_str().into_arg()
    }
}

macro_rules! into_arg_list {
    ($($element:ty => $tag:ident),* $(,)?) => {
        $(
            impl<'a> IntoArg<'a> for &'a [$element] {
                #[inline]
                fn into_arg(self) -> Arg<'a> {
                    Arg::list(sys::$tag, self)
                }
            }

            impl<'a, const N: usize> IntoArg<'a> for &'a [$element; N] {
                #[inline]
                fn into_arg(self) -> Arg<'a> {
                    Arg::list(sys::$tag, self)
                }
            }

            impl<'a> IntoArg<'a> for &'a Vec<$element> {
                #[inline]
                fn into_arg(self) -> Arg<'a> {
                    Arg::list(sys::$tag, self)
                }
            }
        )*
    };
}

// A `bool` is one byte, 0 or 1; `Tensor` is transparent over its handle and `None` is NULL.
into_arg_list!(i64 => TENON_TAG_INT_LIST, f64 => TENON_TAG_FLOAT_LIST, bool => TENON_TAG_BOOL_LIST,
               Tensor => TENON_TAG_TENSOR_LIST, Option<Tensor> => TENON_TAG_TENSOR_LIST);

/// A list of borrowed tensors. It is copied, unlike a list of owned tensors.
impl<'a> IntoArg<'a> for &[&Tensor] {
    fn into_arg(self) -> Arg<'a> {
        let handles: Vec<_> = self.iter().map(|tensor| tensor.as_raw()).collect();
        Arg::owned(RawValue::list(
            sys::TENON_TAG_TENSOR_LIST,
            handles.as_ptr().cast(),
            handles.len(),
        ))
    }
}

impl<'a, const N: usize> IntoArg<'a> for &[&Tensor; N] {
    fn into_arg(self) -> Arg<'a> {
        self.as_slice().into_arg()
    }
}

impl<'a, T: IntoArg<'a>> IntoArg<'a> for Option<T> {
    #[inline]
    fn into_arg(self) -> Arg<'a> {
        self.map_or(Arg::NONE, T::into_arg)
    }
}

impl<'a> IntoArg<'a> for ValueRef<'a> {
    fn into_arg(self) -> Arg<'a> {
        match self {
            ValueRef::None => Arg::NONE,
            ValueRef::Bool(value) => value.into_arg(),
            ValueRef::Int(value) => value.into_arg(),
            ValueRef::Float(value) => value.into_arg(),
            ValueRef::Complex(value) => value.into_arg(),
            ValueRef::Str(value) => value.into_arg(),
            ValueRef::DType(value) => value.into_arg(),
            ValueRef::Layout(value) => value.into_arg(),
            ValueRef::MemoryFormat(value) => value.into_arg(),
            ValueRef::Device(value) => value.into_arg(),
            ValueRef::Generator(value) => value.into_arg(),
            ValueRef::Tensor(value) => value.into_arg(),
            ValueRef::Object(value) => value.into_arg(),
            ValueRef::Function(value) => value.into_arg(),
            ValueRef::IntList(value) => value.into_arg(),
            ValueRef::FloatList(value) => value.into_arg(),
            ValueRef::BoolList(value) => Arg::list(sys::TENON_TAG_BOOL_LIST, value),
            ValueRef::TensorList(value) => value.into_arg(),
            ValueRef::List(values) => Arg::list(sys::TENON_TAG_LIST, values.0),
            ValueRef::Tuple(values) => Arg::list(sys::TENON_TAG_TUPLE, values.0),
            ValueRef::Dict(values) => {
                let mut arg = Arg::list(sys::TENON_TAG_DICT, values.0);
                arg.raw.count /= 2;
                arg
            }
            // SAFETY: the view borrows for 'a.
            ValueRef::Other(raw) => unsafe { Arg::borrow(raw.as_raw()) },
        }
    }
}

/// Borrows from the value, except that lists of values, tuples and dicts are copied.
impl<'a> IntoArg<'a> for &'a Value {
    fn into_arg(self) -> Arg<'a> {
        let nested = |tag, values: &mut dyn Iterator<Item = &'a Value>, per_entry: usize| {
            let elements: Vec<Arg<'a>> = values.map(IntoArg::into_arg).collect();
            let count = elements.len() / per_entry;
            Arg::owned(RawValue::list(tag, elements.as_ptr().cast(), count))
        };
        match self {
            Value::None => Arg::NONE,
            Value::Bool(value) => value.into_arg(),
            Value::Int(value) => value.into_arg(),
            Value::Float(value) => value.into_arg(),
            Value::Complex(value) => value.into_arg(),
            Value::Str(value) => value.into_arg(),
            Value::DType(value) => value.into_arg(),
            Value::Layout(value) => value.into_arg(),
            Value::MemoryFormat(value) => value.into_arg(),
            Value::Device(value) => value.into_arg(),
            Value::Generator(value) => value.into_arg(),
            Value::Tensor(value) => value.into_arg(),
            Value::Object(value) => value.into_arg(),
            Value::Function(value) => value.into_arg(),
            Value::IntList(value) => value.into_arg(),
            Value::FloatList(value) => value.into_arg(),
            Value::BoolList(value) => value.into_arg(),
            Value::TensorList(value) => value.into_arg(),
            Value::List(values) => nested(sys::TENON_TAG_LIST, &mut values.iter(), 1),
            Value::Tuple(values) => nested(sys::TENON_TAG_TUPLE, &mut values.iter(), 1),
            Value::Dict(pairs) => {
                let mut flat = pairs.iter().flat_map(|(key, value)| [key, value]);
                nested(sys::TENON_TAG_DICT, &mut flat, 2)
            }
            // SAFETY: the value borrows for 'a.
            Value::Other(raw) => unsafe { Arg::borrow(raw.as_raw()) },
        }
    }
}

impl Value {
    /// Converts to an owned value of the C interface.
    pub(crate) fn into_owned_raw(self) -> Result<RawValue> {
        match self {
            Value::Tensor(tensor) => {
                let mut raw = RawValue::NONE;
                raw.tag = sys::TENON_TAG_TENSOR as u16;
                raw.flags = sys::TENON_VALUE_OWNED as u16;
                raw.as_.tensor = tensor.into_raw();
                Ok(RawValue(raw))
            }
            Value::Str(text) => RawValue::string(&text),
            Value::Other(raw) => Ok(raw),
            Value::Device(device) => {
                device.check(|| "result".to_owned())?;
                let arg = std::mem::ManuallyDrop::new(device.into_arg());
                Ok(RawValue(arg.raw))
            }
            other => {
                let arg = std::mem::ManuallyDrop::new((&other).into_arg());
                if arg.raw.flags & sys::TENON_VALUE_OWNED as u16 != 0 {
                    return Ok(RawValue(arg.raw));
                }
                // The value still borrows from `other`. Plain numbers are kept unchanged, lists are
                // copied.
                let mut out = RawValue::NONE;
                // SAFETY: value.h: `out` is overwritten and ours to clear.
                crate::error::check(unsafe { sys::tenon_value_copy(&arg.raw, &mut out) })?;
                Ok(RawValue(out))
            }
        }
    }
}
