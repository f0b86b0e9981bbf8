// SPDX-License-Identifier: Apache-2.0
//! Objects that override operators, wrapper tensors, modes, carried thread states, the key space.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Arc;

use tenon::{
    DType, Device, DispatchKey, DispatchKeySet, Dispatches, Handled, Library, Mode, Object,
    ObjectType, Op, Overridden, Overrides, Place, Result, Status, Tensor, ThreadDefault,
    ThreadState, Value, WrapperOptions,
};

use crate::support::{fails, panics};

struct Tag(i64);

impl ObjectType for Tag {
    const NAME: &'static str = "overrides_test.Tag";
}

impl Overrides for Tag {
    fn override_call(&self, call: &mut Overridden<'_>) -> Result<Handled> {
        if self.0 < 0 {
            return Ok(Handled::Declined);
        }
        assert_eq!(call.object::<Tag>(0).or(call.object(1)).unwrap().0, self.0);
        call.set(0, self.0 * 10)?;
        Ok(Handled::Done)
    }
}

/// Counts calls on its tensors, then unwraps, calls and rewraps.
struct Counting {
    inner: Tensor,
    calls: Arc<AtomicUsize>,
}

impl ObjectType for Counting {
    const NAME: &'static str = "overrides_test.Counting";
}

impl Counting {
    fn wrap(inner: Tensor, calls: &Arc<AtomicUsize>) -> Result<Tensor> {
        let (shape, dtype, device) = (inner.shape(), inner.dtype(), inner.device());
        let calls = calls.clone();
        Tensor::wrapper(Counting { inner, calls }, &shape, dtype, device)
    }
}

impl Dispatches for Counting {
    fn dispatch_call(&self, call: &mut Overridden<'_>) -> Result<Handled> {
        self.calls.fetch_add(1, Ordering::SeqCst);
        let mut values = call.values()?;
        for value in &mut values {
            let inner = match value {
                Value::Tensor(tensor) => tensor.wrapped::<Counting>().map(|w| w.inner.clone()),
                _ => None,
            };
            if let Some(inner) = inner {
                *value = inner.into();
            }
        }
        let results: Vec<Value> = call.op().call(&values)?;
        for (index, result) in results.into_iter().enumerate() {
            match result {
                Value::Tensor(plain) => call.set(index, Counting::wrap(plain, &self.calls)?)?,
                other => call.set(index, other)?,
            }
        }
        Ok(Handled::Done)
    }
}

/// Counts calls and continues them.
struct Watching(Arc<AtomicUsize>);

impl ObjectType for Watching {
    const NAME: &'static str = "overrides_test.Watching";
}

impl Overrides for Watching {
    fn override_call(&self, call: &mut Overridden<'_>) -> Result<Handled> {
        self.0.fetch_add(1, Ordering::SeqCst);
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

fn twice(library: &Library) -> Op {
    let op = library.define("twice(Tensor a) -> Tensor").unwrap();
    library
        .impl_fn("twice", DispatchKey::CPU, |a: &Tensor| {
            let doubled = a.to_vec::<f32>()?.iter().map(|x| 2.0 * x).collect();
            Tensor::from_vec(doubled, &a.shape())
        })
        .unwrap();
    op
}

#[test]
fn an_object_in_the_place_of_any_argument_answers() {
    let library = Library::define_namespace("overrides_object").unwrap();
    let op = library.define("both(Tensor a, int n) -> int").unwrap();
    let plain = Tensor::from_slice(&[1f32], &[1]).unwrap();
    let tag = Object::overriding(Tag(4)).unwrap();
    assert_eq!(op.call::<i64>((&tag, 1)).unwrap(), 40);
    assert_eq!(op.call::<i64>((&plain, &tag)).unwrap(), 40);
    assert_eq!(tag.downcast_ref::<Tag>().unwrap().0, 4);
}

#[test]
fn a_result_in_the_place_of_a_tensor_is_opened() {
    let library = Library::define_namespace("overrides_result").unwrap();
    let op = twice(&library);
    let tag = Object::overriding(Tag(5)).unwrap();
    assert_eq!(op.call::<i64>((&tag,)).unwrap(), 50);
    let carrier: Tensor = op.call((&Tensor::carrier(&tag).unwrap(),)).unwrap();
    assert!(matches!(carrier.carried(), Ok(Some(Value::Int(50)))));
}

#[test]
fn all_declined_is_a_type_error_that_names_the_types() {
    let library = Library::define_namespace("overrides_declined").unwrap();
    let op = twice(&library);
    let tag = Object::overriding(Tag(-1)).unwrap();
    fails(
        op.call::<Tensor>((&tag,)),
        Status::TYPE,
        &["overrides_declined::twice", "[overrides_test.Tag]"],
    );
}

#[test]
fn an_overriding_object_is_refused_below_override() {
    let library = Library::define_namespace("overrides_refused").unwrap();
    let op = library
        .define("both(Tensor a, Tensor b) -> Tensor")
        .unwrap();
    library
        .impl_fn("both", DispatchKey::CPU, |a: &Tensor, _: &Tensor| a.clone())
        .unwrap();
    let plain = Tensor::from_slice(&[1f32], &[1]).unwrap();
    let tag = Object::overriding(Tag(1)).unwrap();
    fails(
        op.redispatch::<Tensor>(plain.keys(), (&plain, &tag)),
        Status::TYPE,
        &["overrides_refused::both", "must not override"],
    );
}

#[test]
fn a_wrapper_counts_unwraps_and_rewraps() {
    let library = Library::define_namespace("overrides_wrapper").unwrap();
    let op = twice(&library);
    let calls = Arc::new(AtomicUsize::new(0));
    let plain = Tensor::from_slice(&[1f32, 2.0], &[2]).unwrap();
    let wrapper = Counting::wrap(plain, &calls).unwrap();
    assert_eq!(*wrapper.shape(), [2]);
    let once: Tensor = op.call((&wrapper,)).unwrap();
    let again: Tensor = op.call((&once,)).unwrap();
    assert_eq!(calls.load(Ordering::SeqCst), 2);
    let inner = &again.wrapped::<Counting>().unwrap().inner;
    assert_eq!(inner.to_vec::<f32>().unwrap(), [4.0, 8.0]);
    fails(wrapper.to_vec::<f32>(), Status::STATE, &[]);
    drop((wrapper, once, again));
    assert_eq!(Arc::strong_count(&calls), 1);
}

#[test]
fn modes_see_every_call_while_they_live() {
    let library = Library::define_namespace("overrides_mode").unwrap();
    let op = twice(&library);
    let plain = Tensor::from_slice(&[1f32], &[1]).unwrap();
    let (before, below) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    {
        let _outer = Mode::dispatching(Watching(below.clone())).unwrap();
        let _inner = Mode::overriding(Watching(before.clone())).unwrap();
        op.call::<Tensor>((&plain,)).unwrap();
        op.call::<Tensor>((&plain,)).unwrap();
    }
    op.call::<Tensor>((&plain,)).unwrap();
    assert_eq!(before.load(Ordering::SeqCst), 2);
    assert_eq!(below.load(Ordering::SeqCst), 2);
}

#[test]
fn a_mode_dropped_out_of_order_panics_and_stays() {
    let library = Library::define_namespace("overrides_order").unwrap();
    let op = twice(&library);
    let plain = Tensor::from_slice(&[1f32], &[1]).unwrap();
    let (first, second) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let outer = Mode::overriding(Watching(first.clone())).unwrap();
    let inner = Mode::overriding(Watching(second.clone())).unwrap();
    let text = panics(|| drop(outer));
    assert!(text.contains("tenon_mode_pop"), "{text}");
    drop(inner);
    op.call::<Tensor>((&plain,)).unwrap();
    assert_eq!(first.load(Ordering::SeqCst), 1);
    assert_eq!(second.load(Ordering::SeqCst), 0);
}

#[test]
fn thread_states_carry_modes() {
    let library = Library::define_namespace("overrides_thread").unwrap();
    let op = twice(&library);
    let plain = Tensor::from_slice(&[1f32], &[1]).unwrap();
    let seen = Arc::new(AtomicUsize::new(0));
    let worker = {
        let _mode = Mode::overriding(Watching(seen.clone())).unwrap();
        let plain = plain.clone();
        ThreadState::spawn(move || op.call::<Tensor>((&plain,)).map(drop)).unwrap()
    };
    worker.join().unwrap().unwrap().unwrap();
    assert_eq!(seen.load(Ordering::SeqCst), 1);
    std::thread::spawn(move || op.call::<Tensor>((&plain,)).map(drop))
        .join()
        .unwrap()
        .unwrap();
    assert_eq!(seen.load(Ordering::SeqCst), 1);
}

#[test]
fn backends_and_functionalities_are_registered_by_name() {
    let key = DispatchKey::register_backend("rustnpu").unwrap();
    assert_eq!(DispatchKey::register_backend("rustnpu").unwrap(), key);
    assert_eq!(key.name(), "rustnpu");
    assert_eq!(
        "Autogradrustnpu".parse::<DispatchKey>().unwrap().name(),
        "Autogradrustnpu"
    );
    let profiler = DispatchKey::register("RustProfiler", "Batched", Place::Below, false).unwrap();
    assert_eq!(profiler.name(), "RustProfiler");
    fails(
        DispatchKey::register("RustProfiler", "Batched", Place::Above, false),
        Status::ALREADY_EXISTS,
        &["RustProfiler"],
    );
    fails(
        DispatchKey::register("RustOther", "Nowhere", Place::Below, false),
        Status::NOT_FOUND,
        &["Nowhere"],
    );
}

#[test]
fn keys_have_defaults_on_threads_from_before_and_after() {
    let (tell, told) = std::sync::mpsc::channel::<()>();
    let (ready, is_ready) = std::sync::mpsc::channel::<()>();
    let before = std::thread::spawn(move || {
        let was = DispatchKeySet::included();
        ready.send(()).unwrap();
        told.recv().unwrap();
        (was, DispatchKeySet::included(), DispatchKeySet::excluded())
    });
    let declare = |name, default| {
        DispatchKey::register_with_default(name, "Fake", Place::Above, false, default)
    };
    is_ready.recv().unwrap();
    let on = declare("RustOn", ThreadDefault::Included).unwrap();
    tell.send(()).unwrap();
    let (was, is, _) = before.join().unwrap();
    assert!(!was.has(on) && is.has(on));
    let after = std::thread::spawn(DispatchKeySet::included).join().unwrap();
    assert!(after.has(on));
    // Without a kernel at the key, calls skip it.
    let x = Tensor::from_slice(&[1f32], &[1]).unwrap();
    assert!(Op::find("aten::neg").unwrap().call::<Tensor>((&x,)).is_ok());
    fails(
        declare("RustOn", ThreadDefault::Excluded),
        Status::ALREADY_EXISTS,
        &[
            "above Fake, included by default",
            "above Fake, excluded by default",
        ],
    );
    let off = DispatchKey::register_with_default(
        "RustOff",
        "Wrapper",
        Place::Above,
        false,
        ThreadDefault::Excluded,
    )
    .unwrap();
    assert!(std::thread::spawn(DispatchKeySet::excluded)
        .join()
        .unwrap()
        .has(off));
}

#[test]
fn bad_wrappers_are_errors_and_keep_nothing() {
    let calls = Arc::new(AtomicUsize::new(0));
    let inner = Tensor::from_slice(&[1f32], &[1]).unwrap();
    let wrapper = Tensor::wrapper(
        Counting {
            inner,
            calls: calls.clone(),
        },
        &[-1],
        DType::F32,
        Device::CPU,
    );
    fails(wrapper, Status::INVALID_ARGUMENT, &["tenon_wrapper_new"]);
    assert_eq!(Arc::strong_count(&calls), 1);
}

#[test]
fn a_wrapper_claims_strides_offset_and_keys() {
    let calls = Arc::new(AtomicUsize::new(0));
    let inner = Tensor::from_slice(&[1f32; 6], &[2, 3]).unwrap();
    let counting = Counting {
        inner: inner.clone(),
        calls: calls.clone(),
    };
    let tracer = DispatchKeySet::of(&[DispatchKey::TRACER]).unwrap();
    let options = WrapperOptions::new(&[2, 3], DType::F32)
        .strides(&[1, 2])
        .storage_offset(4)
        .keys(tracer)
        .alias_of(&inner);
    let wrapper = Tensor::wrapper_with(counting, &options).unwrap();
    assert_eq!(
        (&*wrapper.shape(), &*wrapper.strides()),
        (&[2, 3][..], &[1, 2][..])
    );
    assert!(!wrapper.is_contiguous() && wrapper.keys().has(DispatchKey::TRACER));
    assert_eq!(wrapper.version(), inner.version());
    let counting = Counting {
        inner: inner.clone(),
        calls,
    };
    let options = WrapperOptions::new(&[2, 3], DType::F32).strides(&[1]);
    let wrong = Tensor::wrapper_with(counting, &options);
    fails(
        wrong,
        Status::INVALID_ARGUMENT,
        &["strides must be 2 numbers"],
    );
}
