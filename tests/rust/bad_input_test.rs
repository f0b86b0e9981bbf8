// SPDX-License-Identifier: Apache-2.0
//! Bad input of every kind: a clear error, no changed state and no leak, in every repetition.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::panic;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tenon::introspect::{self, live_handles};
use tenon::{
    args, DType, DefineOptions, Device, DispatchKey, Error, KernelContext, KeyGuard, Library, Op,
    Place, Plugin, Result, Schema, Status, Tensor, Value, ValueRef,
};

mod support;
use support::{example_library, fails, floats};

/// Live handles and operators are counted per process: one case at a time.
static ALONE: Mutex<()> = Mutex::new(());

fn alone() -> MutexGuard<'static, ()> {
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

const ROUNDS: usize = 2000;

/// Runs a failing action repeatedly: no round may leave a handle, an operator or memory behind.
fn leaves_nothing(action: impl Fn()) {
    // The first use of the registry creates its built-in fallbacks, which stay registered.
    let operators = introspect::operators().unwrap();
    // Warm up the allocator.
    for _ in 0..ROUNDS {
        action();
    }
    tenon::reap();
    let handles = live_handles();
    let resident = resident_pages();
    for _ in 0..ROUNDS {
        action();
    }
    tenon::reap();
    assert_eq!(live_handles(), handles);
    assert_eq!(introspect::operators().unwrap(), operators);
    introspect::check_invariants().unwrap();
    // AddressSanitizer delays reuse of freed memory, and finds leaks itself.
    if std::env::var_os("ASAN_OPTIONS").is_none() {
        // More than one allocation per round would exceed this.
        let grown = resident_pages().saturating_sub(resident);
        assert!(grown < 16, "{grown} pages more after {ROUNDS} rounds");
    }
}

/// Returns the process's private pages. Pages of files are left out, because the kernel maps many
/// at once when code first runs. Returns 0 if the system does not report them.
fn resident_pages() -> u64 {
    let text = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages: Vec<u64> = text
        .split(' ')
        .filter_map(|each| each.parse().ok())
        .collect();
    match pages[..] {
        [_, resident, files, ..] => resident - files,
        _ => 0,
    }
}

/// `f(Tensor x, float weight, int[] dims=[]) -> Tensor` with a CPU kernel.
fn operator(namespace: &str) -> (Library, Op) {
    let library = Library::define_namespace(namespace).unwrap();
    let op = library
        .define("f(Tensor x, float weight, int[] dims=[]) -> Tensor")
        .unwrap();
    library
        .impl_fn("f", DispatchKey::CPU, |x: &Tensor, _: f64, dims: &[i64]| {
            if dims.len() > x.ndim() {
                return Err(Error::new(
                    Status::INVALID_ARGUMENT,
                    format!("f: dims must be at most {}, got {}", x.ndim(), dims.len()),
                ));
            }
            Ok(x.clone())
        })
        .unwrap();
    (library, op)
}

#[test]
fn wrong_number_of_arguments() {
    let _alone = alone();
    let (_library, op) = operator("bad_count");
    let x = floats(&[1.0]);
    leaves_nothing(|| {
        fails(
            op.call::<Tensor>((&x,)),
            Status::TYPE,
            &["bad_count::f", "weight"],
        );
        let many = op.call::<Tensor>((&x, 1.0, &[1i64], 4));
        fails(many, Status::TYPE, &["bad_count::f", "3", "4"]);
    });
}

#[test]
fn wrong_type_of_an_argument() {
    let _alone = alone();
    let (_library, op) = operator("bad_type");
    let x = floats(&[1.0]);
    leaves_nothing(|| {
        let texts = ["bad_type::f", "weight", "float", "str"];
        fails(op.call::<Tensor>((&x, "1")), Status::TYPE, &texts);
        fails(
            op.call::<Tensor>((1.0, 1.0)),
            Status::TYPE,
            &["bad_type::f", "x", "Tensor", "float"],
        );
        fails(
            op.call::<Tensor>((&x, 1.0, "no")),
            Status::TYPE,
            &["dims", "int[]", "str"],
        );
        let list = [Value::from("a"), Value::from(1.0)];
        fails(
            op.call::<Tensor>(&list),
            Status::TYPE,
            &["x", "Tensor", "str"],
        );
    });
}

#[test]
fn unknown_operators_overloads_and_keys() {
    let _alone = alone();
    let library = Library::define_namespace("bad_unknown").unwrap();
    library.define("f.one(int x) -> int").unwrap();
    leaves_nothing(|| {
        fails(
            Op::find("bad_unknown::g"),
            Status::NOT_FOUND,
            &["bad_unknown::g"],
        );
        fails(
            Op::find("bad_unknown::f.two"),
            Status::NOT_FOUND,
            &["two", "one"],
        );
        fails(
            Op::find("no name at all"),
            Status::NOT_FOUND,
            &["no name at all"],
        );
        let kernel = library.impl_fn("f.one", "Autogrd", |x: i64| x);
        fails(kernel, Status::NOT_FOUND, &["Autogrd"]);
        fails(
            "Autogrd".parse::<DispatchKey>(),
            Status::NOT_FOUND,
            &["Autogrd"],
        );
        fails(
            DispatchKey::for_device("abacus"),
            Status::NOT_FOUND,
            &["abacus"],
        );
        fails("abacus:1".parse::<Device>(), Status::NOT_FOUND, &["abacus"]);
        fails("float3".parse::<DType>(), Status::NOT_FOUND, &["float3"]);
    });
}

#[test]
fn duplicate_definitions() {
    let _alone = alone();
    let (library, op) = operator("bad_duplicate");
    let x = floats(&[1.0]);
    leaves_nothing(|| {
        let texts = ["bad_duplicate::f", "bad_input_test.rs"];
        fails(
            library.define("f(int x) -> int"),
            Status::ALREADY_EXISTS,
            &texts,
        );
        fails(
            Library::define_namespace("bad_duplicate"),
            Status::ALREADY_EXISTS,
            &texts[1..],
        );
        op.call::<Tensor>((&x, 1.0)).unwrap();
    });
}

#[test]
fn missing_kernels() {
    let _alone = alone();
    let (_library, op) = operator("bad_missing");
    let meta = Tensor::empty(&[2], DType::F32, Device::META).unwrap();
    leaves_nothing(|| {
        fails(
            op.call::<Tensor>((&meta, 1.0)),
            Status::NO_KERNEL,
            &["bad_missing::f", "Meta"],
        );
        let typed = op.typed::<(&Tensor, f64, &[i64]), Tensor>().unwrap();
        fails(
            typed.call(&meta, 1.0, &[]),
            Status::NO_KERNEL,
            &["bad_missing::f", "Meta"],
        );
    });
}

#[test]
fn failing_kernels() {
    let _alone = alone();
    let (library, op) = operator("bad_kernel");
    let thrower = library
        .define("throw(Tensor x, str how) -> (Tensor, Tensor)")
        .unwrap();
    library
        .impl_fn(
            "throw",
            DispatchKey::CPU,
            |x: &Tensor, how: &str| match how {
                "panic" => panic!("panicked with {x:?}"),
                "error" => Err(Error::from_error(std::fmt::Error)),
                _ => Ok((x.clone(), x.clone())),
            },
        )
        .unwrap();
    let half = library.define("half(Tensor x) -> (Tensor, int)").unwrap();
    library
        .impl_boxed(
            "half",
            DispatchKey::CPU,
            |_: &KernelContext, args: &[ValueRef]| {
                Ok(vec![args[0].to_value()?, args[0].to_value()?])
            },
        )
        .unwrap();
    let x = floats(&[1.0]);
    let typed = thrower
        .typed::<(&Tensor, &str), (Tensor, Tensor)>()
        .unwrap();
    let hook = panic::take_hook();
    panic::set_hook(Box::new(|panic| {
        let told = panic.to_string();
        if !told.contains("panicked with") {
            eprintln!("{told}");
        }
    }));
    leaves_nothing(|| {
        for result in [thrower.call((&x, "panic")), typed.call(&x, "panic")] {
            let error = fails(
                result,
                Status::FOREIGN,
                &["panicked with Tensor(float32, [1], cpu)"],
            );
            assert!(error.is_panic());
        }
        for result in [thrower.call((&x, "error")), typed.call(&x, "error")] {
            let error = fails::<(Tensor, Tensor)>(result, Status::FOREIGN, &[]);
            assert_eq!(
                error.downcast_ref::<std::fmt::Error>(),
                Some(&std::fmt::Error)
            );
        }
        thrower.call::<(Tensor, Tensor)>((&x, "")).unwrap();
        let result = half.call::<(Tensor, i64)>((&x,));
        fails(result, Status::TYPE, &["bad_kernel::half", "int", "Tensor"]);
        fails(
            op.call::<Tensor>((&x, 1.0, &[1i64, 2])),
            Status::INVALID_ARGUMENT,
            &["dims", "1", "2"],
        );
        assert_eq!(x.use_count(), 1);
    });
    panic::set_hook(hook);
}

#[test]
fn malformed_schemas() {
    let _alone = alone();
    let library = Library::fragment("bad_schema").unwrap();
    leaves_nothing(|| {
        for text in [
            "f(",
            "f(int x) ->",
            "f(Tensor(a x) -> ()",
            "f(int x, int x) -> ()",
            "f(foo x) -> ()",
        ] {
            let error = library.define(text).unwrap_err();
            assert_eq!(error.status(), Status::PARSE, "{text}: {error}");
            assert!(format!("ns::{text}").parse::<Schema>().is_err());
        }
        fails(
            library.define("f\0"),
            Status::INVALID_ARGUMENT,
            &["Library::define", "schema"],
        );
    });
}

#[test]
fn mismatched_shapes() {
    let _alone = alone();
    let data = vec![1.0f32; 6];
    let x = Tensor::from_vec(data.clone(), &[2, 3]).unwrap();
    leaves_nothing(|| {
        let shape = Tensor::from_vec(data.clone(), &[4, 2]);
        fails(
            shape,
            Status::INVALID_ARGUMENT,
            &["Tensor::from_vec", "shape", "6", "[4, 2]"],
        );
        fails(
            Tensor::from_slice(&data, &[i64::MAX, 4]),
            Status::INVALID_ARGUMENT,
            &["shape"],
        );
        fails(x.alias(&[3, 3], &[3, 1], 0), Status::INVALID_ARGUMENT, &[]);
        fails(x.alias(&[1], &[1], -1), Status::INVALID_ARGUMENT, &[]);
        fails(
            x.item::<f32>(),
            Status::INVALID_ARGUMENT,
            &["Tensor::item", "[2, 3]"],
        );
        fails(x.to_vec::<u8>(), Status::TYPE, &["uint8", "float32"]);
        fails(
            Tensor::empty(&[2, -3], DType::F32, Device::CPU),
            Status::INVALID_ARGUMENT,
            &[],
        );
    });
}

#[test]
fn bad_dlpack_structs() {
    let _alone = alone();
    let x = floats(&[1.0]);
    leaves_nothing(|| {
        let exported = x.to_dlpack().unwrap();
        unsafe {
            (*exported.as_ptr()).dl_tensor.ndim = -1;
            fails(
                Tensor::from_dlpack(exported.as_ptr()),
                Status::INVALID_ARGUMENT,
                &["ndim"],
            );
            (*exported.as_ptr()).dl_tensor.ndim = 1;
            (*exported.as_ptr()).dl_tensor.dtype.lanes = 3;
            fails(
                Tensor::from_dlpack(exported.as_ptr()),
                Status::NOT_SUPPORTED,
                &["lanes"],
            );
            (*exported.as_ptr()).version = [77, 0];
            fails(
                Tensor::from_dlpack(exported.into_raw()),
                Status::ABI,
                &["77"],
            );
        }
        assert_eq!(x.use_count(), 1);
    });
}

#[test]
fn closed_libraries() {
    let _alone = alone();
    let x = floats(&[1.0]);
    leaves_nothing(|| {
        let (library, op) = operator("bad_closed");
        let typed = op.typed::<(&Tensor, f64, &[i64]), Tensor>().unwrap();
        library.close();
        fails(library.define("g() -> ()"), Status::STATE, &["bad_closed"]);
        fails(
            library.impl_fn("f", "default", |x: i64| x),
            Status::STATE,
            &["bad_closed"],
        );
        fails(
            op.call::<Tensor>((&x, 1.0)),
            Status::NOT_FOUND,
            &["bad_closed::f"],
        );
        fails(op.schema(), Status::NOT_FOUND, &["bad_closed::f"]);
        assert!(typed.call(&x, 1.0, &[]).is_err());
        library.drain(Some(Duration::from_secs(1))).unwrap();
    });
}

#[test]
fn bad_plugins() {
    let _alone = alone();
    let (other, failing) = (
        example_library("plugin_other_abi"),
        example_library("plugin_failing"),
    );
    leaves_nothing(|| {
        fails(
            Plugin::load("/nowhere/libx.so"),
            Status::NOT_FOUND,
            &["/nowhere/libx.so"],
        );
        fails(Plugin::load(&other), Status::ABI, &["99.0"]);
        assert!(Plugin::load(&failing).is_err());
    });
}

#[test]
fn bad_kernels_and_fallbacks_at_registration() {
    let _alone = alone();
    let (library, op) = operator("bad_registration");
    let x = floats(&[1.0]);
    leaves_nothing(|| {
        let held = Box::new([0u8; 100]);
        let wrong = library.impl_fn("f", DispatchKey::CPU, move |x: &Tensor| {
            assert_eq!(held[99], 0);
            x.clone()
        });
        fails(
            wrong,
            Status::INVALID_ARGUMENT,
            &["bad_registration::f", "3 arguments", "got 1"],
        );
        let type_ = library.impl_fn("f", DispatchKey::CPU, |x: &Tensor, _: i64, _: &[i64]| {
            x.clone()
        });
        fails(
            type_,
            Status::INVALID_ARGUMENT,
            &["'weight'", "float", "int"],
        );
        let fallback = library.fallback("Tracer", |_: &mut tenon::Stack| Ok(()));
        fails(fallback, Status::INVALID_ARGUMENT, &[]);
        let elsewhere = library.impl_fn("other::f", DispatchKey::CPU, |x: &Tensor| x.clone());
        fails(elsewhere, Status::INVALID_ARGUMENT, &["other"]);
        op.call::<Tensor>((&x, 1.0)).unwrap();
    });
}

#[test]
fn texts_with_a_nul_are_refused_by_every_function() {
    let _alone = alone();
    let library = Library::define_namespace("bad_nul").unwrap();
    let op = library.define("f(int x=1) -> int").unwrap();
    library.impl_fn("f", "default", |x: i64| x).unwrap();
    let tags = DefineOptions {
        tags: &["a\0b"],
        ..DefineOptions::default()
    };
    let analysis = DefineOptions {
        alias_analysis: "a\0b",
        ..DefineOptions::default()
    };
    let path = OsStr::from_bytes(b"/tmp/\xff\0x.so");
    let refused = |result: Result<()>| {
        fails(result, Status::INVALID_ARGUMENT, &["without NUL", "\\0"]);
    };
    leaves_nothing(|| {
        refused(Op::find("bad_nul::f\0").map(drop));
        refused(Library::fragment("bad\0nul").map(drop));
        refused(library.define("g\0() -> ()").map(drop));
        refused(library.define_with("g() -> ()", tags).map(drop));
        refused(library.define_with("g() -> ()", analysis).map(drop));
        refused(library.impl_fn("f\0", "default", |x: i64| x).map(drop));
        refused(library.impl_fn("f", "CPU\0", |x: i64| x).map(drop));
        refused("CPU\0".parse::<DispatchKey>().map(drop));
        refused(DispatchKey::for_device("cpu\0").map(drop));
        refused(DispatchKey::register_backend("np\0u").map(drop));
        refused(DispatchKey::register("P\0", "Autograd", Place::Below, false).map(drop));
        refused(DispatchKey::register("P", "Auto\0grad", Place::Below, false).map(drop));
        refused(Device::register_backend("np\0u").map(drop));
        refused("cpu\0".parse::<Device>().map(drop));
        refused("float32\0".parse::<DType>().map(drop));
        refused(Plugin::load("bad\0nul").map(drop));
        refused(Plugin::load(path).map(drop));
        // The parser takes texts by length, and shows where the NUL is.
        let schema = "f() -> ()\0".parse::<Schema>();
        fails(schema, Status::PARSE, &["column 10"]);
        let named = op.args().named("x\0", 1).call::<i64>();
        fails(named, Status::TYPE, &["bad_nul::f", "x\\0"]);
    });
}

#[test]
fn good_calls_leave_nothing_either() {
    let _alone = alone();
    let (library, op) = operator("bad_good");
    let list = library
        .define("list(Tensor[] xs, str s) -> (Tensor[], str, int[])")
        .unwrap();
    library
        .impl_fn("list", DispatchKey::CPU, |xs: &[Tensor], s: &str| {
            (xs.to_vec(), s.to_owned(), vec![xs.len() as i64])
        })
        .unwrap();
    let x = floats(&[1.0]);
    let typed = list
        .typed::<(&[Tensor], &str), (Vec<Tensor>, String, Vec<i64>)>()
        .unwrap();
    let xs = [x.clone(), x.clone()];
    let early = |x: i64| -> Result<i64> { Ok(x) };
    leaves_nothing(|| {
        let y: Tensor = op.call(args![&x, 1.0, &[0i64]]).unwrap();
        drop(y);
        let (tensors, text, count): (Vec<Tensor>, String, Vec<i64>) =
            list.call((&xs, "text")).unwrap();
        assert_eq!(
            (tensors.len(), text.as_str(), &count[..]),
            (2, "text", &[2][..])
        );
        typed.call(&xs, "text").unwrap();
        let own = Library::define_namespace("bad_good_own").unwrap();
        own.impl_fn("f", "default", early).unwrap();
        own.define("f(int x) -> int").unwrap();
        let tracer = tenon::DispatchKeySet::of(&[DispatchKey::TRACER]).unwrap();
        drop(KeyGuard::include(tracer).unwrap());
    });
}
