//! All 2ⁿ patterns of signs, without listing them.

/// The chance that the ranks whose sign is positive, each with chance one half, sum up to `tail` or less.
///
/// One rank after another: a sum is reached without it or with it, half the chance each. Every chance is a multiple
/// of 2⁻ⁿ and at most 1, so up to 53 ranks a double holds it exactly.
pub fn lower_tail(ranks: &[u64], tail: u64) -> f64 {
    let tail = tail as usize;
    let mut chances = vec![0.0_f64; tail + 1];
    chances[0] = 1.0;
    for &rank in ranks {
        let rank = rank as usize;
        // Downwards, so that what is read has not had this rank yet.
        for sum in (0..=tail).rev() {
            let with = if sum >= rank { chances[sum - rank] } else { 0.0 };
            chances[sum] = 0.5 * (chances[sum] + with);
        }
    }
    chances.iter().sum()
}
