//! The seal, as the compiler sees it: code outside the crate cannot open it, look inside, or forge a release.
//! (`compile_fail` examples beside `Permit`, `Coins` and `Truth` show the rest; they check error codes only, because the
//! compiler's advice changes between versions.)

#[test]
fn code_outside_cannot_reach_private_data() {
    trybuild::TestCases::new().compile_fail("tests/seal/*.rs");
}
