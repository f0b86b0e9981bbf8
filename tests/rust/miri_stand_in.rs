// SPDX-License-Identifier: Apache-2.0
//! The functions of libtenon that miri_test.rs needs, written in Rust: Miri sees what happens to
//! the memory behind each handle. Handles are counted, deleters run once, on the last release.

use std::cell::RefCell;
use std::ffi::{c_char, c_void, CStr, CString};
use std::ptr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use tenon::{sys, Error, Tensor};

type Status = sys::tenon_status;

/// A context and its deleter, which runs once.
struct Context {
    ctx: *mut c_void,
    deleter: sys::tenon_deleter,
}
unsafe impl Send for Context {}
unsafe impl Sync for Context {}
impl Drop for Context {
    fn drop(&mut self) {
        if let Some(deleter) = self.deleter {
            unsafe { deleter(self.ctx) }
        }
    }
}

// ---- Tensors: a shape that changes under a lock, memory that only grows -------------------------

struct Shape {
    sizes: Vec<i64>,
    strides: Vec<i64>,
    data: *mut u8,
    grown: Vec<Vec<f32>>,
}

struct Handle {
    count: AtomicUsize,
    dtype: i32,
    shape: Mutex<Shape>,
    hooks: Mutex<Vec<Arc<HookBody>>>,
    _owner: Context,
}

fn tensor<'a>(raw: *const sys::tenon_tensor) -> &'a Handle {
    unsafe { &*raw.cast::<Handle>() }
}

fn row_major(sizes: &[i64]) -> Vec<i64> {
    let mut strides = vec![1; sizes.len()];
    for dim in (1..sizes.len()).rev() {
        strides[dim - 1] = strides[dim] * sizes[dim].max(1);
    }
    strides
}

fn numel(sizes: &[i64]) -> i64 {
    sizes.iter().product()
}

/// Resizes a float tensor and its memory, as `out` arguments are resized.
pub fn resize(given: &Tensor, sizes: &[i64]) {
    let mut shape = tensor(given.as_raw()).shape.lock().unwrap();
    let old = numel(&shape.sizes) as usize;
    let new = numel(sizes) as usize;
    if new > old {
        let mut memory = vec![0f32; new];
        let from = unsafe { std::slice::from_raw_parts(shape.data.cast::<f32>(), old) };
        memory[..old].copy_from_slice(from);
        shape.data = memory.as_mut_ptr().cast();
        shape.grown.push(memory);
    }
    shape.sizes = sizes.to_vec();
    shape.strides = row_major(sizes);
}

/// Sets the sizes and strides of a tensor over the same memory.
pub fn restride(given: &Tensor, sizes: &[i64], strides: &[i64]) {
    let mut shape = tensor(given.as_raw()).shape.lock().unwrap();
    shape.sizes = sizes.to_vec();
    shape.strides = strides.to_vec();
}

#[no_mangle]
extern "C" fn tenon_tensor_wrap(
    data: *mut c_void,
    dtype: sys::tenon_dtype,
    _device: *const sys::tenon_device,
    ndim: i64,
    sizes: *const i64,
    _strides: *const i64,
    ctx: *mut c_void,
    deleter: sys::tenon_deleter,
    out: *mut *mut sys::tenon_tensor,
) -> Status {
    let sizes = unsafe { std::slice::from_raw_parts(sizes, ndim as usize) }.to_vec();
    let handle = Handle {
        count: AtomicUsize::new(1),
        dtype: dtype as i32,
        shape: Mutex::new(Shape {
            strides: row_major(&sizes),
            sizes,
            data: data.cast(),
            grown: Vec::new(),
        }),
        hooks: Mutex::new(Vec::new()),
        _owner: Context { ctx, deleter },
    };
    unsafe { *out = Box::into_raw(Box::new(handle)).cast() };
    0
}

#[no_mangle]
extern "C" fn tenon_tensor_retain(raw: *mut sys::tenon_tensor) -> *mut sys::tenon_tensor {
    tensor(raw).count.fetch_add(1, Ordering::Relaxed);
    raw
}

#[no_mangle]
extern "C" fn tenon_tensor_release(raw: *mut sys::tenon_tensor) {
    if tensor(raw).count.fetch_sub(1, Ordering::AcqRel) == 1 {
        drop(unsafe { Box::from_raw(raw.cast::<Handle>()) });
    }
}

#[no_mangle]
extern "C" fn tenon_tensor_copy_dims(
    raw: *const sys::tenon_tensor,
    out_sizes: *mut i64,
    out_strides: *mut i64,
) -> i64 {
    let shape = tensor(raw).shape.lock().unwrap();
    for (out, from) in [(out_sizes, &shape.sizes), (out_strides, &shape.strides)] {
        if !out.is_null() {
            unsafe { ptr::copy_nonoverlapping(from.as_ptr(), out, from.len()) };
        }
    }
    shape.sizes.len() as i64
}

#[no_mangle]
extern "C" fn tenon_tensor_describe(
    raw: *const sys::tenon_tensor,
    out: *mut sys::tenon_tensor_info,
) -> Status {
    let shape = tensor(raw).shape.lock().unwrap();
    let info = unsafe { &mut *out };
    info.data = shape.data.cast();
    info.numel = numel(&shape.sizes);
    info.ndim = shape.sizes.len() as _;
    info.dtype = tensor(raw).dtype as _;
    info.device.type_ = sys::TENON_DEVICE_CPU as _;
    info.device.index = -1;
    0
}

#[no_mangle]
extern "C" fn tenon_dtype_name(_dtype: sys::tenon_dtype) -> *const c_char {
    b"dtype\0".as_ptr().cast()
}

#[no_mangle]
extern "C" fn tenon_graph_is_recording() -> i32 {
    0
}

#[no_mangle]
extern "C" fn tenon_fake_mode_copy_current() -> *mut sys::tenon_fake_mode {
    ptr::null_mut()
}

#[no_mangle]
extern "C" fn tenon_fake_mode_release(_mode: *mut sys::tenon_fake_mode) {}

// ---- Hooks --------------------------------------------------------------------------------------

struct HookBody {
    function: sys::tenon_hook_fn,
    context: Context,
}

struct HookHandle {
    tensor: *mut sys::tenon_tensor,
    body: Arc<HookBody>,
}

/// Runs a tensor's hooks with the tensor as its own gradient; returns how many ran.
pub fn backward(given: &Tensor) -> Result<usize, Error> {
    let hooks = tensor(given.as_raw()).hooks.lock().unwrap().clone();
    let mut ran = 0;
    for hook in &hooks {
        let grads = [given.as_raw()];
        let mut replaced = [ptr::null_mut::<sys::tenon_tensor>()];
        let mut call: sys::tenon_hook_call = unsafe { std::mem::zeroed() };
        call.ctx = hook.context.ctx;
        call.tensor = given.as_raw();
        call.grads = grads.as_ptr();
        call.out_grads = replaced.as_mut_ptr();
        call.ngrads = 1;
        let status = unsafe { hook.function.unwrap()(&mut call) };
        if !replaced[0].is_null() {
            drop(unsafe { Tensor::from_raw(replaced[0]) });
        }
        if status != 0 {
            return Err(unsafe { Error::from_raw(tenon_error_take()) });
        }
        ran += 1;
    }
    Ok(ran)
}

#[no_mangle]
extern "C" fn tenon_tensor_add_hook(
    raw: *mut sys::tenon_tensor,
    options: *const sys::tenon_hook_options,
    out: *mut *mut sys::tenon_hook,
) -> Status {
    let options = unsafe { &*options };
    let body = Arc::new(HookBody {
        function: options.fn_,
        context: Context {
            ctx: options.ctx,
            deleter: options.deleter,
        },
    });
    tensor(raw).hooks.lock().unwrap().push(body.clone());
    let handle = HookHandle { tensor: raw, body };
    unsafe { *out = Box::into_raw(Box::new(handle)).cast() };
    0
}

#[no_mangle]
extern "C" fn tenon_hook_remove(raw: *mut sys::tenon_hook) {
    let hook = unsafe { &*raw.cast::<HookHandle>() };
    let mut hooks = tensor(hook.tensor).hooks.lock().unwrap();
    hooks.retain(|other| !Arc::ptr_eq(other, &hook.body));
}

#[no_mangle]
extern "C" fn tenon_hook_release(raw: *mut sys::tenon_hook) {
    drop(unsafe { Box::from_raw(raw.cast::<HookHandle>()) });
}

// ---- Listeners ----------------------------------------------------------------------------------

struct Listener {
    function: sys::tenon_registry_listener,
    context: Context,
}

static LISTENERS: Mutex<Vec<Arc<Listener>>> = Mutex::new(Vec::new());

/// Notifies all listeners of an operator.
pub fn define() {
    let listeners = LISTENERS.lock().unwrap().clone();
    for listener in &listeners {
        let function = listener.function.unwrap();
        unsafe {
            function(
                listener.context.ctx,
                sys::TENON_EVENT_OP_DEFINED,
                ptr::null(),
            )
        };
    }
}

#[no_mangle]
extern "C" fn tenon_registry_add_listener(
    function: sys::tenon_registry_listener,
    ctx: *mut c_void,
    deleter: sys::tenon_deleter,
    out: *mut *mut sys::tenon_registration,
) -> Status {
    let context = Context { ctx, deleter };
    let listener = Arc::new(Listener { function, context });
    LISTENERS.lock().unwrap().push(listener.clone());
    unsafe { *out = Box::into_raw(Box::new(listener)).cast() };
    0
}

#[no_mangle]
extern "C" fn tenon_registration_remove(raw: *mut sys::tenon_registration) {
    let own = unsafe { &*raw.cast::<Arc<Listener>>() };
    LISTENERS
        .lock()
        .unwrap()
        .retain(|other| !Arc::ptr_eq(other, own));
}

#[no_mangle]
extern "C" fn tenon_registration_release(raw: *mut sys::tenon_registration) {
    drop(unsafe { Box::from_raw(raw.cast::<Arc<Listener>>()) });
}

#[no_mangle]
extern "C" fn tenon_op_name(_op: *const sys::tenon_op) -> *const c_char {
    b"stand_in::f\0".as_ptr().cast()
}

// ---- Objects ------------------------------------------------------------------------------------

struct Wrapped {
    count: AtomicUsize,
    record: *const sys::tenon_object_type,
    value: *mut c_void,
}

fn wrapped<'a>(raw: *const sys::tenon_object) -> &'a Wrapped {
    unsafe { &*raw.cast::<Wrapped>() }
}

#[no_mangle]
extern "C" fn tenon_object_new(
    record: *const sys::tenon_object_type,
    value: *mut c_void,
    out: *mut *mut sys::tenon_object,
) -> Status {
    let object = Wrapped {
        count: AtomicUsize::new(1),
        record,
        value,
    };
    unsafe { *out = Box::into_raw(Box::new(object)).cast() };
    0
}

#[no_mangle]
extern "C" fn tenon_object_retain(raw: *mut sys::tenon_object) -> *mut sys::tenon_object {
    wrapped(raw).count.fetch_add(1, Ordering::Relaxed);
    raw
}

#[no_mangle]
extern "C" fn tenon_object_release(raw: *mut sys::tenon_object) {
    if wrapped(raw).count.fetch_sub(1, Ordering::AcqRel) == 1 {
        let object = unsafe { Box::from_raw(raw.cast::<Wrapped>()) };
        unsafe { (*object.record).release.unwrap()(object.value) };
    }
}

#[no_mangle]
extern "C" fn tenon_object_self(raw: *const sys::tenon_object) -> *mut c_void {
    wrapped(raw).value
}

#[no_mangle]
extern "C" fn tenon_object_get_type(
    raw: *const sys::tenon_object,
) -> *const sys::tenon_object_type {
    wrapped(raw).record
}

// ---- Slots --------------------------------------------------------------------------------------

thread_local! {
    static WORD: RefCell<Box<*mut c_void>> = RefCell::new(Box::new(ptr::null_mut()));
}

#[no_mangle]
extern "C" fn tenon_thread_slot_register(
    _name: *const c_char,
    _slot: *const sys::tenon_thread_slot,
    out: *mut u32,
) -> Status {
    unsafe { *out = 0 };
    0
}

#[no_mangle]
extern "C" fn tenon_thread_slot_peek(_index: u32) -> *mut *mut c_void {
    WORD.with(|word| &mut **word.borrow_mut() as *mut *mut c_void)
}

// ---- Errors -------------------------------------------------------------------------------------

struct Failure {
    count: AtomicUsize,
    code: Status,
    kind: CString,
    message: CString,
    payload: Mutex<Option<Context>>,
}

thread_local! {
    static SLOT: RefCell<*mut sys::tenon_error> = const { RefCell::new(ptr::null_mut()) };
}

fn failure<'a>(raw: *const sys::tenon_error) -> &'a Failure {
    unsafe { &*raw.cast::<Failure>() }
}

#[no_mangle]
extern "C" fn tenon_error_new(
    code: Status,
    kind: *const c_char,
    message: *const c_char,
) -> *mut sys::tenon_error {
    let copy = |text: *const c_char| match text.is_null() {
        true => CString::default(),
        false => unsafe { CStr::from_ptr(text) }.to_owned(),
    };
    let error = Failure {
        count: AtomicUsize::new(1),
        code,
        kind: copy(kind),
        message: copy(message),
        payload: Mutex::new(None),
    };
    Box::into_raw(Box::new(error)).cast()
}

#[no_mangle]
extern "C" fn tenon_error_retain(raw: *mut sys::tenon_error) -> *mut sys::tenon_error {
    failure(raw).count.fetch_add(1, Ordering::Relaxed);
    raw
}

#[no_mangle]
extern "C" fn tenon_error_release(raw: *mut sys::tenon_error) {
    if !raw.is_null() && failure(raw).count.fetch_sub(1, Ordering::AcqRel) == 1 {
        drop(unsafe { Box::from_raw(raw.cast::<Failure>()) });
    }
}

#[no_mangle]
extern "C" fn tenon_error_set(raw: *mut sys::tenon_error) -> Status {
    tenon_error_release(SLOT.with(|slot| slot.replace(raw)));
    failure(raw).code
}

#[no_mangle]
extern "C" fn tenon_error_take() -> *mut sys::tenon_error {
    SLOT.with(|slot| slot.replace(ptr::null_mut()))
}

#[no_mangle]
extern "C" fn tenon_error_code(raw: *const sys::tenon_error) -> Status {
    failure(raw).code
}

#[no_mangle]
extern "C" fn tenon_error_kind(raw: *const sys::tenon_error) -> *const c_char {
    failure(raw).kind.as_ptr()
}

#[no_mangle]
extern "C" fn tenon_error_message(raw: *const sys::tenon_error) -> *const c_char {
    failure(raw).message.as_ptr()
}

#[no_mangle]
extern "C" fn tenon_error_add_frame(
    _error: *mut sys::tenon_error,
    _language: u32,
    _function: *const c_char,
    _file: *const c_char,
    _line: i32,
) {
}

#[no_mangle]
extern "C" fn tenon_error_set_payload(
    raw: *mut sys::tenon_error,
    _language: u32,
    ctx: *mut c_void,
    deleter: sys::tenon_deleter,
) {
    *failure(raw).payload.lock().unwrap() = Some(Context { ctx, deleter });
}

#[no_mangle]
extern "C" fn tenon_error_payload(raw: *const sys::tenon_error, _language: u32) -> *mut c_void {
    let payload = failure(raw).payload.lock().unwrap();
    payload
        .as_ref()
        .map_or(ptr::null_mut(), |payload| payload.ctx)
}
