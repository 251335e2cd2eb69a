// SPDX-License-Identifier: Apache-2.0
//! Compiles the files of core/masked that a small chip needs: for Armv6-M the assembly, else C.

use std::path::PathBuf;

fn main() {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..");
    let core = root.join("core");
    let target = std::env::var("TARGET").unwrap_or_default();
    let is_bare = std::env::var("CARGO_CFG_TARGET_OS").as_deref() == Ok("none");
    let mut files = vec![
        core.join("masked/masked.c"),
        core.join("masked/modes.c"),
        core.join("masked/noise.c"),
        core.join("base/wipe.c"),
        root.join("embedded/firmware/cpu.c"),
    ];
    let mut build = cc::Build::new();
    if target.starts_with("thumbv6m") {
        files.push(core.join("masked/cortex_m0.c"));
        files.push(core.join("masked/cortex_m0.S"));
        files.push(core.join("masked/cortex_m0_share.S"));
    } else {
        files.push(core.join("masked/c32.c"));
    }
    if is_bare {
        // string.h; the functions in it are those of Rust's compiler_builtins.
        build
            .include(root.join("embedded/firmware/include"))
            .flag("-ffreestanding");
    }
    build
        .files(&files)
        .include(core.join("include"))
        .include(&core)
        .define("TALLY_SLICE_BITS", "32")
        .define("TALLY_MASKED_SMALL", None)
        .flag("-ffunction-sections")
        .opt_level_str("s") // also in debug builds: C of -O0 leaves shares on the stack
        .compile("tallystick_masked");
    println!("cargo:rerun-if-changed={}", core.join("masked").display());
    println!("cargo:rerun-if-changed={}", core.join("include").display());
}
