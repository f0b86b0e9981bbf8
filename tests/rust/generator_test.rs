// SPDX-License-Identifier: Apache-2.0
//! Generators of random numbers: numbers, states, and generators as arguments of calls and kernels.

use std::sync::{Mutex, MutexGuard, PoisonError};

use tenon::introspect::live_handles;
use tenon::{
    DType, Device, DispatchKey, Generator, KernelContext, Library, Op, Status, Tensor, Value,
    ValueRef,
};

use crate::support::{fails, read};

/// The seed that the authors of mt19937 publish numbers for, and the first numbers.
const SEED: u64 = 5489;
const FIRST: [u32; 4] = [3499211612, 581869302, 3890346734, 3586334585];

/// Default generators and counts of handles belong to the process: one test at a time.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

fn made() -> Generator {
    Generator::new(Device::CPU, SEED).unwrap()
}

fn next(generator: &Generator) -> u32 {
    let mut out = [0];
    generator.random(&mut out).unwrap();
    out[0]
}

/// Converts 32 bits as `aten::uniform_` does: the low 24 bits as a fraction.
fn fraction(number: u32) -> f32 {
    (number & 0xff_ffff) as f32 / 16_777_216.0
}

/// Without kernels no tensor can be filled; a full build must have them.
fn kernels() -> bool {
    let found = Op::find("aten::uniform_").is_ok();
    assert!(found || std::env::var_os("TENON_BUILD_DIR").is_none());
    found
}

#[test]
fn draws_the_numbers_of_mt19937() {
    let _alone = alone();
    let generator = made();
    let mut numbers = [0; 4];
    generator.random(&mut numbers).unwrap();
    assert_eq!(numbers, FIRST);
    let mut more = vec![0; 9_996];
    generator.random(&mut more).unwrap();
    // the ten thousandth number, as the C++ standard states it
    assert_eq!(more.last(), Some(&4_123_659_995));
    generator.random(&mut []).unwrap();
    assert!(generator.device().is_cpu());
    assert_eq!(generator.initial_seed(), SEED);
    assert!(generator.native().is_null());
    assert_eq!(format!("{generator:?}"), "Generator(cpu, seed 5489)");
}

#[test]
fn a_seed_begins_its_sequence_anew() {
    let _alone = alone();
    let generator = Generator::new(Device::CPU, u64::MAX).unwrap();
    assert_eq!(generator.initial_seed(), u64::MAX);
    next(&generator);
    generator.seed(SEED).unwrap();
    assert_eq!(
        (generator.initial_seed(), next(&generator)),
        (SEED, FIRST[0])
    );
}

#[test]
fn normal_samples_come_in_pairs_and_the_second_waits() {
    let _alone = alone();
    let (whole, halves) = (made(), made());
    let mut pair = [0.0; 2];
    whole.normal(&mut pair).unwrap();
    for expected in pair {
        let mut one = [0.0];
        halves.normal(&mut one).unwrap();
        assert_eq!(one, [expected]);
    }
    // The Box-Muller transform of two uniform numbers with 53 bits.
    let uniform = |high: u32, low: u32| {
        let bits = (u64::from(high) << 32 | u64::from(low)) & ((1 << 53) - 1);
        bits as f64 / 2f64.powi(53)
    };
    let (u1, u2) = (uniform(FIRST[0], FIRST[1]), uniform(FIRST[2], FIRST[3]));
    let (radius, angle) = ((-2.0 * (-u2).ln_1p()).sqrt(), std::f64::consts::TAU * u1);
    assert!((pair[0] - radius * angle.cos()).abs() < 1e-14, "{pair:?}");
    assert!((pair[1] - radius * angle.sin()).abs() < 1e-14, "{pair:?}");
}

#[test]
fn a_state_brings_back_the_numbers_that_followed() {
    let _alone = alone();
    let generator = made();
    // the second sample of a pair is kept, and is part of the state
    generator.normal(&mut [0.0]).unwrap();
    let state = generator.state().unwrap();
    let mut expected = [0.0; 3];
    generator.normal(&mut expected).unwrap();
    let other = Generator::new(Device::CPU, 1).unwrap();
    other.set_state(&state).unwrap();
    let mut got = [0.0; 3];
    other.normal(&mut got).unwrap();
    assert_eq!((got, other.initial_seed()), (expected, SEED));
}

#[test]
fn bytes_that_are_no_state_change_nothing() {
    let _alone = alone();
    let generator = made();
    let state = generator.state().unwrap();
    for bad in [
        &b""[..],
        b"no state",
        &state[..state.len() - 1],
        &vec![0xff; state.len()],
    ] {
        fails(
            generator.set_state(bad),
            Status::INVALID_ARGUMENT,
            &["tenon_generator_set_state"],
        );
    }
    assert_eq!(next(&generator), FIRST[0]);
}

#[test]
fn a_device_without_generators_is_named() {
    let _alone = alone();
    for make in [
        |device| Generator::new(device, 1),
        |device| Generator::default_for(device),
    ] {
        let error = make(Device::META).unwrap_err();
        let expected = [Status::NOT_FOUND, Status::NOT_SUPPORTED];
        assert!(expected.contains(&error.status()), "{error:?}");
        assert!(error.message().contains("meta"), "{error}");
    }
}

#[test]
fn manual_seed_seeds_the_default_of_the_device() {
    let _alone = alone();
    let default = Generator::default_for(Device::CPU).unwrap();
    tenon::manual_seed(SEED).unwrap();
    assert_eq!((default.initial_seed(), next(&default)), (SEED, FIRST[0]));
    let again = Generator::default_for(Device::CPU).unwrap();
    assert_eq!(again.as_raw(), default.as_raw());
}

#[test]
fn fills_tensors_with_the_numbers_it_draws() {
    let _alone = alone();
    if !kernels() {
        return;
    }
    let generator = made();
    let tensor = Tensor::empty(&[3], DType::F32, Device::CPU).unwrap();
    tensor.uniform_(0.0, 1.0, Some(&generator)).unwrap();
    let expected: Vec<f32> = FIRST[..3].iter().map(|&bits| fraction(bits)).collect();
    assert_eq!(read(&tensor), expected);
    assert_eq!(next(&generator), FIRST[3]);

    generator.seed(SEED).unwrap();
    let drawn = Tensor::rand(&[3], Some(&generator), DType::F32, Device::CPU).unwrap();
    assert_eq!(read(&drawn), expected);

    tenon::manual_seed(SEED).unwrap();
    let drawn = Tensor::rand(&[3], None, DType::F32, Device::CPU).unwrap();
    assert_eq!(read(&drawn), expected);

    let (mut samples, twin) = ([0.0; 4], made());
    twin.normal(&mut samples).unwrap();
    generator.seed(SEED).unwrap();
    let drawn = Tensor::randn(&[4], Some(&generator), DType::F64, Device::CPU).unwrap();
    assert_eq!(drawn.to_vec::<f64>().unwrap(), samples);
    twin.seed(SEED).unwrap();
    drawn.normal_(10.0, 2.0, Some(&twin)).unwrap();
    let scaled: Vec<f64> = samples.iter().map(|x| x * 2.0 + 10.0).collect();
    assert_eq!(drawn.to_vec::<f64>().unwrap(), scaled);
}

#[test]
fn a_generator_of_another_device_is_refused_by_name() {
    let _alone = alone();
    if !kernels() {
        return;
    }
    let tensor = Tensor::empty(&[3], DType::I64, Device::CPU).unwrap();
    let op = Op::find("aten::uniform_").unwrap();
    let wrong = op.call::<Tensor>((&tensor, 0.0, 1.0, 3));
    fails(wrong, Status::TYPE, &["aten::uniform_", "generator", "int"]);
    let integral = tensor.uniform_(0.0, 1.0, Some(&made()));
    fails(integral, Status::NOT_SUPPORTED, &["uniform_", "int64"]);
    let theirs = Generator::new(counter::device(), 1).unwrap();
    let tensor = Tensor::empty(&[3], DType::F32, Device::CPU).unwrap();
    let foreign = tensor.uniform_(0.0, 1.0, Some(&theirs));
    fails(
        foreign,
        Status::INVALID_ARGUMENT,
        &["uniform_", "generator", "cpu", "counter"],
    );
}

#[test]
fn kernels_take_and_give_generators() {
    let _alone = alone();
    let library = Library::define_namespace("generator_kernels").unwrap();
    let draw = library.define("draw(Generator g) -> int").unwrap();
    library
        .impl_fn("draw", "default", |g: &Generator| i64::from(next(g)))
        .unwrap();
    let generator = made();
    assert_eq!(
        draw.call::<i64>((&generator,)).unwrap(),
        i64::from(FIRST[0])
    );
    let typed = draw.typed::<(&Generator,), i64>().unwrap();
    assert_eq!(typed.call(&generator).unwrap(), i64::from(FIRST[1]));
    assert_eq!(
        draw.call::<i64>(&[Value::from(&generator)]).unwrap(),
        i64::from(FIRST[2])
    );

    let pass = library.define("pass(Generator? g) -> Generator?").unwrap();
    library
        .impl_fn("pass", "default", |g: Option<&Generator>| g.cloned())
        .unwrap();
    let back: Option<Generator> = pass.call((&generator,)).unwrap();
    assert_eq!(back.unwrap().as_raw(), generator.as_raw());
    assert!(pass
        .call::<Option<Generator>>((None::<&Generator>,))
        .unwrap()
        .is_none());
    let typed = pass
        .typed::<(Option<&Generator>,), Option<Generator>>()
        .unwrap();
    let back = typed.call(Some(&generator)).unwrap();
    assert_eq!(back.unwrap().as_raw(), generator.as_raw());
    assert!(typed.call(None).unwrap().is_none());

    let value: Value = pass.call((&generator,)).unwrap();
    assert_eq!(value.type_name(), "Generator");
    assert!(matches!(&value, Value::Generator(g) if g.as_raw() == generator.as_raw()));

    let same = library.define("same(Generator g) -> Generator").unwrap();
    library
        .impl_boxed("same", "default", |_: &KernelContext, args| {
            match args.first() {
                Some(ValueRef::Generator(g)) => Ok(vec![Value::from(*g)]),
                other => panic!("a generator, got {other:?}"),
            }
        })
        .unwrap();
    let back: Generator = same.call((&generator,)).unwrap();
    assert_eq!(next(&back), FIRST[3]);

    fails(
        draw.call::<i64>((3,)),
        Status::TYPE,
        &["draw: g must be Generator, got int"],
    );
    let wrong = library.impl_fn("same", DispatchKey::CPU, |x: &Tensor| x.clone());
    fails(
        wrong,
        Status::INVALID_ARGUMENT,
        &["same", "'g'", "Generator"],
    );
}

#[test]
fn a_kernel_fills_with_the_numbers_that_uniform_draws() {
    let _alone = alone();
    if !kernels() {
        return;
    }
    let library = Library::define_namespace("generator_fill").unwrap();
    let schema = "fill(Tensor x, Generator? generator=None) -> Tensor";
    let fill = library.define(schema).unwrap();
    let kernel = |x: &Tensor, generator: Option<&Generator>| {
        let mut numbers = vec![0; x.numel()];
        match generator {
            Some(given) => given.random(&mut numbers)?,
            None => Generator::default_for(x.device())?.random(&mut numbers)?,
        }
        Tensor::from_vec(numbers.into_iter().map(fraction).collect(), &x.shape())
    };
    library.impl_fn("fill", DispatchKey::CPU, kernel).unwrap();
    let x = Tensor::empty(&[100], DType::F32, Device::CPU).unwrap();
    let ours: Tensor = fill
        .args()
        .arg(&x)
        .named("generator", &made())
        .call()
        .unwrap();
    x.uniform_(0.0, 1.0, Some(&made())).unwrap();
    assert_eq!(read(&ours), read(&x));
    tenon::manual_seed(SEED).unwrap();
    let ours: Tensor = fill.args().arg(&x).call().unwrap();
    assert_eq!(read(&ours), read(&x));
}

/// A device whose generators count up from their seed; seed 13 is refused.
mod counter {
    use std::ffi::c_void;
    use std::sync::atomic::{AtomicU64, Ordering};
    use std::sync::OnceLock;

    use tenon::{sys, Device};

    pub static LIVE: AtomicU64 = AtomicU64::new(0);

    pub fn device() -> Device {
        static ONCE: OnceLock<Device> = OnceLock::new();
        *ONCE.get_or_init(register)
    }

    fn register() -> Device {
        let device = Device::register_backend("counter").unwrap();
        // SAFETY: all zero is a provider of nothing.
        let mut provider: sys::tenon_device_provider = unsafe { std::mem::zeroed() };
        provider.struct_size = std::mem::size_of_val(&provider) as u32;
        provider.device_type = device.kind;
        provider.device_count = Some(count);
        provider.generator_new = Some(new);
        provider.generator_release = Some(release);
        provider.generator_seed = Some(seed);
        provider.generator_state = Some(state);
        provider.generator_set_state = Some(set_state);
        provider.generator_random = Some(random);
        // SAFETY: the struct is copied; its functions are of this program.
        let status = unsafe { sys::tenon_device_provider_register(&provider) };
        assert_eq!(status, 0);
        device
    }

    // The functions below receive pointers that are valid as device.h requires.
    fn number<'a>(generator: *mut c_void) -> &'a AtomicU64 {
        // SAFETY: the pointer was made by `new` and is not yet freed by `release`.
        unsafe { &*generator.cast() }
    }

    unsafe extern "C" fn count(_: *mut c_void, out: *mut i32) -> i32 {
        *out = 2;
        0
    }

    unsafe extern "C" fn new(_: *mut c_void, _: i32, seed: u64, out: *mut *mut c_void) -> i32 {
        if seed == 13 {
            return sys::TENON_ERROR_OUT_OF_MEMORY as i32;
        }
        LIVE.fetch_add(1, Ordering::SeqCst);
        *out = Box::into_raw(Box::new(AtomicU64::new(seed))).cast();
        0
    }

    unsafe extern "C" fn release(_: *mut c_void, _: i32, generator: *mut c_void) {
        LIVE.fetch_sub(1, Ordering::SeqCst);
        drop(Box::from_raw(generator.cast::<AtomicU64>()));
    }

    unsafe extern "C" fn seed(_: *mut c_void, generator: *mut c_void, seed: u64) -> i32 {
        number(generator).store(seed, Ordering::SeqCst);
        0
    }

    unsafe extern "C" fn state(
        _: *mut c_void,
        generator: *mut c_void,
        data: *mut c_void,
        capacity: i64,
        out: *mut i64,
    ) -> i32 {
        *out = 8;
        if !data.is_null() && capacity >= 8 {
            let bytes = number(generator).load(Ordering::SeqCst).to_ne_bytes();
            data.cast::<[u8; 8]>().write_unaligned(bytes);
        }
        0
    }

    unsafe extern "C" fn set_state(
        _: *mut c_void,
        generator: *mut c_void,
        data: *const c_void,
        size: i64,
    ) -> i32 {
        if size != 8 {
            return sys::TENON_ERROR_INVALID_ARGUMENT as i32;
        }
        let value = u64::from_ne_bytes(data.cast::<[u8; 8]>().read_unaligned());
        seed(std::ptr::null_mut(), generator, value)
    }

    unsafe extern "C" fn random(
        _: *mut c_void,
        generator: *mut c_void,
        out: *mut u32,
        count: i64,
    ) -> i32 {
        let first = number(generator).fetch_add(count as u64, Ordering::SeqCst);
        for index in 0..count as usize {
            out.add(index).write((first + index as u64) as u32);
        }
        0
    }
}

#[test]
fn a_devices_generators_are_its_providers() {
    let _alone = alone();
    let device = Device {
        index: 1,
        ..counter::device()
    };
    let generator = Generator::new(device, 7).unwrap();
    assert_eq!(generator.device(), device);
    assert_eq!(format!("{generator:?}"), "Generator(counter:1, seed 7)");
    assert!(!generator.native().is_null());
    let mut numbers = [0; 3];
    generator.random(&mut numbers).unwrap();
    assert_eq!(numbers, [7, 8, 9]);
    let state = generator.state().unwrap();
    generator.seed(70).unwrap();
    assert_eq!((generator.initial_seed(), next(&generator)), (70, 70));
    generator.set_state(&state).unwrap();
    assert_eq!((generator.initial_seed(), next(&generator)), (7, 10));
    let cpu = made();
    for (one, other) in [(&generator, &cpu), (&cpu, &generator)] {
        let foreign = one.set_state(&other.state().unwrap());
        fails(
            foreign,
            Status::INVALID_ARGUMENT,
            &["set_state", one.device().type_name()],
        );
    }
    generator.normal(&mut [0.0; 3]).unwrap();

    tenon::manual_seed(40).unwrap();
    let default = Generator::default_for(device).unwrap();
    assert_eq!(next(&default), 40);
    tenon::manual_seed(50).unwrap();
    assert_eq!(next(&default), 50);

    fails(
        Generator::new(device, 13),
        Status::OUT_OF_MEMORY,
        &["counter"],
    );
    let absent = Device { index: 2, ..device };
    fails(
        Generator::new(absent, 1),
        Status::INVALID_ARGUMENT,
        &["counter:2"],
    );
    let live = counter::LIVE.load(std::sync::atomic::Ordering::SeqCst);
    drop(generator);
    assert_eq!(
        counter::LIVE.load(std::sync::atomic::Ordering::SeqCst),
        live - 1
    );
}

#[test]
fn clones_share_one_sequence_and_threads_draw_whole_pieces_of_it() {
    const THREADS: usize = 4;
    const EACH: usize = 1000;
    let _alone = alone();
    let generator = made();
    let threads: Vec<_> = (0..THREADS)
        .map(|_| {
            let mine = generator.clone();
            std::thread::spawn(move || (0..EACH).map(|_| next(&mine)).collect::<Vec<_>>())
        })
        .collect();
    let mut drawn: Vec<u32> = threads
        .into_iter()
        .flat_map(|t| t.join().unwrap())
        .collect();
    let mut expected = vec![0; THREADS * EACH];
    made().random(&mut expected).unwrap();
    drawn.sort_unstable();
    expected.sort_unstable();
    assert_eq!(drawn, expected);
}

#[test]
fn no_reference_is_left_behind() {
    let _alone = alone();
    let library = Library::define_namespace("generator_leaks").unwrap();
    let pass = library.define("pass(Generator g) -> Generator").unwrap();
    library
        .impl_fn("pass", "default", |g: &Generator| g.clone())
        .unwrap();
    drop(Generator::default_for(Device::CPU).unwrap()); // created once and kept by the library
    let before = live_handles().count("generator");
    for _ in 0..10 {
        let generator = made();
        let values = vec![Value::from(&generator), Value::from(generator.clone())];
        let back: Generator = pass.call((&generator,)).unwrap();
        drop((
            values,
            back.clone(),
            back,
            Generator::default_for(Device::CPU),
        ));
        assert_eq!(live_handles().count("generator"), before + 1);
        // SAFETY: releases the reference that was just passed out.
        drop(unsafe { Generator::from_raw(generator.into_raw()) });
        assert!(Generator::new(Device::META, 1).is_err());
    }
    assert_eq!(live_handles().count("generator"), before);
}
