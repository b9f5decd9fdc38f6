#![allow(
    clippy::print_stdout,
    reason = "a build script talks to cargo on stdout"
)]

//! Node-API's linker settings, and the hash of the sources that this addon is built from.
//!
//! The recipe, the same as setup/crates-hash.mjs: of the files under `crates/`, with `Cargo.toml` and
//! `Cargo.lock`, in byte order of their paths from the root (`/` between names): SHA-256 over path,
//! a zero byte, the length in decimal, a zero byte, the bytes, a zero byte. Left out are folders named
//! `target`, `benches`, `fuzz` and `tests`, and names that start with a dot: they change no addon.

use std::fs;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

const LEFT_OUT: [&str; 4] = ["target", "benches", "fuzz", "tests"];

fn main() {
    napi_build::setup();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut files = vec!["Cargo.lock".to_owned(), "Cargo.toml".to_owned()];
    collect(&root, "crates", &mut files);
    files.sort_unstable();
    let mut hash = Sha256::new();
    for file in files {
        let bytes = fs::read(root.join(&file)).expect("a source file can be read");
        hash.update(file.as_bytes());
        hash.update([0]);
        hash.update(bytes.len().to_string());
        hash.update([0]);
        hash.update(bytes);
        hash.update([0]);
    }
    let hex: String = hash
        .finalize()
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    let watched = root.join("crates");
    println!("cargo:rustc-env=DEVICE_CRATES_HASH={hex}");
    println!("cargo:rerun-if-changed={}", watched.display());
    for file in ["Cargo.lock", "Cargo.toml"] {
        println!("cargo:rerun-if-changed={}", root.join(file).display());
    }
}

fn collect(root: &Path, folder: &str, files: &mut Vec<String>) {
    let path: PathBuf = root.join(folder);
    for entry in fs::read_dir(path).expect("a source folder can be read") {
        let entry = entry.expect("a source folder can be read");
        let name = entry
            .file_name()
            .into_string()
            .expect("source names are UTF-8");
        if name.starts_with('.') {
            continue;
        }
        let below = format!("{folder}/{name}");
        if entry
            .file_type()
            .expect("a source file has a type")
            .is_dir()
        {
            if !LEFT_OUT.contains(&name.as_str()) {
                collect(root, &below, files);
            }
        } else {
            files.push(below);
        }
    }
}
