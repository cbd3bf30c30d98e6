//! Writes the seeds of the fuzz targets into `fuzz/corpus`.

fn main() -> std::io::Result<()> {
    veil_fuzz::write_seeds(concat!(env!("CARGO_MANIFEST_DIR"), "/corpus").as_ref())
}
