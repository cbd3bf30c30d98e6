//! The table of named data sets.
//!
//! Counts are of undirected edges without self loops and duplicates. Sums and `verified` counts
//! were computed from the files; other counts are as published.

use super::entry::{Entry, Finish, Source};
use super::expected::Expected;

/// All named data sets.
pub fn all() -> &'static [Entry] {
    ENTRIES
}

/// The data set of this name. Names are lower case; `_` is accepted for `-`.
pub fn find(name: &str) -> Option<&'static Entry> {
    let name = name.replace('_', "-");
    ENTRIES.iter().find(|entry| entry.name == name)
}

/// A file at an address, with its sum if that is known.
const fn at(path: &'static str, file: &'static str, sha256: Option<&'static str>) -> Source {
    Source { path, file, sha256, archive: false }
}

/// A file that is kept under the name of its address.
const fn file(name: &'static str, sha256: Option<&'static str>) -> Source {
    at(name, name, sha256)
}

/// Counts computed from the files.
const fn counted(nodes: u32, edges: usize, features: usize, classes: u32) -> Expected {
    Expected { nodes, edges, features, classes, verified: true }
}

/// Counts as published.
const fn stated(nodes: u32, edges: usize, features: usize, classes: u32) -> Expected {
    Expected { verified: false, ..counted(nodes, edges, features, classes) }
}

/// What most entries have in common.
const USUAL: Entry = Entry {
    name: "",
    about: "",
    home: "",
    licence: "not stated",
    base: "",
    sources: &[],
    inside: "",
    finish: Finish::AsRead,
    expected: stated(0, 0, 0, 0),
};

/// A citation graph with its public split: the sums of its files where they are known.
macro_rules! planetoid {
    ($name:literal, $about:literal, $expected:expr, { $($part:literal = $sum:expr),+ $(,)? }) => {
        Entry {
            name: $name,
            about: $about,
            home: "https://github.com/kimiyoung/planetoid",
            licence: "MIT (repository); none stated for the data",
            base: "https://raw.githubusercontent.com/kimiyoung/planetoid/af6abf468a772cc055bec88c52e4d6f51b7c37e3/data/",
            sources: &[$( file(concat!("ind.", $name, ".", $part), $sum) ),+],
            expected: $expected,
            ..USUAL
        }
    };
}

/// A graph of MUSAE by its name in file names: the sums of its edges, features and targets where
/// they are known.
macro_rules! musae {
    ($name:literal, $file:literal, $about:expr, $expected:expr, [$edges:expr, $features:expr, $target:expr $(,)?]) => {
        Entry {
            name: $name,
            about: $about,
            home: "https://github.com/benedekrozemberczki/MUSAE",
            licence: "GPL-3.0 (repository; the author's `datasets` repository is MIT); none stated for the data",
            base: "https://raw.githubusercontent.com/benedekrozemberczki/MUSAE/master/input/",
            sources: &[
                at(concat!("edges/", $file, "_edges.csv"), concat!($file, "_edges.csv"), $edges),
                at(concat!("features/", $file, ".json"), concat!($file, ".json"), $features),
                at(concat!("target/", $file, "_target.csv"), concat!($file, "_target.csv"), $target),
            ],
            expected: $expected,
            ..USUAL
        }
    };
}

/// Twitch users who speak a language.
macro_rules! twitch {
    ($name:literal, $file:literal, $language:literal, $expected:expr, $sums:tt) => {
        musae!(
            $name,
            $file,
            concat!("Twitch users who speak ", $language, " and their friendships, mature content or not"),
            $expected,
            $sums
        )
    };
}

/// Products that are bought together. The counts are of recompressed copies, so the sums of the
/// published files are unknown.
const fn amazon(name: &'static str, about: &'static str, path: &'static [Source], expected: Expected) -> Entry {
    Entry {
        name,
        about,
        home: "https://github.com/shchur/gnn-benchmark",
        licence: "MIT (repository)",
        base: "https://raw.githubusercontent.com/shchur/gnn-benchmark/master/data/npz/",
        sources: path,
        expected,
        ..USUAL
    }
}

const ENTRIES: &[Entry] = &[
    planetoid!("cora", "Papers on machine learning and their citations; public split", counted(2708, 5278, 1433, 7), {
        "x" = Some("23cfa55d91c6f624233f5eb7b6e3f141f1bd2b2ae39608a63cf5d084bb27baab"),
        "y" = Some("94465c14eb53e04ca262198dcbb2521ee8af60fb3f3d546cd6ca24a511b0e7d1"),
        "tx" = Some("b9afbaa4a400df991f6f02ef677e1e44da55ffc04801fd02f9e673987829226a"),
        "ty" = Some("41f5ac76596a1699cc33f53084a2419e92961c42bb75f36fc38e616d348532ad"),
        "allx" = Some("9419ba2f26f5c35243db64aba110e0f35a04851609e0dc5433450676ca6b8543"),
        "ally" = Some("2b998f5cc7fedc86e7f97ca2498f47a1ffc1462c29e2d578b23bf3f62b6e7d71"),
        "graph" = Some("58f13302f39dde8852dad6fe6d15b89b077b6d7f837626bce671ef80344b383d"),
        "test.index" = Some("297ce89af2b51a6a194181c7dbe1796c6a1cf9cd9349a88383b1b1e227867875"),
    }),
    planetoid!("citeseer", "Papers on computer science and their citations; public split", counted(3327, 4552, 3703, 6), {
        "x" = Some("d20de19150741e555de0ed037195630fc194114ebc7fd72ced62810148aa22f6"),
        "y" = Some("8ba87e515d8e3ee3cf52f6d2c5b86aa73f11ecad825a808455209ec26cd54924"),
        "tx" = Some("539a8906a2da97628d212f2fdd668c109a8b3f0d36574b59e5d3fd5b5303da21"),
        "ty" = Some("55e5bd1ba1e733a04598753ad1a8d57957f4b8f89e74519f41f4f4938767e4ce"),
        "allx" = Some("2ac30345d95c9ec933a817ee0bdd6a5f077f8c184a20e696910192d534414668"),
        "ally" = Some("f704b2d986dde6c2669934de1f3ae5696a6cf9455c0f6b2646a2d135ea0a1c95"),
        "graph" = Some("d79a4ef9d3e7169aee8946145f6b7306e35bc79bffad26346cfb94e10e9912a7"),
        "test.index" = Some("2af990671580b6b2df5d158d1038f8292e30c9cd821b5453f399659b25b723d4"),
    }),
    // Of these files only `allx` has a known sum; the counts are of the same files.
    planetoid!("pubmed", "Papers on diabetes and their citations; public split", counted(19_717, 44_324, 500, 3), {
        "x" = None,
        "y" = None,
        "tx" = None,
        "ty" = None,
        "allx" = Some("508e538e2abdccdd54c4d3e9f49d638b4af7107d85845f66ddea5a5152658b7e"),
        "ally" = None,
        "graph" = None,
        "test.index" = None,
    }),
    musae!(
        "facebook",
        "facebook",
        "Facebook pages that like each other, by kind of page",
        counted(22_470, 170_823, 4714, 4),
        [None, None, None]
    ),
    Entry {
        name: "lastfm",
        about: "LastFM users in Asia and their friendships, by country; the ten largest classes",
        home: "https://github.com/benedekrozemberczki/datasets",
        licence: "MIT (repository)",
        base: "https://raw.githubusercontent.com/benedekrozemberczki/datasets/master/lasftm_asia/",
        sources: &[
            file("lastfm_asia_edges.csv", None),
            file("lastfm_asia_features.json", None),
            file("lastfm_asia_target.csv", None),
        ],
        finish: Finish::LargestClasses(10),
        // Nodes, edges and classes were counted, features were not.
        expected: stated(7083, 25_814, 7842, 10),
        ..USUAL
    },
    amazon(
        "amazon-photo",
        "Cameras that are bought together, by kind",
        &[file("amazon_electronics_photo.npz", None)],
        counted(7650, 119_081, 745, 8),
    ),
    amazon(
        "amazon-computers",
        "Computers that are bought together, by kind",
        &[file("amazon_electronics_computers.npz", None)],
        counted(13_752, 245_861, 767, 10),
    ),
    // The sums of the German and Spanish files are of copies compressed by others, unpacked for
    // summing, with the same content.
    twitch!(
        "twitch-de",
        "DE",
        "German",
        counted(9498, 153_138, 3170, 2),
        [
            Some("54feaf3e3e70a485fe07f8611e4d2677841b97f77b8358204bcf4a48cc884d86"),
            Some("7b39c42570f05cd46017c765df8d8a1bc03f19787c3eb0f9684f50a52476ae3a"),
            Some("2188f58a093bb9db363d3eaf7c3a52c2adc8ff6b23cbcb4f53875f87061c0321"),
        ]
    ),
    twitch!("twitch-engb", "ENGB", "English", counted(7126, 35_324, 3170, 2), [None, None, None]),
    twitch!(
        "twitch-es",
        "ES",
        "Spanish",
        counted(4648, 59_382, 3170, 2),
        [
            Some("17801d2cc45fc4909a431ce7a190c0565d4af87b0548ca7705cf2bef7da4c884"),
            Some("dec4b672183f9cb04524ee605b763cc14244ed88eb766147a3f954e9abe30d59"),
            Some("f843427bae58289100e78c6c211fa4a1ae0d5fbf2c665841df9e390b00dcffb5"),
        ]
    ),
    twitch!("twitch-fr", "FR", "French", counted(6549, 112_666, 3170, 2), [None, None, None]),
    twitch!("twitch-ptbr", "PTBR", "Portuguese", counted(1912, 31_299, 3170, 2), [None, None, None]),
    twitch!("twitch-ru", "RU", "Russian", counted(4385, 37_304, 3170, 2), [None, None, None]),
    Entry {
        name: "chameleon",
        about: "Wikipedia pages on chameleons and their links, by traffic (Geom-GCN's form)",
        home: "https://github.com/graphdml-uiuc-jlu/geom-gcn",
        base: "https://raw.githubusercontent.com/graphdml-uiuc-jlu/geom-gcn/master/",
        sources: &[
            at("new_data/chameleon/out1_graph_edges.txt", "out1_graph_edges.txt", None),
            at("new_data/chameleon/out1_node_feature_label.txt", "out1_node_feature_label.txt", None),
            at("splits/chameleon_split_0.6_0.2_0.npz", "chameleon_split_0.6_0.2_0.npz", None),
        ],
        // Counted from a copy.
        expected: counted(2277, 31_371, 2325, 5),
        ..USUAL
    },
    Entry {
        name: "flickr",
        about: "Flickr images that share properties, by kind; public split (GraphSAINT)",
        home: "https://github.com/GraphSAINT/GraphSAINT",
        base: "https://drive.usercontent.google.com/",
        sources: &[
            at("download?id=1crmsTbd1-2sEXsGwa2IKnIB7Zd3TmUsy&confirm=t", "adj_full.npz", None),
            at("download?id=1join-XdvX3anJU_MLVtick7MgeAQiWIZ&confirm=t", "feats.npy", None),
            at("download?id=1uxIkbtg5drHTsKt-PAsZZ4_yJmgFmle9&confirm=t", "class_map.json", None),
            at("download?id=1htXCtuktuCW8TR8KiKfrFDAxUgekQoV7&confirm=t", "role.json", None),
        ],
        expected: stated(89_250, 449_878, 500, 7),
        ..USUAL
    },
    Entry {
        name: "ogbn-arxiv",
        about: "Papers on computer science on arXiv and their citations; public split (Open Graph Benchmark)",
        home: "https://ogb.stanford.edu/docs/nodeprop/",
        licence: "ODC-BY",
        base: "https://snap.stanford.edu/ogb/data/nodeproppred/",
        sources: &[Source { archive: true, ..file("arxiv.zip", None) }],
        inside: "unpacked/arxiv",
        expected: stated(169_343, 1_157_799, 128, 40),
        ..USUAL
    },
    Entry {
        name: "reddit",
        about: "Posts on Reddit, linked where the same people comment, by community; public split (GraphSAGE)",
        home: "https://snap.stanford.edu/graphsage/",
        base: "https://data.dgl.ai/dataset/",
        sources: &[Source { archive: true, ..file("reddit.zip", None) }],
        inside: "unpacked",
        expected: stated(232_965, 57_307_946, 602, 41),
        ..USUAL
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_entry_can_be_used() {
        for (place, entry) in ENTRIES.iter().enumerate() {
            assert_eq!(find(entry.name), Some(entry));
            assert!(ENTRIES[..place].iter().all(|other| other.name != entry.name));
            assert!(entry.base.starts_with("https://") && entry.base.ends_with('/'), "{}", entry.base);
            assert!(!entry.sources.is_empty());
            for source in entry.sources {
                assert!(!source.file.contains('/') && !source.path.starts_with('/'));
                let hexadecimal =
                    |sum: &str| sum.len() == 64 && sum.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
                assert!(source.sha256.is_none_or(hexadecimal), "{}", source.file);
            }
        }
        assert_eq!(ENTRIES.len(), 17);
        assert_eq!(find("amazon_photo").map(|entry| entry.name), Some("amazon-photo"));
        assert_eq!(find("imagenet"), None);
    }

    #[test]
    fn unverified_entries_are_marked() {
        let verified: Vec<&str> = ENTRIES.iter().filter(|entry| entry.verified()).map(|entry| entry.name).collect();
        assert_eq!(verified, ["cora", "citeseer", "twitch-de", "twitch-es"]);
    }

    /// The sums of the table against the files, where they are available.
    #[test]
    fn the_sums_are_those_of_the_files() {
        use sha2::{Digest, Sha256};
        use std::io::Read;
        for entry in ENTRIES.iter().filter(|entry| entry.verified()) {
            let Some(data) = crate::testing::real_data(&entry.name.replace('-', "_")) else { continue };
            let raw = data.join("raw");
            for source in entry.sources {
                let plain = std::fs::read(raw.join(source.file));
                let content = plain.unwrap_or_else(|_| {
                    let packed = std::fs::File::open(raw.join(format!("{}.gz", source.file))).unwrap();
                    let mut content = Vec::new();
                    flate2::read::MultiGzDecoder::new(packed).read_to_end(&mut content).unwrap();
                    content
                });
                let sum = crate::bytes::hex(&Sha256::digest(&content));
                assert_eq!(Some(sum.as_str()), source.sha256, "{}", source.file);
            }
        }
    }
}
