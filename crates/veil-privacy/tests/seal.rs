//! The seal, as the compiler sees it: code outside the crate cannot open it, forge a release, or copy a permit or a key.

#[test]
fn code_outside_cannot_reach_private_data() {
    trybuild::TestCases::new().compile_fail("tests/seal/*.rs");
}
