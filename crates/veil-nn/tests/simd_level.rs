//! The environment variable `VEIL_SIMD` selects the level, up to what the machine supports.
//!
//! The level is detected once per process, so this test restarts itself for every value.

#![allow(clippy::unwrap_used, missing_docs)]

use std::process::Command;

use veil_nn::kernels::Level;

const NAME: &str = "the_environment_chooses_and_the_machine_limits";

#[test]
fn the_environment_chooses_and_the_machine_limits() {
    if std::env::var_os("VEIL_TEST_CHILD").is_some() {
        println!("level: {:?};", Level::detect());
        return;
    }
    for (requested, level) in [
        ("portable", Level::Portable),
        ("avx2", Level::Avx2),
        ("avx512", Level::Avx512),
        ("", Level::Avx512),
        ("something else", Level::Avx512),
    ] {
        let output = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", NAME, "--nocapture"])
            .env("VEIL_TEST_CHILD", "1")
            .env("VEIL_SIMD", requested)
            .output()
            .unwrap();
        let output_text = String::from_utf8(output.stdout).unwrap();
        let expected = format!("level: {:?};", level.min(machine()));
        assert!(output_text.contains(&expected), "{requested}: expected {expected} in {output_text}");
    }
}

#[cfg(target_arch = "x86_64")]
fn machine() -> Level {
    let avx2 = is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma");
    if !avx2 {
        Level::Portable
    } else if is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512vl") {
        Level::Avx512
    } else {
        Level::Avx2
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn machine() -> Level {
    Level::Portable
}
