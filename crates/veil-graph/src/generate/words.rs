//! Bags of words: some from the topic of the node's class, the others from the whole vocabulary.

use super::weights::Weights;
use crate::random::Random;

/// The word distributions of the classes.
pub(super) struct Words {
    everyday: Weights,
    topics: Vec<Topic>,
    topic_share: f64,
}

struct Topic {
    words: Vec<u32>,
    weights: Weights,
}

/// Zipf weights, slightly flatter at the top.
fn zipf(count: usize) -> Vec<f64> {
    (0..count).map(|rank| 1.0 / (rank as f64 + 5.0)).collect()
}

impl Words {
    /// A vocabulary of `columns` words with a topic of `topic_words` of them per class.
    pub(super) fn new(columns: usize, classes: usize, topic_words: usize, topic_share: f64, seed: u64) -> Words {
        let mut random = Random::new(seed, "topics");
        let mut order: Vec<u32> = (0..columns as u32).collect();
        let mut everyday = vec![0.0; columns];
        random.shuffle(&mut order);
        for (&word, weight) in order.iter().zip(zipf(columns)) {
            everyday[word as usize] = weight;
        }
        let topics = (0..classes)
            .map(|_| {
                random.shuffle(&mut order);
                let words = order[..topic_words].to_vec();
                Topic { words, weights: Weights::new(&zipf(topic_words)) }
            })
            .collect();
        Words { everyday: Weights::new(&everyday), topics, topic_share }
    }

    /// The distinct words of one node, ascending: about `mean`, at least one.
    pub(super) fn of_node(&self, class: usize, mean: f64, random: &mut Random) -> Vec<u32> {
        // The sum of twelve uniform numbers minus six is nearly normal; a quarter of the mean is
        // Cora's standard deviation.
        let normal = (0..12).map(|_| random.unit()).sum::<f64>() - 6.0;
        let count = (mean + normal * mean / 4.0).round().max(1.0) as usize;
        let mut words: Vec<u32> = Vec::with_capacity(count);
        // A duplicate word is drawn again, but a small topic may be exhausted.
        for _ in 0..20 * count {
            let word = if random.unit() < self.topic_share {
                let topic = &self.topics[class];
                topic.words[topic.weights.draw(random)]
            } else {
                self.everyday.draw(random) as u32
            };
            if let Err(place) = words.binary_search(&word) {
                words.insert(place, word);
            }
            if words.len() == count {
                break;
            }
        }
        words
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_distinct_and_mostly_of_the_topic() {
        let words = Words::new(500, 2, 50, 1.0, 1);
        let mut random = Random::new(1, "test");
        for class in 0..2 {
            for _ in 0..100 {
                let found = words.of_node(class, 18.0, &mut random);
                assert!(found.windows(2).all(|pair| pair[0] < pair[1]));
                assert!(found.iter().all(|word| words.topics[class].words.contains(word)));
            }
        }
    }

    #[test]
    fn a_topic_that_is_too_small_ends_the_search() {
        let words = Words::new(10, 1, 2, 1.0, 1);
        assert_eq!(words.of_node(0, 9.0, &mut Random::new(1, "test")).len(), 2);
    }
}
