// SPDX-License-Identifier: Apache-2.0
//! Gradient formulas of operators: texts and closures.

use std::ffi::{c_void, CString};
use std::fmt;
use std::panic::Location;
use std::ptr;

use tenon_sys as sys;

use crate::autograd::function::FunctionContext;
use crate::autograd::jvp::JvpCall;
use crate::autograd::node::Node;
use crate::error::{check, Error, Result};
use crate::kernel::{delete, guarded, Cell, Policy};
use crate::library::Library;
use crate::registration::Registration;
use crate::status::Status;
use crate::text::{c_name, c_text};
use crate::value_ref::{slice, ValueRef, Values};
use crate::Tensor;

/// A gradient formula to register.
///
/// As a text, it has an expression for each argument, which uses names of arguments and results,
/// `grad`, numbers, `+ - * /` and operators. A `&str` can be passed instead of a text formula. As a
/// closure, it is called in backward passes, with the values that [`Formula::saves`] names.
///
/// ```
/// use tenon::{autograd::{BackwardCall, Formula}, DispatchKey, Library, Op, Tensor};
/// let library = Library::define_namespace("formula_doc")?;
/// library.define("product(Tensor a, Tensor b) -> Tensor")?;
/// library.impl_fn("product", DispatchKey::CPU, |a: &Tensor, b: &Tensor| a * b)?;
/// library.register_autograd(
///     "product",
///     Formula::new(|call: &BackwardCall| {
///         let (a, b) = (call.saved_tensor(0)?, call.saved_tensor(1)?);
///         let grad = call.grad(0)?;
///         Ok(vec![Some((grad * b)?), Some((grad * a)?)])
///     })
///     .saves(&["a", "b"]),
/// )?;
/// let x = Tensor::scalar(3.0f32)?;
/// x.set_requires_grad(true)?;
/// Op::find("formula_doc::product")?.call::<Tensor>((&x, &x))?.backward()?;
/// assert_eq!(x.grad().unwrap().to_vec::<f32>()?, [6.0]);
/// # Ok::<(), tenon::Error>(())
/// ```
///
/// With [`Formula::setup`] instead of names, a closure decides for each call what to save. With
/// [`Formula::jvp`], another closure computes tangents in forward mode.
#[must_use = "a formula does nothing before it is registered"]
pub struct Formula {
    gradient: Option<String>,
    closures: Option<Closures>,
    setup: Option<Box<Setup>>,
    jvp: Option<Box<Jvp>>,
    saves: Option<String>,
    name: Option<String>,
    policy: Policy,
}

type Backward = dyn Fn(&BackwardCall<'_>) -> Result<Vec<Option<Tensor>>> + Send + Sync;
type Setup =
    dyn Fn(&FunctionContext<'_>, &[ValueRef<'_>], &[ValueRef<'_>]) -> Result<()> + Send + Sync;
type Jvp = dyn Fn(&JvpCall<'_>) -> Result<Vec<Option<Tensor>>> + Send + Sync;

/// The closures in a registered formula's context.
struct Closures {
    backward: Box<Backward>,
    setup: Option<Box<Setup>>,
    jvp: Option<Box<Jvp>>,
    operator: String,
    name: String,
    location: &'static Location<'static>,
}

impl Formula {
    /// Makes a formula from text, such as `"self: grad * other; other: grad * self"`.
    pub fn text(gradient: &str) -> Formula {
        let mut formula = Formula::empty();
        formula.gradient = Some(gradient.to_owned());
        formula
    }

    /// Makes a formula from a closure. It returns a gradient, or `None`, for each of
    /// [`BackwardCall::input_count`] inputs.
    #[track_caller]
    pub fn new<F>(backward: F) -> Formula
    where
        F: Fn(&BackwardCall<'_>) -> Result<Vec<Option<Tensor>>> + Send + Sync + 'static,
    {
        let name = std::any::type_name::<F>();
        let mut formula = Formula::empty();
        formula.closures = Some(Closures {
            backward: Box::new(backward),
            setup: None,
            jvp: None,
            operator: String::new(), // set on registration
            name: name.to_owned(),
            location: Location::caller(),
        });
        formula.name = Some(name.to_owned());
        formula
    }

    fn empty() -> Formula {
        Formula {
            gradient: None,
            closures: None,
            setup: None,
            jvp: None,
            saves: None,
            name: None,
            policy: Policy::default(),
        }
    }

    /// Sets what the closure needs: names of arguments and results (`result`, or `result0` and so
    /// on).
    pub fn saves(mut self, names: &[&str]) -> Formula {
        self.saves = Some(names.join(" "));
        self
    }

    /// Sets a closure that runs after the kernel of each recorded call, with its arguments and
    /// results, and saves what the backward pass needs in the context. It runs in no_grad mode.
    ///
    /// ```
    /// use tenon::autograd::{BackwardCall, Formula, FunctionContext};
    /// use tenon::{DispatchKey, Error, Library, Op, Status, Tensor, ValueRef};
    /// let library = Library::define_namespace("setup_doc")?;
    /// library.define("power(Tensor x, int n) -> Tensor")?;
    /// library.impl_fn("power", DispatchKey::CPU, |x: &Tensor, n: i64| {
    ///     (1..n).try_fold(x.clone(), |power, _| &power * x)
    /// })?;
    /// let formula = Formula::new(|call: &BackwardCall| {
    ///     let x = call.saved_tensor(0)?;
    ///     let slope = if call.state() == Some(&2i64) { (x * 2.0)? } else { x.clone() };
    ///     Ok(vec![Some((call.grad(0)? * &slope)?)])
    /// })
    /// .setup(|ctx: &FunctionContext, args: &[ValueRef], _results: &[ValueRef]| match args {
    ///     [ValueRef::Tensor(x), ValueRef::Int(2)] => {
    ///         ctx.set_state(2i64);
    ///         ctx.save_for_backward((*x,))
    ///     }
    ///     _ => Err(Error::new(Status::NOT_SUPPORTED, "power: n must be 2 for gradients")),
    /// });
    /// library.register_autograd("power", formula)?;
    /// let x = Tensor::scalar(3.0f32)?;
    /// x.set_requires_grad(true)?;
    /// let power = Op::find("setup_doc::power")?;
    /// power.call::<Tensor>((&x, 2))?.backward()?;
    /// assert_eq!(x.grad().unwrap().to_vec::<f32>()?, [6.0]);
    /// assert!(power.call::<Tensor>((&x, 3)).is_err());
    /// # Ok::<(), tenon::Error>(())
    /// ```
    pub fn setup<F>(mut self, setup: F) -> Formula
    where
        F: Fn(&FunctionContext<'_>, &[ValueRef<'_>], &[ValueRef<'_>]) -> Result<()>
            + Send
            + Sync
            + 'static,
    {
        self.setup = Some(Box::new(setup));
        self
    }

    /// Sets a closure for forward mode: from the inputs' tangents it computes one for each of
    /// [`JvpCall::output_count`] outputs, or `None`. It requires [`Formula::setup`], which saves
    /// what it needs.
    pub fn jvp<F>(mut self, jvp: F) -> Formula
    where
        F: Fn(&JvpCall<'_>) -> Result<Vec<Option<Tensor>>> + Send + Sync + 'static,
    {
        self.jvp = Some(Box::new(jvp));
        self
    }

    /// Sets the name that dumps show. The default is the closure's type.
    pub fn named(mut self, name: &str) -> Formula {
        self.name = Some(name.to_owned());
        self
    }

    /// Sets the policy for an operator that has a formula already.
    pub fn policy(mut self, policy: Policy) -> Formula {
        self.policy = policy;
        self
    }

    /// Moves the closures into `raw`, which then owns them.
    fn give_closures(&mut self, operator: &str, raw: &mut sys::tenon_formula) {
        let Some(mut closures) = self.closures.take() else {
            return;
        };
        closures.operator = operator.to_owned();
        closures.setup = self.setup.take();
        closures.jvp = self.jvp.take();
        raw.backward = Some(run);
        raw.setup = closures.setup.is_some().then_some(run_setup as _);
        raw.jvp = closures.jvp.is_some().then_some(run_jvp as _);
        let (name, location) = (closures.name.clone(), closures.location);
        raw.ctx = Cell::allocate(&name, location, closures).cast();
        raw.deleter = Some(delete::<Closures>);
    }

    fn register(
        mut self,
        library: &Library,
        name: &str,
        location: &Location<'_>,
    ) -> Result<Registration> {
        const FUNCTION: &str = "Library::register_autograd";
        let optional = |what: &str, text: &Option<String>| -> Result<Option<CString>> {
            text.as_ref()
                .map(|text| c_name(FUNCTION, what, text))
                .transpose()
        };
        if self.closures.is_none() && (self.setup.is_some() || self.jvp.is_some()) {
            return Err(Error::new(
                Status::INVALID_ARGUMENT,
                format!("{FUNCTION}: setup and jvp must go with a closure, got a text"),
            ));
        }
        if self.jvp.is_some() && self.setup.is_none() {
            return Err(Error::new(
                Status::INVALID_ARGUMENT,
                format!("{FUNCTION}: jvp must go with setup, which saves what it needs, got none"),
            ));
        }
        let operator = name;
        let name = c_name(FUNCTION, "name", operator)?;
        let gradient = optional("gradient", &self.gradient)?;
        let saves = optional("saves", &self.saves)?;
        let own_name = self.name.as_deref().map(c_text);
        let file = c_text(location.file());
        let pointer = |text: &Option<CString>| text.as_ref().map_or(ptr::null(), |t| t.as_ptr());
        // SAFETY: plain data; all-zero is a formula without text and function.
        let mut raw: sys::tenon_formula = unsafe { std::mem::zeroed() };
        raw.struct_size = std::mem::size_of::<sys::tenon_formula>() as u32;
        raw.language = sys::TENON_LANGUAGE_RUST;
        raw.policy = self.policy.number();
        raw.gradient = pointer(&gradient);
        raw.saves = pointer(&saves);
        raw.name = pointer(&own_name);
        raw.file = file.as_ptr();
        raw.line = location.line() as i32;
        self.give_closures(operator, &mut raw);
        let mut out = ptr::null_mut();
        // SAFETY: all texts live for the call; the closures are taken over, also on failure.
        check(unsafe {
            sys::tenon_library_register_autograd(library.as_raw(), name.as_ptr(), &raw, &mut out)
        })?;
        // SAFETY: a new reference.
        Ok(unsafe { Registration::from_raw(out) })
    }
}

impl From<&str> for Formula {
    fn from(gradient: &str) -> Formula {
        Formula::text(gradient)
    }
}

impl fmt::Debug for Formula {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = self.gradient.as_ref().or(self.name.as_ref());
        write!(f, "Formula({})", text.map_or("", String::as_str))
    }
}

impl Library {
    /// Registers the gradient formula of an operator: a [`Formula`], or its text. Calls of tracked
    /// tensors are recorded with it. Nodes keep it alive even if its registration is removed.
    ///
    /// ```
    /// use tenon::{DispatchKey, Library, Op, Tensor};
    /// let library = Library::define_namespace("register_autograd_doc")?;
    /// library.define("square(Tensor x) -> Tensor")?;
    /// library.impl_fn("square", DispatchKey::CPU, |x: &Tensor| x * x)?;
    /// library.register_autograd("square", "x: 2 * grad * x")?;
    /// let x = Tensor::scalar(3.0f32)?;
    /// x.set_requires_grad(true)?;
    /// Op::find("register_autograd_doc::square")?.call::<Tensor>((&x,))?.backward()?;
    /// assert_eq!(x.grad().unwrap().to_vec::<f32>()?, [6.0]);
    /// # Ok::<(), tenon::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Status::PARSE`] for a malformed text; [`Status::INVALID_ARGUMENT`] for a bad name and for
    /// a text formula that names what it saves; [`Status::ALREADY_EXISTS`] under [`Policy::Error`];
    /// [`Status::STATE`] for a closed library.
    #[track_caller]
    pub fn register_autograd(
        &self,
        name: &str,
        formula: impl Into<Formula>,
    ) -> Result<Registration> {
        formula.into().register(self, name, Location::caller())
    }

    /// Sets how backward treats calls of an operator without gradient formula, until one is
    /// registered. The name "_", in a library that implements "_", applies to all operators that
    /// have neither a formula nor a policy.
    ///
    /// # Errors
    /// [`Status::INVALID_ARGUMENT`] for a bad name; [`Status::ALREADY_EXISTS`] for "_" if Autograd
    /// has a fallback; [`Status::STATE`] for a closed library.
    pub fn set_gradient_policy(&self, name: &str, policy: GradientPolicy) -> Result<Registration> {
        let name = c_name("Library::set_gradient_policy", "name", name)?;
        let mut out = ptr::null_mut();
        // SAFETY: the name lives for the call.
        check(unsafe {
            sys::tenon_library_set_gradient_policy(
                self.as_raw(),
                name.as_ptr(),
                policy as u32,
                &mut out,
            )
        })?;
        // SAFETY: a new reference.
        Ok(unsafe { Registration::from_raw(out) })
    }
}

/// How backward treats an operator without gradient formula.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u32)]
pub enum GradientPolicy {
    /// A backward pass that reaches a call fails: the default.
    Error = sys::TENON_GRADIENT_ERROR,
    /// It warns and propagates no gradient.
    Warn = sys::TENON_GRADIENT_WARN,
    /// Calls are not recorded.
    Stop = sys::TENON_GRADIENT_STOP,
}

/// A node that is run backward, as seen by a formula's closure.
#[derive(Clone, Copy)]
pub struct BackwardCall<'a> {
    raw: &'a sys::tenon_backward_call,
}

impl<'a> BackwardCall<'a> {
    /// Returns the node.
    pub fn node(&self) -> Node {
        // SAFETY: the node lives while its formula runs.
        unsafe { Node::share(self.raw.node) }
    }

    /// Returns the gradients of the operator's tensor results, with elements of lists counted
    /// separately. Missing gradients are zeros, or `None` for a result that cannot have a gradient.
    pub fn grads(&self) -> &'a [Option<Tensor>] {
        // SAFETY: autograd.h: `noutputs` handles, borrowed for the call, NULL for none.
        unsafe { slice(self.raw.grads.cast(), self.raw.noutputs as usize) }
    }

    /// Returns the gradient of one result.
    ///
    /// # Errors
    /// [`Status::INDEX`] for a result that does not exist, [`Status::STATE`] if it has no gradient.
    pub fn grad(&self, index: usize) -> Result<&'a Tensor> {
        let grads = self.grads();
        let grad = grads.get(index).ok_or_else(|| {
            self.wrong(Status::INDEX, || {
                format!("output must be below {}, got {index}", grads.len())
            })
        })?;
        grad.as_ref().ok_or_else(|| {
            self.wrong(Status::STATE, || {
                format!("gradient of output {index} must exist, got none")
            })
        })
    }

    /// Returns the values that [`Formula::saves`] named.
    pub fn saved(&self) -> Values<'a> {
        // SAFETY: autograd.h: `nsaved` values, borrowed for the call.
        Values(unsafe { slice(self.raw.saved, self.raw.nsaved as usize) })
    }

    /// A saved tensor.
    ///
    /// # Errors
    /// [`Status::INDEX`] for a value that was not saved, [`Status::TYPE`] for one that is no
    /// tensor.
    pub fn saved_tensor(&self, index: usize) -> Result<&'a Tensor> {
        match self.saved().get(index) {
            Some(ValueRef::Tensor(tensor)) => Ok(tensor),
            Some(other) => Err(self.wrong(Status::TYPE, || {
                format!(
                    "saved value {index} must be a Tensor, got {}",
                    other.actual()
                )
            })),
            None => Err(self.wrong(Status::INDEX, || {
                format!(
                    "saved value must be below {}, got {index}",
                    self.saved().len()
                )
            })),
        }
    }

    /// Returns the number of inputs of the operator: its tensor arguments in order, with elements
    /// of lists counted separately.
    pub fn input_count(&self) -> usize {
        self.raw.ninputs as usize
    }

    /// Returns true if the gradient of an input is needed.
    pub fn needs(&self, index: usize) -> bool {
        // SAFETY: autograd.h: `ninputs` bytes, borrowed for the call.
        let needs: &[u8] = unsafe { slice(self.raw.needs, self.input_count()) };
        needs.get(index).is_some_and(|&needs| needs != 0)
    }

    fn wrong(&self, status: Status, text: impl FnOnce() -> String) -> Error {
        Error::new(status, format!("{}: {}", self.node().name(), text()))
    }

    pub(crate) fn new(raw: &'a sys::tenon_backward_call) -> BackwardCall<'a> {
        BackwardCall { raw }
    }

    pub(crate) fn ctx(&self) -> *mut c_void {
        self.raw.ctx
    }

    pub(crate) fn context(&self) -> *mut sys::tenon_function_context {
        self.raw.context
    }

    /// Passes the gradients to C.
    pub(crate) fn finish(&self, grads: Vec<Option<Tensor>>) -> Result<()> {
        if grads.len() != self.input_count() {
            return Err(self.wrong(Status::INVALID_ARGUMENT, || {
                format!(
                    "gradients must be {}, one for each input, got {}",
                    self.input_count(),
                    grads.len()
                )
            }));
        }
        for (index, grad) in grads.into_iter().enumerate() {
            let grad = grad.map_or(ptr::null_mut(), Tensor::into_raw);
            // SAFETY: autograd.h: room for `ninputs` owned handles, NULL so far.
            unsafe { self.raw.out_grads.add(index).write(grad) };
        }
        Ok(())
    }
}

impl fmt::Debug for BackwardCall<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "BackwardCall({:?}, {:?})", self.node(), self.grads())
    }
}

unsafe extern "C" fn run(call: *const sys::tenon_backward_call) -> sys::tenon_status {
    // SAFETY: autograd.h: the call lives while its formula runs, and `ctx` while a node keeps it.
    let call = BackwardCall::new(unsafe { &*call });
    guarded(
        call.ctx().cast::<Cell<Closures>>(),
        |closures| call.finish((closures.backward)(&call)?),
        Error::leave,
    )
}

unsafe extern "C" fn run_setup(
    ctx: *mut c_void,
    context: *mut sys::tenon_function_context,
    call: *const sys::tenon_stack,
) -> sys::tenon_status {
    guarded(
        ctx.cast::<Cell<Closures>>(),
        |closures| {
            // SAFETY: autograd.h: context and stack are the call's own while its setup runs.
            let (context, args, results) = unsafe {
                let call = &*call;
                (
                    FunctionContext::new(context),
                    Values(slice(call.args, call.nargs as usize)),
                    Values(slice(call.rets, call.nrets as usize)),
                )
            };
            let args: Vec<ValueRef<'_>> = args.iter().collect();
            let results: Vec<ValueRef<'_>> = results.iter().collect();
            let setup = closures.setup.as_ref();
            setup.map_or(Ok(()), |setup| setup(&context, &args, &results))
        },
        Error::leave,
    )
}

unsafe extern "C" fn run_jvp(
    ctx: *mut c_void,
    context: *mut sys::tenon_function_context,
    tangents: *const sys::tenon_value,
    out_tangents: *mut sys::tenon_value,
) -> sys::tenon_status {
    guarded(
        ctx.cast::<Cell<Closures>>(),
        |closures| {
            // SAFETY: autograd.h: all are the call's own while its jvp runs; it has a context, as
            // the formula has a setup.
            closures.jvp.as_ref().map_or(Ok(()), |jvp| unsafe {
                let call = JvpCall::new(&closures.operator, context, tangents);
                call.finish(jvp(&call)?, out_tangents)
            })
        },
        Error::leave,
    )
}
