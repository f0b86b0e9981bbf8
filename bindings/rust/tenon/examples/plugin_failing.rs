// SPDX-License-Identifier: Apache-2.0
//! A plugin whose load function fails after registering something, for the tests.

use tenon::{Error, Library, Result, Status};

fn load() -> Result<Library> {
    let library = Library::define_namespace("rust_failing")?;
    library.define("f(int x) -> int")?;
    Err(Error::new(
        Status::RUNTIME,
        "rust_failing: there is no licence",
    ))
}

tenon::plugin! { name: "rust_failing", version: "1.0.0", load: load }
