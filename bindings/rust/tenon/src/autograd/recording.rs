// SPDX-License-Identifier: Apache-2.0
//! Guards for the nodes that a thread records: saved-tensor hooks, creation hooks, anomaly mode.
//! Thread states carry them.

use std::any::type_name;
use std::ffi::{c_void, CString};
use std::marker::PhantomData;
use std::panic::Location;

use tenon_sys as sys;

use crate::autograd::node::Node;
use crate::error::{check, Error, Result};
use crate::guard::left;
use crate::kernel::{delete, guarded, Cell};
use crate::text::{c_name, text};
use crate::value::Value;
use crate::value_ref::ValueRef;
use crate::Tensor;

/// Saved-tensor hooks of this thread, which are active until they are dropped. Tensors that nodes
/// save are packed by the innermost hooks. Packed values keep the closures alive.
///
/// ```
/// use tenon::{autograd::SavedTensorsHooks, Tensor, Value, ValueRef};
/// let x = Tensor::scalar(3.0f32)?;
/// x.set_requires_grad(true)?;
/// let hooks = SavedTensorsHooks::enter(
///     |tensor: &Tensor| Ok(Value::FloatList(vec![tensor.to_vec::<f32>()?[0].into()])),
///     |packed| match packed {
///         ValueRef::FloatList(list) => Tensor::scalar(list[0] as f32),
///         _ => unreachable!("pack returns a list of floats"),
///     },
/// )?;
/// let y = (&x * &x)?;
/// drop(hooks);
/// y.backward()?;
/// assert_eq!(x.grad().unwrap().to_vec::<f32>()?, [6.0]);
/// # Ok::<(), tenon::Error>(())
/// ```
///
/// # Panics
/// Panics, and leaves the hooks active, if hooks that were entered later have not been dropped yet.
#[must_use = "the hooks end when they are dropped"]
#[derive(Debug)]
pub struct SavedTensorsHooks {
    ctx: *mut c_void,
}

struct PackHooks<P, U> {
    pack: P,
    unpack: U,
}

impl SavedTensorsHooks {
    /// Enters hooks. `pack` converts a tensor, which must not be written, to a value to save in its
    /// place. `unpack` converts the value back, each time a backward pass reaches the node. An
    /// error or panic of `pack` fails the recorded call, one of `unpack` fails the pass.
    ///
    /// # Errors
    /// [`Status::STATE`](crate::Status::STATE), with the reason as message, if hooks are disabled.
    #[track_caller]
    pub fn enter<P, U>(pack: P, unpack: U) -> Result<SavedTensorsHooks>
    where
        P: Fn(&Tensor) -> Result<Value> + Send + Sync + 'static,
        U: Fn(ValueRef<'_>) -> Result<Tensor> + Send + Sync + 'static,
    {
        let packing = PackHooks { pack, unpack };
        let cell = Cell::allocate(type_name::<P>(), Location::caller(), packing);
        let ctx: *mut c_void = cell.cast();
        let hooks = sys::tenon_saved_hooks {
            struct_size: std::mem::size_of::<sys::tenon_saved_hooks>() as u32,
            language: sys::TENON_LANGUAGE_RUST,
            pack: Some(pack_tensor::<P, U>),
            unpack: Some(unpack_value::<P, U>),
            ctx,
            deleter: Some(delete::<PackHooks<P, U>>),
            reserved: [0; 2],
        };
        // SAFETY: hooks.h: the closures are taken over, also on failure.
        check(unsafe { sys::tenon_saved_hooks_push(&hooks) })?;
        Ok(SavedTensorsHooks { ctx })
    }

    /// Disables saved-tensor hooks on this thread, with a message, until the guard is dropped.
    ///
    /// # Errors
    /// [`Status::STATE`](crate::Status::STATE), with the message, inside of hooks;
    /// [`Status::INVALID_ARGUMENT`](crate::Status::INVALID_ARGUMENT) for a message with a NUL.
    pub fn disable(message: &str) -> Result<DisabledSavedTensorsHooks> {
        let message = c_name("SavedTensorsHooks::disable", "message", message)?;
        // SAFETY: the text is borrowed until this thread changes it, and copied before that.
        let before = unsafe {
            let before = sys::tenon_saved_hooks_refusal();
            (!before.is_null()).then(|| text(before).into_owned())
        };
        let before = before.map(|text| crate::text::c_text(&text));
        // SAFETY: the message lives for the call, and is copied.
        check(unsafe { sys::tenon_saved_hooks_disable(message.as_ptr()) })?;
        Ok(DisabledSavedTensorsHooks {
            before,
            owner_thread: PhantomData,
        })
    }
}

impl Drop for SavedTensorsHooks {
    fn drop(&mut self) {
        // SAFETY: entered on this thread: a raw pointer is not Send.
        left(unsafe { sys::tenon_saved_hooks_pop(self.ctx) })
    }
}

/// A guard that disables saved-tensor hooks on this thread until it is dropped.
#[must_use = "hooks are allowed again when the guard is dropped"]
#[derive(Debug)]
pub struct DisabledSavedTensorsHooks {
    before: Option<CString>,
    owner_thread: PhantomData<*const ()>,
}

impl Drop for DisabledSavedTensorsHooks {
    fn drop(&mut self) {
        let before = self.before.as_ref();
        let before = before.map_or(std::ptr::null(), |text| text.as_ptr());
        // SAFETY: NULL, or a text that lives for the call.
        left(unsafe { sys::tenon_saved_hooks_disable(before) })
    }
}

unsafe extern "C" fn pack_tensor<P, U>(
    ctx: *mut c_void,
    tensor: *mut sys::tenon_tensor,
    out_packed: *mut sys::tenon_value,
) -> sys::tenon_status
where
    P: Fn(&Tensor) -> Result<Value> + Send + Sync + 'static,
    U: Send + Sync + 'static,
{
    guarded(
        ctx.cast::<Cell<PackHooks<P, U>>>(),
        |packing| {
            // SAFETY: hooks.h: the tensor is borrowed for the call; `Tensor` is its pointer.
            let tensor = unsafe { &*std::ptr::addr_of!(tensor).cast::<Tensor>() };
            let packed = (packing.pack)(tensor)?.into_owned_raw()?;
            // SAFETY: hooks.h: room for one owned value.
            unsafe { out_packed.write(packed.into_raw()) };
            Ok(())
        },
        Error::leave,
    )
}

unsafe extern "C" fn unpack_value<P, U>(
    ctx: *mut c_void,
    packed: *const sys::tenon_value,
    out_tensor: *mut *mut sys::tenon_tensor,
) -> sys::tenon_status
where
    P: Send + Sync + 'static,
    U: Fn(ValueRef<'_>) -> Result<Tensor> + Send + Sync + 'static,
{
    guarded(
        ctx.cast::<Cell<PackHooks<P, U>>>(),
        |packing| {
            // SAFETY: hooks.h: a value of `pack`, borrowed for the call.
            let tensor = (packing.unpack)(unsafe { ValueRef::from_raw(&*packed) })?;
            // SAFETY: hooks.h: room for one owned handle.
            unsafe { out_tensor.write(tensor.into_raw()) };
            Ok(())
        },
        Error::leave,
    )
}

/// A closure that is called with each node that this thread records, and with the node of each leaf
/// that joins the graph, until it is dropped.
///
/// ```
/// use std::sync::{Arc, Mutex};
/// use tenon::autograd::NodeCreationHook;
/// let x = tenon::Tensor::scalar(3.0f32)?;
/// x.set_requires_grad(true)?;
/// let names = Arc::new(Mutex::new(Vec::new()));
/// let seen = names.clone();
/// let hook = NodeCreationHook::enter(move |node| {
///     seen.lock().unwrap().push(node.name().into_owned());
///     Ok(())
/// })?;
/// (&x * &x)?;
/// drop(hook);
/// assert_eq!(*names.lock().unwrap(), ["AccumulateGrad", "MulBackward0"]);
/// # Ok::<(), tenon::Error>(())
/// ```
///
/// # Panics
/// Panics, and leaves the hook active, if a hook that was entered later has not been dropped yet.
#[must_use = "the hook ends when it is dropped"]
#[derive(Debug)]
pub struct NodeCreationHook {
    ctx: *mut c_void,
}

impl NodeCreationHook {
    /// Enters a hook. Its error or panic fails the recorded call.
    ///
    /// # Errors
    /// [`Status::OUT_OF_MEMORY`](crate::Status::OUT_OF_MEMORY).
    #[track_caller]
    pub fn enter<F>(hook: F) -> Result<NodeCreationHook>
    where
        F: Fn(&Node) -> Result<()> + Send + Sync + 'static,
    {
        let ctx: *mut c_void = Cell::allocate(type_name::<F>(), Location::caller(), hook).cast();
        // SAFETY: hooks.h: the closure is taken over, also on failure.
        check(unsafe {
            sys::tenon_creation_hook_push(Some(created::<F>), ctx, Some(delete::<F>))
        })?;
        Ok(NodeCreationHook { ctx })
    }
}

impl Drop for NodeCreationHook {
    fn drop(&mut self) {
        // SAFETY: entered on this thread: a raw pointer is not Send.
        left(unsafe { sys::tenon_creation_hook_pop(self.ctx) })
    }
}

unsafe extern "C" fn created<F>(ctx: *mut c_void, node: *mut sys::tenon_node) -> sys::tenon_status
where
    F: Fn(&Node) -> Result<()> + Send + Sync + 'static,
{
    guarded(
        ctx.cast::<Cell<F>>(),
        // SAFETY: hooks.h: the node lives for the call.
        |hook| hook(&unsafe { Node::share(node) }),
        Error::leave,
    )
}

/// Anomaly mode of this thread, which is active until it is dropped. Each node stores where it was
/// recorded, in all languages that report frames, and an error of a node has these places in its
/// notes. The mode is slow.
#[must_use = "the mode ends when the guard is dropped"]
#[derive(Debug)]
pub struct AnomalyMode {
    before: u32,
    owner_thread: PhantomData<*const ()>,
}

impl AnomalyMode {
    /// Enters the mode. With `check_nan`, a node that returns NaN fails.
    ///
    /// # Errors
    /// [`Status::OUT_OF_MEMORY`](crate::Status::OUT_OF_MEMORY).
    pub fn enter(check_nan: bool) -> Result<AnomalyMode> {
        let nan = if check_nan {
            sys::TENON_ANOMALY_CHECK_NAN
        } else {
            0
        };
        // SAFETY: no precondition.
        let before = unsafe { sys::tenon_anomaly_get() };
        // SAFETY: no precondition; known flags.
        check(unsafe { sys::tenon_anomaly_set(sys::TENON_ANOMALY_RECORD | nan) })?;
        Ok(AnomalyMode {
            before,
            owner_thread: PhantomData,
        })
    }
}

impl Drop for AnomalyMode {
    fn drop(&mut self) {
        // SAFETY: no precondition; flags that the thread had.
        left(unsafe { sys::tenon_anomaly_set(self.before) })
    }
}
