#[test]
fn tmp() {
    let outcomes = super::outcomes();
    std::fs::write("/tmp/report.html", super::report(&outcomes).render()).unwrap();
    let m = super::many(500, 10);
    std::fs::write("/tmp/report-many.html", super::Report::new("Many", &m, Default::default()).render()).unwrap();
}
