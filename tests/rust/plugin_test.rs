// SPDX-License-Identifier: Apache-2.0
//! Loading plugins, good and bad. The cdylibs are this package's examples.

use std::process::Command;
use std::time::Duration;

use tenon::{Op, Plugin, Status, Tensor};

use crate::support::{example_library, fails, floats, read};

#[test]
fn a_rust_plugin_loads_runs_unloads_and_loads_again() {
    let path = example_library("plugin");
    let plugin = Plugin::load(&path).unwrap();
    assert_eq!(
        (plugin.name().as_str(), plugin.version().as_str()),
        ("rust_example", "1.0.0")
    );
    assert_eq!(plugin.path().file_name(), path.file_name());
    assert!(plugin.is_loaded());
    assert_eq!(Plugin::load(&path).unwrap(), plugin);

    let clamp = Op::find("rust_example::clamp").unwrap();
    let x = floats(&[-1.0, 0.5, 2.0]);
    let y: Tensor = clamp.call((&x,)).unwrap();
    assert_eq!(read(&y), [0.0, 0.5, 1.0]);
    let y: Tensor = clamp.args().arg(&x).named("max", 0.25).call().unwrap();
    assert_eq!(read(&y), [0.0, 0.25, 0.25]);

    let error = clamp
        .args()
        .arg(&x)
        .named("min", 2.0)
        .call::<Tensor>()
        .unwrap_err();
    assert_eq!(
        (error.status(), error.kind()),
        (Status::FOREIGN, "EmptyRange".into())
    );
    // The error value belongs to the plugin's copy of the package: here it is text only.
    assert!(!error.is_panic() && error.downcast_ref::<std::fmt::Error>().is_none());

    plugin.unload(Some(Duration::from_secs(5))).unwrap();
    assert!(!plugin.is_loaded());
    fails(
        clamp.call::<Tensor>((&x,)),
        Status::NOT_FOUND,
        &["rust_example::clamp"],
    );
    Plugin::load(&path).unwrap();
    assert_eq!(read(&clamp.call::<Tensor>((&x,)).unwrap()), [0.0, 0.5, 1.0]);
}

#[test]
fn a_missing_plugin_is_named() {
    let error = Plugin::load("/nowhere/libnothing.so");
    fails(error, Status::NOT_FOUND, &["/nowhere/libnothing.so"]);
    fails(
        Plugin::load("rust_no_such_plugin"),
        Status::NOT_FOUND,
        &["rust_no_such_plugin"],
    );
    fails(Plugin::load("a\0b"), Status::INVALID_ARGUMENT, &["path"]);
}

#[test]
fn a_file_that_is_no_plugin_is_refused() {
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml");
    fails(Plugin::load(source), Status::SYSTEM, &["Cargo.toml"]);
    // A shared library without the query function.
    let libc = [
        "/lib/x86_64-linux-gnu/libm.so.6",
        "/lib/aarch64-linux-gnu/libm.so.6",
    ];
    if let Some(path) = libc.iter().find(|path| std::path::Path::new(path).exists()) {
        let error = Plugin::load(path).unwrap_err();
        assert!(error.message().contains("tenon_plugin_query"), "{error}");
    }
}

#[test]
fn a_plugin_for_another_abi_is_refused_before_it_runs() {
    let error = Plugin::load(example_library("plugin_other_abi"));
    fails(error, Status::ABI, &["libplugin_other_abi.so", "99.0"]);
}

#[test]
fn a_plugin_whose_load_fails_leaves_nothing() {
    let error = Plugin::load(example_library("plugin_failing")).unwrap_err();
    assert!(error.to_string().contains("no licence"), "{error:?}");
    fails(Op::find("rust_failing::f"), Status::NOT_FOUND, &[]);
}

/// Type-checks a plugin with one more flag; returns whether it compiles, and rustc's output.
fn compile(flag: &str) -> (bool, String) {
    let mut deps = std::env::current_exe().unwrap();
    deps.pop();
    // The newest build of the package, which is the one of these tests.
    let newest = std::fs::read_dir(&deps)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| {
            let name = path.file_name().unwrap().to_string_lossy();
            name.starts_with("libtenon-") && name.ends_with(".rlib")
        })
        .max_by_key(|path| path.metadata().unwrap().modified().unwrap())
        .unwrap();
    let source = "fn load() -> tenon::Result<()> { Ok(()) }\n\
                  tenon::plugin! { name: \"strategy\", version: \"1\", load: load }\n";
    let folder = std::env::temp_dir().join(format!("tenon-{}{flag}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let file = folder.join("strategy.rs");
    std::fs::write(&file, source).unwrap();
    let output = Command::new(std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()))
        .args([
            "--edition=2021",
            "--crate-type=cdylib",
            "--emit=metadata",
            flag,
        ])
        .arg("--extern")
        .arg(format!("tenon={}", newest.display()))
        .arg("-L")
        .arg(&deps)
        .arg("--out-dir")
        .arg(&folder)
        .arg(&file)
        .output()
        .unwrap();
    std::fs::remove_dir_all(&folder).unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    (output.status.success(), said)
}

#[test]
fn a_plugin_that_would_abort_on_a_panic_does_not_compile() {
    let (compiled, said) = compile("-Cpanic=unwind");
    assert!(compiled, "{said}");
    let (compiled, said) = compile("-Cpanic=abort");
    assert!(!compiled);
    assert!(said.contains("tenon::plugin!: panic must be"), "{said}");
}
