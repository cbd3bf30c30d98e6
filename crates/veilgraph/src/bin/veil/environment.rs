//! The environment variables that `veil` reads.

/// Every variable with its effect: in `veil --help`, the manual and docs/commands.md.
const VARIABLES: [(&str, &str); 6] = [
    ("VEIL_CACHE", "folder of fetched data sets [default: the cache folder of the system]"),
    ("VEIL_SIMD", "instructions of networks: portable, avx2 or avx512 [default: the best here]"),
    ("RAYON_NUM_THREADS", "number of threads [default: all cores]; results do not depend on it"),
    ("NO_COLOR", "no colours, if it is not empty"),
    ("CLICOLOR_FORCE", "colours also in a pipe"),
    ("TERM", "no colours if it is dumb"),
];

/// One line for each variable.
pub fn described() -> String {
    let lines = VARIABLES.iter().map(|(name, effect)| format!("\n  {name:<17}  {effect}"));
    format!("Environment:{}", lines.collect::<String>())
}
