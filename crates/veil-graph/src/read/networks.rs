//! Graph files with attributes: opened as they are if there are none, imported otherwise (see
//! `import::networks`).

/// Declares a layout of a single file with one ending.
macro_rules! layout {
    ($(#[$doc:meta])* $name:ident, $ending:literal, $described:literal) => {
        $(#[$doc])*
        pub(super) mod $name {
            use crate::dataset::Dataset;
            use crate::read::{Entries, ReadError};

            pub(in crate::read) const DESCRIBED: &str = $described;

            pub(in crate::read) fn looks_like(entries: &Entries) -> bool {
                let ending = |name: &String| {
                    let name = name.to_ascii_lowercase();
                    [$ending, concat!($ending, ".gz"), concat!($ending, ".zst")].iter().any(|it| name.ends_with(it))
                };
                entries.is_single_file() && entries.names().iter().any(ending)
            }

            #[cfg(feature = "import")]
            pub(in crate::read) fn read(entries: &Entries) -> Result<Dataset, ReadError> {
                crate::import::open_bare(entries.root())
            }

            #[cfg(not(feature = "import"))]
            pub(in crate::read) fn read(entries: &Entries) -> Result<Dataset, ReadError> {
                Err(ReadError::MissingFeature { path: entries.root().to_owned(), feature: "import" })
            }
        }
    };
}

layout!(
    /// GraphML.
    graph_ml,
    ".graphml",
    "a GraphML file (.graphml)"
);
layout!(
    /// NetworkX's node-link data.
    node_link,
    ".json",
    "node-link data of NetworkX (.json)"
);
