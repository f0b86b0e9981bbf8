// SPDX-License-Identifier: Apache-2.0
//! Ways for a Rust program to exit with Tenon objects still alive. Each scenario is a separate
//! process, which must exit silently with the scenario's status.
//!
//! There is no test harness, because a scenario needs `main` for itself. TENON_STRESS=long repeats
//! each twenty times; TENON_EXIT_RESULTS names a file to which the counts are appended.

use std::cell::RefCell;
use std::ffi::c_int;
use std::io::Write;
use std::process::{Command, ExitCode, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock};
use std::time::{Duration, Instant};

use tenon::{DispatchKey, DispatchKeySet, Error, KeyGuard, Library, Object, ObjectType, Op};
use tenon::{Tensor, ThreadState};

const STATUS: i32 = 42; // of the scenarios that do not end earlier
const PANICKED: i32 = 101; // of a main function that panics
const LONGEST: Duration = Duration::from_secs(60);

extern "C" {
    fn atexit(function: extern "C" fn()) -> c_int;
    fn fork() -> c_int;
    fn waitpid(process: c_int, status: *mut c_int, options: c_int) -> c_int;
}

static OPENED: AtomicUsize = AtomicUsize::new(0);
static RUNNING: AtomicUsize = AtomicUsize::new(0);
static LIBRARY: OnceLock<Library> = OnceLock::new();
static OP: OnceLock<Op> = OnceLock::new();
static TENSOR: OnceLock<Tensor> = OnceLock::new();
static KEPT: Mutex<Option<Error>> = Mutex::new(None);

/// Defines an operator with a kernel in a new namespace, and a tensor to call it with.
fn open() -> (Library, Op, Tensor) {
    open_with(|x: &Tensor| x.clone())
}

fn open_with(kernel: impl Fn(&Tensor) -> Tensor + Send + Sync + 'static) -> (Library, Op, Tensor) {
    let number = OPENED.fetch_add(1, Ordering::SeqCst);
    let library = Library::define_namespace(&format!("leaving{number}")).unwrap();
    let op = library.define("x(Tensor a) -> Tensor").unwrap();
    library
        .impl_fn("x", DispatchKey::CPU, move |x: &Tensor| kernel(x))
        .unwrap();
    let x = Tensor::from_slice(&[1.0f32, 2.0], &[2]).unwrap();
    (library, op, x)
}

/// Like `open`, but stores the objects in statics, which Rust never drops.
fn open_static() -> Op {
    let (library, op, x) = open();
    assert!(LIBRARY.set(library).is_ok() && OP.set(op).is_ok() && TENSOR.set(x).is_ok());
    op
}

fn call(op: Op, x: &Tensor) {
    op.call::<Tensor>((x,)).unwrap();
}

/// Starts threads that loop forever, and waits until all are running.
fn start_threads(count: usize, body: impl Fn() + Clone + Send + 'static) {
    for _ in 0..count {
        let body = body.clone();
        std::thread::spawn(move || {
            RUNNING.fetch_add(1, Ordering::SeqCst);
            loop {
                body();
            }
        });
    }
    while RUNNING.load(Ordering::SeqCst) < count {
        std::thread::yield_now();
    }
}

fn start_callers(count: usize, op: Op, x: &Tensor) {
    let x = x.clone();
    // Once the library is closed no kernel exists; callers ignore the error.
    start_threads(count, move || drop(op.call::<Tensor>((&x,))));
}

fn stay_for_ever(_: &Tensor) -> Tensor {
    RUNNING.fetch_add(1, Ordering::SeqCst);
    loop {
        std::thread::yield_now();
    }
}

/// Threads inside of a kernel that never returns.
fn start_stuck(count: usize) -> Library {
    let (library, op, x) = open_with(stay_for_ever);
    for _ in 0..count {
        let x = x.clone();
        std::thread::spawn(move || call(op, &x));
    }
    while RUNNING.load(Ordering::SeqCst) < count {
        std::thread::yield_now();
    }
    library
}

fn at_exit(function: extern "C" fn()) {
    // SAFETY: C11 7.22.4.2: a function without arguments; it does not unwind.
    assert_eq!(unsafe { atexit(function) }, 0);
}

extern "C" fn call_static() {
    call(*OP.get().unwrap(), TENSOR.get().unwrap());
}

extern "C" fn close_static() {
    LIBRARY.get().unwrap().close();
}

extern "C" fn use_first() {
    let (library, op, x) = open();
    call(op, &x);
    drop(library);
}

/// Runs its closure when it is dropped.
struct OnDrop<F: FnMut()>(F);

impl<F: FnMut()> Drop for OnDrop<F> {
    fn drop(&mut self) {
        (self.0)();
    }
}

/// Opens a library whose kernel owns a value with a destructor.
fn open_dropping(destructor: impl FnMut() + Send + Sync + 'static) -> (Library, Op, Tensor) {
    let owned = OnDrop(destructor);
    open_with(move |x: &Tensor| {
        let _owned = &owned;
        x.clone()
    })
}

type Late = Box<dyn FnMut()>;

thread_local! {
    static CALLS_LATE: RefCell<Option<OnDrop<Late>>> = const { RefCell::new(None) };
    static HOLDS: RefCell<Option<(Library, Tensor, Option<ThreadState>)>> =
        const { RefCell::new(None) };
}

/// Sets a function that the calling thread's destructors run when the thread ends.
fn at_thread_end(function: impl FnMut() + 'static) {
    CALLS_LATE.with(|late| *late.borrow_mut() = Some(OnDrop(Box::new(function))));
}

struct Note;

impl ObjectType for Note {
    const NAME: &'static str = "exit_test.Note";
}

type Scenario = (&'static str, i32, fn());

const SCENARIOS: &[Scenario] = &[
    ("nothing used", STATUS, || {}),
    ("tensor in a static", STATUS, || {
        let _ = open_static();
    }),
    ("library in a static, called", STATUS, || {
        call(open_static(), TENSOR.get().unwrap())
    }),
    ("library and tensor leaked", STATUS, || {
        let (library, op, x) = open();
        call(op, &x);
        std::mem::forget((library, x));
    }),
    ("error in a static", STATUS, || {
        let error = Op::find("leaving::nothing").unwrap_err();
        *KEPT.lock().unwrap() = Some(error);
    }),
    ("panic of a kernel in a static", STATUS, || {
        let (library, op, x) = open_with(|_| std::panic::resume_unwind(Box::new("lost")));
        let error = op.call::<Tensor>((&x,)).unwrap_err();
        assert!(error.is_panic());
        *KEPT.lock().unwrap() = Some(error);
        std::mem::forget(library);
    }),
    ("guard not left", STATUS, || {
        let (library, op, x) = open();
        let keys = DispatchKeySet::of(&[DispatchKey::TRACER]).unwrap();
        std::mem::forget(KeyGuard::include(keys).unwrap());
        call(op, &x);
        std::mem::forget(library);
    }),
    ("object and listener leaked", STATUS, || {
        std::mem::forget(Object::new(Note).unwrap());
        std::mem::forget(tenon::listen(|_, _| {}).unwrap());
        std::mem::forget(open().0);
    }),
    ("plugin loaded by a lookup", STATUS, || {
        Op::find("aten::add.Tensor").unwrap();
    }),
    ("main panics", PANICKED, || {
        let (_library, op, x) = open();
        call(op, &x);
        std::panic::resume_unwind(Box::new("main panics"));
    }),
    ("main panics, threads call", PANICKED, || {
        let (_library, op, x) = open();
        start_callers(2, op, &x);
        std::panic::resume_unwind(Box::new("main panics"));
    }),
    ("threads call", STATUS, || {
        let (library, op, x) = open();
        start_callers(4, op, &x);
        std::mem::forget(library);
    }),
    ("threads call a closed library", STATUS, || {
        let (library, op, x) = open();
        start_callers(2, op, &x);
        library.close();
    }),
    ("threads register", STATUS, || {
        start_threads(2, || use_first())
    }),
    ("threads fail", STATUS, || {
        let (library, op, x) = open_with(|_| std::panic::resume_unwind(Box::new("lost")));
        start_callers(2, op, &x);
        std::mem::forget(library);
    }),
    ("threads inside kernels", STATUS, || {
        std::mem::forget(start_stuck(4));
    }),
    ("threads inside kernels, closed", STATUS, || {
        start_stuck(2).close();
    }),
    ("threads inside kernels, drain timed out", STATUS, || {
        let library = start_stuck(2);
        library.close();
        library.drain(Some(Duration::from_millis(1))).unwrap_err();
    }),
    ("thread ends by a panic", STATUS, || {
        let (library, op, x) = open();
        let late = x.clone();
        let thread = std::thread::spawn(move || {
            at_thread_end(move || call(op, &late));
            call(op, &x);
            std::panic::resume_unwind(Box::new("thread panics"));
        });
        assert!(thread.join().is_err());
        drop(library);
    }),
    ("kernel calls exit", STATUS, || {
        let (_library, op, x) = open_with(|_| std::process::exit(STATUS));
        call(op, &x);
    }),
    (
        "kernel on a thread calls exit, threads call",
        STATUS,
        || {
            let (_library, op, x) = open_with(|x: &Tensor| match x.shape()[..] {
                [1] => std::process::exit(STATUS),
                _ => x.clone(),
            });
            start_callers(2, op, &x);
            let last = Tensor::from_slice(&[1.0f32], &[1]).unwrap();
            drop(std::thread::spawn(move || call(op, &last)).join());
        },
    ),
    ("kernel's destructor calls exit", STATUS, || {
        let (library, op, x) = open_dropping(|| std::process::exit(STATUS));
        call(op, &x);
        library.close();
    }),
    ("kernel's destructor panics", STATUS, || {
        let (library, op, x) = open_dropping(|| std::panic::resume_unwind(Box::new("drop")));
        call(op, &x);
        drop(library);
    }),
    ("kernel's destructor calls operators", STATUS, || {
        let (library, _, x) = open_dropping(|| {
            let (library, op, x) = open();
            call(op, &x);
            std::mem::forget(library);
        });
        library.close();
        std::mem::forget(x);
    }),
    ("atexit calls", STATUS, || {
        open_static();
        at_exit(call_static);
    }),
    ("atexit closes, threads call", STATUS, || {
        let op = open_static();
        start_callers(2, op, TENSOR.get().unwrap());
        at_exit(close_static);
    }),
    ("atexit uses Tenon first", STATUS, || at_exit(use_first)),
    ("main thread's destructor calls", STATUS, || {
        let op = open_static();
        at_thread_end(move || call(op, TENSOR.get().unwrap()));
    }),
    ("main thread's destructor uses Tenon first", STATUS, || {
        at_thread_end(|| use_first())
    }),
    ("thread's destructors close and call", STATUS, || {
        let op = open_static();
        std::thread::spawn(move || {
            at_thread_end(move || call(op, TENSOR.get().unwrap()));
            let (library, _, x) = open();
            let state = ThreadState::capture().unwrap();
            HOLDS.with(|holds| *holds.borrow_mut() = Some((library, x, Some(state))));
        })
        .join()
        .unwrap();
        call(op, TENSOR.get().unwrap());
    }),
    ("thread's destructors run while main ends", STATUS, || {
        let op = open_static();
        for _ in 0..4 {
            std::thread::spawn(move || {
                at_thread_end(move || loop {
                    RUNNING.fetch_add(1, Ordering::SeqCst);
                    call(op, TENSOR.get().unwrap());
                });
            });
        }
        while RUNNING.load(Ordering::SeqCst) < 4 {
            std::thread::yield_now();
        }
    }),
    (
        "forked child ends, threads call in the parent",
        STATUS,
        || {
            let (library, op, x) = open();
            start_callers(2, op, &x);
            // SAFETY: the child uses Tenon, which forks may, and no lock of the threads above.
            let child = unsafe { fork() };
            if child == 0 {
                call(op, &x);
                drop(library);
                std::process::exit(STATUS);
            }
            let mut status = 0;
            // SAFETY: the child's own number and a place for its status.
            assert_eq!(unsafe { waitpid(child, &mut status, 0) }, child);
            assert_eq!(status >> 8, STATUS);
            std::mem::forget(library);
        },
    ),
];

/// Runs a scenario in a separate process; returns what was wrong with its exit, if anything.
fn run(number: usize) -> Result<(), String> {
    let (_, expected, _) = SCENARIOS[number];
    let mut child = Command::new(std::env::current_exe().unwrap())
        .env("TENON_SCENARIO", number.to_string())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| error.to_string())?;
    let begin = Instant::now();
    while child.try_wait().map_err(|e| e.to_string())?.is_none() {
        if begin.elapsed() > LONGEST {
            drop(child.kill());
            return Err("did not end".to_owned());
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    let output = child.wait_with_output().map_err(|e| e.to_string())?;
    let said = [output.stdout, output.stderr].concat();
    if output.status.code() != Some(expected) || !said.is_empty() {
        let text = String::from_utf8_lossy(&said);
        return Err(format!("{}, must be {expected}: {text}", output.status));
    }
    Ok(())
}

/// Adds one scenario's counts to the file that TENON_EXIT_RESULTS names.
fn record(name: &str, runs: usize, failures: usize) {
    if let Some(path) = std::env::var_os("TENON_EXIT_RESULTS") {
        let mut file = std::fs::File::options()
            .append(true)
            .create(true)
            .open(path)
            .unwrap();
        writeln!(file, "Rust\t{name}\t{runs}\t{failures}").unwrap();
    }
}

fn main() -> ExitCode {
    if let Ok(number) = std::env::var("TENON_SCENARIO") {
        SCENARIOS[number.parse::<usize>().unwrap()].2();
        return ExitCode::from(STATUS as u8);
    }
    let pattern = std::env::args().nth(1).unwrap_or_default();
    let repeats = match std::env::var("TENON_STRESS") {
        Ok(wanted) if wanted == "long" => 20,
        _ => 2,
    };
    let (mut passed, mut failed, mut ignored) = (0, 0, 0);
    for (number, (name, _, _)) in SCENARIOS.iter().enumerate() {
        if !pattern.starts_with('-') && !format!("exit::{name}").contains(&pattern) {
            ignored += 1;
            continue;
        }
        let wrong: Vec<_> = (0..repeats).filter_map(|_| run(number).err()).collect();
        record(name, repeats, wrong.len());
        match wrong.first() {
            None => passed += 1,
            Some(first) => {
                failed += 1;
                println!(
                    "exit::{name} ... {} of {repeats} FAILED: {first}",
                    wrong.len()
                );
            }
        }
    }
    let verdict = if failed == 0 { "ok" } else { "FAILED" };
    println!("test result: {verdict}. {passed} passed; {failed} failed; {ignored} ignored");
    ExitCode::from(u8::from(failed != 0))
}
