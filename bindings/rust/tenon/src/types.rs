// SPDX-License-Identifier: Apache-2.0
//! Element types, devices, layouts and memory formats.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::str::FromStr;

use tenon_sys as sys;

use crate::error::{check, Error, Result};
use crate::status::Status;
use crate::text::{c_name, static_text};

/// Element type of a tensor; [`DType::NONE`] for the undefined tensor.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
#[repr(transparent)]
pub struct DType(pub(crate) sys::tenon_dtype);

macro_rules! dtypes {
    ($($(#[$doc:meta])* $name:ident = $value:ident,)*) => {
        impl DType {
            $($(#[$doc])* pub const $name: DType = DType(sys::$value as i32);)*
        }
    };
}

dtypes! {
    /// Unsigned 8-bit integer.
    U8 = TENON_DTYPE_U8,
    /// Signed 8-bit integer.
    I8 = TENON_DTYPE_I8,
    /// Signed 16-bit integer.
    I16 = TENON_DTYPE_I16,
    /// Signed 32-bit integer.
    I32 = TENON_DTYPE_I32,
    /// Signed 64-bit integer.
    I64 = TENON_DTYPE_I64,
    /// IEEE half precision.
    F16 = TENON_DTYPE_F16,
    /// IEEE single precision.
    F32 = TENON_DTYPE_F32,
    /// IEEE double precision.
    F64 = TENON_DTYPE_F64,
    /// Complex of two half-precision floats.
    C32 = TENON_DTYPE_C32,
    /// Complex of two `f32`.
    C64 = TENON_DTYPE_C64,
    /// Complex of two `f64`.
    C128 = TENON_DTYPE_C128,
    /// One byte, 0 or 1.
    BOOL = TENON_DTYPE_BOOL,
    /// The upper half of a single-precision float.
    BF16 = TENON_DTYPE_BF16,
    /// 8-bit float with 5 exponent bits, storage only.
    F8_E5M2 = TENON_DTYPE_F8_E5M2,
    /// 8-bit float with 4 exponent bits and no infinities, storage only.
    F8_E4M3FN = TENON_DTYPE_F8_E4M3FN,
    /// Unsigned 16-bit integer.
    U16 = TENON_DTYPE_U16,
    /// Unsigned 32-bit integer.
    U32 = TENON_DTYPE_U32,
    /// Unsigned 64-bit integer.
    U64 = TENON_DTYPE_U64,
    /// No dtype.
    NONE = TENON_DTYPE_NONE,
}

impl DType {
    /// Returns the dtype with this number in the C interface.
    pub const fn from_code(code: i32) -> DType {
        DType(code)
    }

    /// Returns the number in the C interface.
    pub const fn code(self) -> i32 {
        self.0
    }

    /// Returns the name, such as `"float32"`.
    pub fn name(self) -> &'static str {
        // SAFETY: tenon_dtype_name returns static text for any number.
        unsafe { static_text(sys::tenon_dtype_name(self.0)) }
    }

    /// Returns the size of one element in bytes; 0 for an unknown dtype.
    pub fn size(self) -> usize {
        // SAFETY: no precondition.
        usize::try_from(unsafe { sys::tenon_dtype_size(self.0) }).unwrap_or(0)
    }

    fn has(self, trait_bit: u32) -> bool {
        // SAFETY: no precondition.
        unsafe { sys::tenon_dtype_traits(self.0) & trait_bit != 0 }
    }

    /// Returns true if elements are real floating-point numbers.
    pub fn is_floating(self) -> bool {
        self.has(sys::TENON_DTYPE_IS_FLOATING)
    }

    /// Returns true if elements are complex numbers.
    pub fn is_complex(self) -> bool {
        self.has(sys::TENON_DTYPE_IS_COMPLEX)
    }

    /// Returns true if elements are integers; false for bool.
    pub fn is_integral(self) -> bool {
        self.has(sys::TENON_DTYPE_IS_INTEGRAL)
    }

    /// Returns the dtype that both are promoted to.
    ///
    /// # Errors
    /// [`Status::NOT_SUPPORTED`](crate::Status::NOT_SUPPORTED) for float8 with another dtype.
    pub fn promote(self, other: DType) -> Result<DType> {
        let mut out = sys::TENON_DTYPE_NONE;
        // SAFETY: `out` is ours.
        check(unsafe { sys::tenon_dtype_promote(self.0, other.0, &mut out) })?;
        Ok(DType(out))
    }

    /// Returns the default floating dtype of the process.
    pub fn default_float() -> DType {
        // SAFETY: no precondition.
        DType(unsafe { sys::tenon_dtype_default() })
    }
}

impl FromStr for DType {
    type Err = Error;

    fn from_str(name: &str) -> Result<DType> {
        let name = c_name("DType::from_str", "name", name)?;
        let mut out = sys::TENON_DTYPE_NONE;
        // SAFETY: the text lives for the call and `out` is ours.
        check(unsafe { sys::tenon_dtype_parse(name.as_ptr(), &mut out) })?;
        Ok(DType(out))
    }
}

impl fmt::Display for DType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl fmt::Debug for DType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A device: its type and index. Index -1 means the current device of that type. The CPU and Meta
/// are single devices, so their index is ignored by comparisons.
#[derive(Clone, Copy)]
pub struct Device {
    /// Number of the device type: that of `Device::CPU` and so on, or of a registered backend.
    pub kind: i32,
    /// Index within the type.
    pub index: i32,
}

impl PartialEq for Device {
    fn eq(&self, other: &Device) -> bool {
        self.kind == other.kind && self.index_that_counts() == other.index_that_counts()
    }
}

impl Eq for Device {}

impl Hash for Device {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.kind, self.index_that_counts()).hash(state);
    }
}

impl Device {
    /// The host.
    pub const CPU: Device = Device {
        kind: sys::TENON_DEVICE_CPU as i32,
        index: -1,
    };
    /// Meta: no memory, shapes and dtypes only.
    pub const META: Device = Device {
        kind: sys::TENON_DEVICE_META as i32,
        index: -1,
    };

    /// A CUDA device.
    pub const fn cuda(index: i32) -> Device {
        Device {
            kind: sys::TENON_DEVICE_CUDA as i32,
            index,
        }
    }

    /// Returns the name of the device type, such as `"cpu"`.
    pub fn type_name(self) -> &'static str {
        // SAFETY: tenon_device_type_name returns static text for any number.
        unsafe { static_text(sys::tenon_device_type_name(self.kind)) }
    }

    fn index_that_counts(self) -> i32 {
        if self.kind == Device::CPU.kind || self.kind == Device::META.kind {
            -1
        } else {
            self.index
        }
    }

    /// Returns true if this is the CPU.
    pub fn is_cpu(self) -> bool {
        self.kind == Device::CPU.kind
    }

    /// Registers a backend, such as `"npu"`, and returns its device. Registering the same name
    /// again returns the same device type.
    ///
    /// # Errors
    /// [`Status::INVALID_ARGUMENT`](crate::Status::INVALID_ARGUMENT) for a bad name,
    /// [`Status::STATE`](crate::Status::STATE) if all backend numbers are taken.
    pub fn register_backend(name: &str) -> Result<Device> {
        let name = c_name("Device::register_backend", "name", name)?;
        let mut kind = -1;
        // SAFETY: the text lives for the call and `kind` is ours.
        check(unsafe { sys::tenon_backend_register(name.as_ptr(), &mut kind) })?;
        Ok(Device { kind, index: -1 })
    }

    /// Returns the number of devices of this type; 0 without provider or driver.
    ///
    /// # Errors
    /// What the device's provider raised.
    pub fn count(self) -> Result<usize> {
        let mut count = 0;
        // SAFETY: `count` is ours.
        check(unsafe { sys::tenon_device_count(self.kind, &mut count) })?;
        Ok(usize::try_from(count).unwrap_or(0))
    }

    /// Refuses a device type that is not registered.
    pub(crate) fn check(self, place: impl FnOnce() -> String) -> Result<()> {
        if self.type_name() != "unknown" {
            return Ok(());
        }
        let (place, kind) = (place(), self.kind);
        Err(Error::new(
            Status::TYPE,
            format!("{place} must be a device of a known type, got type {kind}"),
        ))
    }

    pub(crate) fn to_raw(self) -> sys::tenon_device {
        sys::tenon_device {
            type_: self.kind,
            index: self.index,
        }
    }

    // Returns the device that a fake tensor claims, from its device.
    pub(crate) fn from_raw(raw: sys::tenon_device) -> Device {
        let fake = sys::TENON_DEVICE_FAKE as i32;
        Device {
            kind: raw.type_,
            index: if raw.index >= fake {
                raw.index - fake
            } else {
                raw.index
            },
        }
    }
}

impl FromStr for Device {
    type Err = Error;

    fn from_str(text: &str) -> Result<Device> {
        let text = c_name("Device::from_str", "text", text)?;
        let mut out = Device::CPU.to_raw();
        // SAFETY: the text lives for the call and `out` is ours.
        check(unsafe { sys::tenon_device_parse(text.as_ptr(), &mut out) })?;
        Ok(Device::from_raw(out))
    }
}

impl fmt::Display for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.type_name())?;
        let index = self.index_that_counts();
        if index >= 0 {
            write!(f, ":{index}")?;
        }
        Ok(())
    }
}

impl fmt::Debug for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Layout of a tensor's elements; only strided tensors exist.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(transparent)]
pub struct Layout(pub(crate) i32);

impl Layout {
    /// Sizes and strides.
    pub const STRIDED: Layout = Layout(sys::TENON_LAYOUT_STRIDED as i32);

    /// Returns the number in the C interface.
    pub const fn code(self) -> i32 {
        self.0
    }
}

/// Order of a tensor's dims in memory.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(transparent)]
pub struct MemoryFormat(pub(crate) i32);

impl MemoryFormat {
    /// Row-major.
    pub const CONTIGUOUS: MemoryFormat = MemoryFormat(sys::TENON_MEMORY_FORMAT_CONTIGUOUS as i32);
    /// The format of the input.
    pub const PRESERVE: MemoryFormat = MemoryFormat(sys::TENON_MEMORY_FORMAT_PRESERVE as i32);
    /// Channels innermost, for four dims.
    pub const CHANNELS_LAST: MemoryFormat =
        MemoryFormat(sys::TENON_MEMORY_FORMAT_CHANNELS_LAST as i32);
    /// Channels innermost, for five dims.
    pub const CHANNELS_LAST_3D: MemoryFormat =
        MemoryFormat(sys::TENON_MEMORY_FORMAT_CHANNELS_LAST_3D as i32);

    /// Returns the number in the C interface.
    pub const fn code(self) -> i32 {
        self.0
    }
}

/// A complex number with the layout of C.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
#[repr(C)]
pub struct Complex<T> {
    /// Real part.
    pub re: T,
    /// Imaginary part.
    pub im: T,
}

/// A half-precision float as its bits; stable Rust has no such type.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[repr(transparent)]
pub struct F16(pub u16);

/// A bfloat16 as its bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[repr(transparent)]
pub struct BF16(pub u16);

impl BF16 {
    /// Returns the nearest bfloat16, ties to even.
    pub fn from_f32(value: f32) -> BF16 {
        let bits = value.to_bits();
        if value.is_nan() {
            return BF16((bits >> 16) as u16 | 0x40);
        }
        BF16(((bits + 0x7fff + ((bits >> 16) & 1)) >> 16) as u16)
    }

    /// Returns the same number in single precision.
    pub fn to_f32(self) -> f32 {
        f32::from_bits(u32::from(self.0) << 16)
    }
}

/// An 8-bit float with 5 exponent bits, as its bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[repr(transparent)]
pub struct F8E5M2(pub u8);

/// An 8-bit float with 4 exponent bits and no infinities, as its bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[repr(transparent)]
pub struct F8E4M3FN(pub u8);

/// A Rust type with the layout of a dtype's elements.
///
/// # Safety
/// `DTYPE` has the size and layout of `Self`, and `read` accepts every byte pattern that such an
/// element may have.
pub unsafe trait Element: Copy + Send + Sync + 'static {
    /// The dtype.
    const DTYPE: DType;

    /// Reads one element.
    ///
    /// # Safety
    /// `at` points to a live element of `DTYPE`, not necessarily aligned.
    unsafe fn read(at: *const Self) -> Self {
        // SAFETY: the caller's promise.
        unsafe { at.read_unaligned() }
    }
}

macro_rules! elements {
    ($($type:ty = $dtype:ident),* $(,)?) => {
        $(
            // SAFETY: same size and layout, and every byte pattern is a value.
            unsafe impl Element for $type {
                const DTYPE: DType = DType::$dtype;
            }
        )*
    };
}

elements! {
    u8 = U8, i8 = I8, i16 = I16, i32 = I32, i64 = I64, f32 = F32, f64 = F64,
    u16 = U16, u32 = U32, u64 = U64,
    Complex<F16> = C32, Complex<f32> = C64, Complex<f64> = C128, F16 = F16, BF16 = BF16,
    F8E5M2 = F8_E5M2, F8E4M3FN = F8_E4M3FN,
}

// SAFETY: one byte; `read` maps every byte that foreign code may have written to a bool.
unsafe impl Element for bool {
    const DTYPE: DType = DType::BOOL;

    unsafe fn read(at: *const bool) -> bool {
        // SAFETY: the caller's promise; a byte is read, not a bool.
        unsafe { at.cast::<u8>().read() != 0 }
    }
}
