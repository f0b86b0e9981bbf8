// SPDX-License-Identifier: Apache-2.0
//! Hooks: closures that run during backward passes.

use std::any::type_name;
use std::ffi::c_void;
use std::fmt;
use std::panic::{catch_unwind, AssertUnwindSafe, Location};
use std::ptr::{self, NonNull};

use tenon_sys as sys;

use crate::autograd::node::Node;
use crate::error::{check, Error, Result};
use crate::kernel::{contain, delete, guarded, Cell};
use crate::status::Status;
use crate::value_ref::slice;
use crate::Tensor;

/// Gradients that replace others. An element that is `None` means no gradient.
pub type Replaced = Option<Vec<Option<Tensor>>>;

type Outcome = sys::tenon_status;

/// A hook on a tensor or a node, which keeps it alive. Dropping the handle does not remove the
/// hook.
///
/// ```
/// let x = tenon::Tensor::scalar(3.0f32)?;
/// x.set_requires_grad(true)?;
/// {
///     let _twice = x.register_hook(|grad| Ok(Some((grad * 2.0)?)))?.scoped();
///     (&x * &x)?.backward()?;
/// }
/// assert_eq!(x.grad().unwrap().to_vec::<f32>()?, [12.0]);
/// # Ok::<(), tenon::Error>(())
/// ```
pub struct Hook(NonNull<sys::tenon_hook>);

// SAFETY: hooks.h: every function on a hook may run on any thread.
unsafe impl Send for Hook {}
// SAFETY: as above.
unsafe impl Sync for Hook {}

impl Hook {
    /// Removes the hook, so that it is not called again. Removing it again does nothing.
    pub fn remove(&self) {
        // SAFETY: hooks.h: any thread, any number of times, also from inside the hook.
        unsafe { sys::tenon_hook_remove(self.0.as_ptr()) }
    }

    /// Ties the hook to a scope: dropping the guard removes it.
    pub fn scoped(self) -> ScopedHook {
        ScopedHook(self)
    }

    fn add<F: Send + Sync + 'static>(
        kind: u32,
        function: F,
        entry: sys::tenon_hook_fn,
        location: &'static Location<'static>,
        attach: impl FnOnce(&sys::tenon_hook_options, *mut *mut sys::tenon_hook) -> Outcome,
    ) -> Result<Hook> {
        let options = sys::tenon_hook_options {
            struct_size: std::mem::size_of::<sys::tenon_hook_options>() as u32,
            kind,
            fn_: entry,
            ctx: Cell::allocate(type_name::<F>(), location, function).cast(),
            deleter: Some(delete::<F>),
            language: sys::TENON_LANGUAGE_RUST,
            reserved0: 0,
            reserved: [0; 2],
        };
        let mut out = ptr::null_mut();
        check(attach(&options, &mut out))?;
        // SAFETY: a new reference, and not NULL.
        Ok(Hook(unsafe { NonNull::new_unchecked(out) }))
    }
}

impl Drop for Hook {
    fn drop(&mut self) {
        // SAFETY: this is our reference.
        unsafe { sys::tenon_hook_release(self.0.as_ptr()) }
    }
}

impl fmt::Debug for Hook {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Hook")
    }
}

/// A hook that is removed at the end of its scope.
#[derive(Debug)]
#[must_use = "dropping it removes the hook"]
pub struct ScopedHook(Hook);

impl Drop for ScopedHook {
    fn drop(&mut self) {
        self.0.remove();
    }
}

impl Tensor {
    /// Adds a hook that runs when the tensor's gradient is complete, before the node that made the
    /// tensor runs. It may return another gradient.
    ///
    /// # Errors
    /// [`Status::STATE`] for a tensor that does not require grad.
    #[track_caller]
    pub fn register_hook<F>(&self, hook: F) -> Result<Hook>
    where
        F: Fn(&Tensor) -> Result<Option<Tensor>> + Send + Sync + 'static,
    {
        self.add_hook(
            sys::TENON_HOOK_GRAD,
            hook,
            Some(on_grad::<F>),
            Location::caller(),
        )
    }

    /// Adds a hook that runs, with the leaf, after a leaf's gradient was accumulated.
    ///
    /// # Errors
    /// [`Status::STATE`] for a tensor that does not require grad or is no leaf.
    #[track_caller]
    pub fn register_post_accumulate_grad_hook<F>(&self, hook: F) -> Result<Hook>
    where
        F: Fn(&Tensor) -> Result<()> + Send + Sync + 'static,
    {
        let entry: sys::tenon_hook_fn = Some(on_accumulated::<F>);
        self.add_hook(sys::TENON_HOOK_ACCUMULATED, hook, entry, Location::caller())
    }

    fn add_hook<F: Send + Sync + 'static>(
        &self,
        kind: u32,
        hook: F,
        entry: sys::tenon_hook_fn,
        location: &'static Location<'static>,
    ) -> Result<Hook> {
        Hook::add(kind, hook, entry, location, |options, out| {
            // SAFETY: the tensor is live; the closure is taken over, also on failure.
            unsafe { sys::tenon_tensor_add_hook(self.as_raw(), options, out) }
        })
    }

    /// Makes passes accumulate gradients in a tensor that is no leaf, too: see [`Tensor::grad`].
    ///
    /// # Errors
    /// [`Status::STATE`] for a tensor that does not require grad.
    pub fn retain_grad(&self) -> Result<()> {
        // SAFETY: the tensor is live.
        check(unsafe { sys::tenon_tensor_retain_grad(self.as_raw()) })
    }

    /// Returns true if [`Tensor::retain_grad`] is in effect.
    pub fn retains_grad(&self) -> bool {
        // SAFETY: the tensor is live.
        unsafe { sys::tenon_tensor_retains_grad(self.as_raw()) != 0 }
    }
}

impl Node {
    /// Adds a hook that runs before the node, with the gradients of its outputs. It may return
    /// other gradients.
    ///
    /// # Errors
    /// [`Status::OUT_OF_MEMORY`].
    #[track_caller]
    pub fn register_prehook<F>(&self, hook: F) -> Result<Hook>
    where
        F: Fn(&[Option<Tensor>]) -> Result<Replaced> + Send + Sync + 'static,
    {
        self.add_hook(
            sys::TENON_HOOK_BEFORE,
            hook,
            Some(before::<F>),
            Location::caller(),
        )
    }

    /// Adds a hook that runs after the node, with the gradients of its inputs and of its outputs.
    /// It may return other gradients for the inputs.
    ///
    /// # Errors
    /// [`Status::OUT_OF_MEMORY`].
    #[track_caller]
    pub fn register_hook<F>(&self, hook: F) -> Result<Hook>
    where
        F: Fn(&[Option<Tensor>], &[Option<Tensor>]) -> Result<Replaced> + Send + Sync + 'static,
    {
        self.add_hook(
            sys::TENON_HOOK_AFTER,
            hook,
            Some(after::<F>),
            Location::caller(),
        )
    }

    fn add_hook<F: Send + Sync + 'static>(
        &self,
        kind: u32,
        hook: F,
        entry: sys::tenon_hook_fn,
        location: &'static Location<'static>,
    ) -> Result<Hook> {
        Hook::add(kind, hook, entry, location, |options, out| {
            // SAFETY: the node is live; the closure is taken over, also on failure.
            unsafe { sys::tenon_node_add_hook(self.as_raw(), options, out) }
        })
    }

    /// Returns the tensor whose gradients a leaf accumulates. Returns `None` for other nodes, and
    /// if the tensor has died.
    pub fn variable(&self) -> Option<Tensor> {
        // SAFETY: the node is live; NULL or a new reference.
        unsafe {
            let variable = sys::tenon_node_copy_variable(self.as_raw());
            (!variable.is_null()).then(|| Tensor::from_raw(variable))
        }
    }
}

/// Runs a closure once the backward pass that runs on the calling thread has run all its nodes. If
/// the pass fails before that, the closure does not run. Hooks and formulas call this function.
///
/// # Errors
/// [`Status::STATE`] if no pass runs.
pub fn when_done<F>(function: F) -> Result<()>
where
    F: FnOnce() -> Result<()> + Send + 'static,
{
    let ctx = Box::into_raw(Box::new(Some(function)));
    // SAFETY: hooks.h: the box is taken over, also on failure; `drop_done` frees it once.
    check(unsafe {
        sys::tenon_backward_when_done(Some(done::<F>), ctx.cast(), Some(drop_done::<F>))
    })
}

unsafe extern "C" fn done<F: FnOnce() -> Result<()>>(ctx: *mut c_void) -> sys::tenon_status {
    let run = || {
        // SAFETY: hooks.h: the box lives until its deleter runs, and nothing else uses it.
        match unsafe { &mut *ctx.cast::<Option<F>>() }.take() {
            Some(function) => function(),
            None => Ok(()),
        }
    };
    let error = match catch_unwind(AssertUnwindSafe(run)) {
        Ok(Ok(())) => return 0,
        Ok(Err(error)) => error,
        Err(panic) => Error::from_panic(panic),
    };
    error.leave()
}

unsafe extern "C" fn drop_done<F>(ctx: *mut c_void) {
    contain(|| {
        // SAFETY: the deleter runs exactly once, on the box of `when_done`.
        drop(unsafe { Box::from_raw(ctx.cast::<Option<F>>()) })
    });
}

/// One run of a hook.
struct Run<'a>(&'a mut sys::tenon_hook_call);

impl Run<'_> {
    fn grads(&self) -> &[Option<Tensor>] {
        // SAFETY: hooks.h: `ngrads` handles, borrowed for the run, NULL for none.
        unsafe { slice(self.0.grads.cast(), self.0.ngrads as usize) }
    }

    fn outputs(&self) -> &[Option<Tensor>] {
        // SAFETY: hooks.h: `noutputs` handles, borrowed for the run, NULL for none.
        unsafe { slice(self.0.outputs.cast(), self.0.noutputs as usize) }
    }

    fn replace(&mut self, grads: Replaced) -> Result<()> {
        let Some(grads) = grads else {
            return Ok(());
        };
        if grads.len() != self.grads().len() {
            // SAFETY: the node lives for the run.
            let node = unsafe { Node::share(self.0.node) };
            let (name, want, got) = (node.name(), self.grads().len(), grads.len());
            return Err(Error::new(
                Status::INVALID_ARGUMENT,
                format!("{name}: hook must return {want} gradients or nothing, got {got}"),
            ));
        }
        for (index, grad) in grads.into_iter().enumerate() {
            let grad = grad.map_or(ptr::null_mut(), Tensor::into_raw);
            // SAFETY: hooks.h: room for `ngrads` owned handles, NULL so far.
            unsafe { self.0.out_grads.add(index).write(grad) };
        }
        self.0.replaces = 1;
        Ok(())
    }
}

/// Runs a hook's closure. Its error or panic is stored in the thread's slot.
unsafe fn run<F>(
    call: *mut sys::tenon_hook_call,
    body: impl FnOnce(&F, &mut Run<'_>) -> Result<()>,
) -> sys::tenon_status {
    // SAFETY: hooks.h: the call is the hook's own while it runs.
    let call = unsafe { &mut *call };
    guarded(
        call.ctx.cast::<Cell<F>>(),
        |function| body(function, &mut Run(call)),
        Error::leave,
    )
}

unsafe extern "C" fn on_grad<F>(call: *mut sys::tenon_hook_call) -> sys::tenon_status
where
    F: Fn(&Tensor) -> Result<Option<Tensor>> + Send + Sync + 'static,
{
    let body = |function: &F, run: &mut Run<'_>| {
        let replaced = match run.grads() {
            [Some(grad)] => function(grad)?,
            _ => None, // no gradient
        };
        run.replace(replaced.map(|grad| vec![Some(grad)]))
    };
    // SAFETY: the caller's promise.
    unsafe { run::<F>(call, body) }
}

unsafe extern "C" fn on_accumulated<F>(call: *mut sys::tenon_hook_call) -> sys::tenon_status
where
    F: Fn(&Tensor) -> Result<()> + Send + Sync + 'static,
{
    let body = |function: &F, run: &mut Run<'_>| {
        // SAFETY: hooks.h: the leaf's tensor, borrowed for the run.
        let leaf = unsafe { &*ptr::addr_of!(run.0.tensor).cast::<Tensor>() };
        function(leaf)
    };
    // SAFETY: the caller's promise.
    unsafe { run::<F>(call, body) }
}

unsafe extern "C" fn before<F>(call: *mut sys::tenon_hook_call) -> sys::tenon_status
where
    F: Fn(&[Option<Tensor>]) -> Result<Replaced> + Send + Sync + 'static,
{
    let body = |function: &F, run: &mut Run<'_>| {
        let replaced = function(run.grads())?;
        run.replace(replaced)
    };
    // SAFETY: the caller's promise.
    unsafe { run::<F>(call, body) }
}

unsafe extern "C" fn after<F>(call: *mut sys::tenon_hook_call) -> sys::tenon_status
where
    F: Fn(&[Option<Tensor>], &[Option<Tensor>]) -> Result<Replaced> + Send + Sync + 'static,
{
    let body = |function: &F, run: &mut Run<'_>| {
        let replaced = function(run.grads(), run.outputs())?;
        run.replace(replaced)
    };
    // SAFETY: the caller's promise.
    unsafe { run::<F>(call, body) }
}
