#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| veil_fuzz::read("imports", bytes));
