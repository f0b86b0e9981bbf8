// SPDX-License-Identifier: Apache-2.0
//! Compares explain with a recorded profile of the call: the same keys and kernels in order.

use tenon::introspect;
use tenon::{
    DType, Device, DispatchKey, DispatchKeySet, Dispatches, Handled, KernelContext, KeyGuard,
    Library, Mode, Object, ObjectType, Op, Overridden, Overrides, Result, Tensor, Value, ValueRef,
};

use crate::support::floats;

/// The steps that the explanation describes and those of the call, as "KEY kernel".
struct Explained {
    text: String,
    told: Vec<String>,
    taken: Vec<String>,
}

impl Explained {
    /// Checks that the explanation describes the whole call; returns its keys.
    fn agreed(&self) -> Vec<&str> {
        assert_eq!(self.told, self.taken, "{}", self.text);
        assert!(!self.told.is_empty(), "{}", self.text);
        self.keys()
    }

    /// Checks that the explanation describes the beginning of the call; returns its keys.
    fn begun(&self) -> Vec<&str> {
        assert!(self.taken.starts_with(&self.told), "{}", self.text);
        assert!(!self.told.is_empty(), "{}", self.text);
        self.keys()
    }

    fn keys(&self) -> Vec<&str> {
        let keys = self.told.iter().map(|step| step.split_once(' '));
        keys.map(|step| step.unwrap().0).collect()
    }

    fn says(&self, part: &str) {
        assert!(self.text.contains(part), "{part}\n{}", self.text);
    }
}

/// Returns "KEY kernel" for a line that describes a step.
fn step(line: &str) -> Option<String> {
    let ways = ["  the highest key is ", "  below it, ", "  no key is left "];
    let (at, rest) = (ways.iter().enumerate())
        .find_map(|(at, way)| line.strip_prefix(way).map(|rest| (at, rest)))?;
    let (key, kernel) = rest.split_once(": ")?;
    let kernel = kernel.split(" (").next()?.split(" runs [").next()?;
    let key = if at == 2 { "Undefined" } else { key };
    kernel
        .split(" [")
        .next()
        .filter(|kernel| !kernel.contains(' '))
        .map(|kernel| format!("{key} {kernel}"))
}

fn explained(op: Op, args: &[Value]) -> Explained {
    let text = op.explain(args).unwrap();
    let (_, events) = introspect::profile(|| op.call::<Vec<Value>>(args)).unwrap();
    Explained {
        told: text.lines().filter_map(step).collect(),
        taken: events
            .iter()
            .map(|event| format!("{} {}", event.key, event.kernel))
            .collect(),
        text,
    }
}

/// Defines an operator with a CPU kernel and, above it, a kernel that redispatches.
fn two_layers(library: &Library) -> Op {
    let op = library.define("f(Tensor x, *, int n=1) -> Tensor").unwrap();
    let cpu = tenon::Kernel::typed(|x: &Tensor, _: i64| x.clone()).named("cpu");
    library.impl_kernel("f", DispatchKey::CPU, cpu).unwrap();
    let front = tenon::Kernel::typed(|context: &KernelContext, x: &Tensor, n: i64| {
        let below = context.keys_below(DispatchKey::AUTOGRAD);
        context.redispatch::<Tensor>(below, (x, n))
    });
    library
        .impl_kernel("f", DispatchKey::AUTOGRAD, front.named("front"))
        .unwrap();
    op
}

fn meta() -> Tensor {
    Tensor::empty(&[1], DType::F32, Device::META).unwrap()
}

#[test]
fn tensors_and_keyword_only_arguments() {
    let library = Library::define_namespace("explain_plain").unwrap();
    let op = two_layers(&library);
    let plain = explained(op, &[floats(&[1.0]).into()]);
    assert_eq!(plain.agreed(), ["AutogradCPU", "CPU"]);
    plain.says("nothing is below CPU: its kernel ends the call");
    explained(op, &[floats(&[1.0]).into(), Value::Int(3)]).agreed();
    let wrong = op.explain((&floats(&[1.0]), 1.5)).unwrap_err();
    assert!(
        wrong.message().contains("n must be int, got float"),
        "{wrong}"
    );
}

#[test]
fn guards_and_fallthroughs() {
    let library = Library::define_namespace("explain_guards").unwrap();
    let op = two_layers(&library);
    let args = [floats(&[1.0]).into()];
    {
        let autograd: DispatchKey = "AutogradCPU".parse().unwrap();
        let _guard = KeyGuard::exclude(DispatchKeySet::of(&[autograd]).unwrap()).unwrap();
        assert_eq!(explained(op, &args).agreed(), ["CPU"]);
    }
    library.impl_fallthrough("f", "AutogradCPU").unwrap();
    let skipping = explained(op, &args);
    assert_eq!(skipping.agreed(), ["CPU"]);
    skipping.says(" AutogradCPU, ADInplaceOrView, ");
    skipping.says(", which fall through\n");
}

#[test]
fn tensor_lists_and_operators_without() {
    let library = Library::define_namespace("explain_lists").unwrap();
    let list = library.define("l(Tensor[] x) -> int").unwrap();
    for key in ["CPU", "CompositeExplicitAutograd"] {
        let kernel =
            tenon::Kernel::boxed(|_: &KernelContext, _: &[ValueRef<'_>]| Ok(vec![Value::Int(1)]));
        library
            .impl_kernel("l", key, kernel.named("count"))
            .unwrap();
    }
    let tensors = |of: &[Tensor]| Value::TensorList(of.iter().cloned().map(Some).collect());
    let both = explained(list, &[tensors(&[floats(&[1.0]), meta()])]);
    assert_eq!(both.agreed(), ["Meta"]);
    both.says("x[1] has {AutocastMeta, ADInplaceOrView, Meta}");
    let none = explained(list, &[tensors(&[])]);
    assert_eq!(none.agreed(), ["Undefined"]);
    none.says("no key is left (no tensor brings one)");
    let make = library.define("make(Device? d=None) -> int").unwrap();
    for key in [DispatchKey::CPU, DispatchKey::META] {
        let kernel = tenon::Kernel::typed(|_: Option<Device>| 1);
        library
            .impl_kernel("make", key, kernel.named("make"))
            .unwrap();
    }
    assert_eq!(explained(make, &[]).agreed(), ["CPU"]);
    assert_eq!(
        explained(make, &[Value::Device(Device::META)]).agreed(),
        ["Meta"]
    );
}

#[test]
fn missing_kernels() {
    let library = Library::define_namespace("explain_missing").unwrap();
    let below = explained(two_layers(&library), &[meta().into()]);
    assert_eq!(below.agreed(), ["AutogradMeta"]);
    below.says("below it, Meta has no kernel: redispatching there fails");
    let none = library.define("none(Tensor x) -> Tensor").unwrap();
    let at = explained(none, &[floats(&[1.0]).into()]);
    assert!(at.told.is_empty() && at.taken.is_empty(), "{}", at.text);
    at.says("which has no kernel: the call fails");
}

/// A handler that calls again with a tensor in place of its object.
struct Stand(Tensor);

impl ObjectType for Stand {
    const NAME: &'static str = "explain_test.Stand";
}

impl Overrides for Stand {
    fn override_call(&self, call: &mut Overridden<'_>) -> Result<Handled> {
        call.call_with((&self.0, 1))?;
        Ok(Handled::Done)
    }
}

impl Dispatches for Stand {
    fn dispatch_call(&self, call: &mut Overridden<'_>) -> Result<Handled> {
        self.override_call(call)
    }
}

/// A mode that makes the same call again.
struct Watching;

impl ObjectType for Watching {
    const NAME: &'static str = "explain_test.Watching";
}

impl Overrides for Watching {
    fn override_call(&self, call: &mut Overridden<'_>) -> Result<Handled> {
        let values = call.values()?;
        call.call_with(&values)?;
        Ok(Handled::Done)
    }
}

impl Dispatches for Watching {
    fn dispatch_call(&self, call: &mut Overridden<'_>) -> Result<Handled> {
        self.override_call(call)
    }
}

#[test]
fn objects_carriers_and_wrapper_tensors() {
    let library = Library::define_namespace("explain_objects").unwrap();
    let op = two_layers(&library);
    let object = Object::overriding(Stand(floats(&[1.0]))).unwrap();
    let overridden = explained(op, &[Value::Object(object.clone())]);
    assert_eq!(overridden.begun(), ["Override"]);
    assert_eq!(overridden.taken.last().unwrap(), "CPU cpu", "it went on");
    overridden.says("x, an object of explain_test.Stand, has {Override}");
    overridden.says("to continue, a handler calls the operator again with other arguments");
    let carried = explained(op, &[Tensor::carrier(&object).unwrap().into()]);
    assert_eq!(carried.begun(), ["Override"]);
    carried.says("x, a carrier of an object of explain_test.Stand, has {Override}");
    {
        let key = DispatchKeySet::of(&[DispatchKey::OVERRIDE]).unwrap();
        let _guard = KeyGuard::exclude(key).unwrap();
        let shut = explained(op, &[Value::Object(object)]);
        assert!(
            shut.told.is_empty() && shut.taken.is_empty(),
            "{}",
            shut.text
        );
        shut.says("Override is excluded or falls through: the call fails");
    }
    let stand = Stand(floats(&[1.0]));
    let wrapper = Tensor::wrapper(stand, &[1], DType::F32, Device::CPU).unwrap();
    let wrapped = explained(op, &[wrapper.into()]);
    assert_eq!(wrapped.begun(), ["AutogradCPU", "Wrapper"]);
    assert_eq!(wrapped.taken.last().unwrap(), "CPU cpu", "it went on");
    wrapped.says("x, a wrapper tensor of explain_test.Stand, has {AutocastCPU, ");
}

#[test]
fn modes() {
    let library = Library::define_namespace("explain_modes").unwrap();
    let op = two_layers(&library);
    let args = [floats(&[1.0]).into()];
    let _above = Mode::overriding(Watching).unwrap();
    let watched = explained(op, &args);
    assert_eq!(watched.agreed(), ["Override", "AutogradCPU", "CPU"]);
    watched.says("until one accepts the call: the modes explain_test.Watching\n");
    let _below = Mode::dispatching(Watching).unwrap();
    let both = explained(op, &args);
    assert_eq!(both.agreed(), ["Override", "AutogradCPU", "Wrapper", "CPU"]);
}
