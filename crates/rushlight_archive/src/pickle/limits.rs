//! What a pickle may ask for before it is refused.

/// Bounds on reading one pickle. The memory used is at most a small multiple of the input's length in any case; these
/// bound what consumers of the result have to expect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PickleLimits {
    /// Values made.
    pub max_nodes: usize,
    /// Nesting of the result, so that a consumer may recurse over it.
    pub max_depth: usize,
    /// Values in the result when everything shared is counted once for each use, which must also stay in proportion to the
    /// values made: bounds consumers that copy what is shared.
    pub max_expanded: u64,
    /// Bytes of one module or attribute name.
    pub max_name: usize,
    /// Whether integers of one byte have a sign, as PyTorch wrote them up to 1.2. No bound, but a choice of the same reader.
    pub signed_bytes: bool,
}

impl Default for PickleLimits {
    fn default() -> PickleLimits {
        PickleLimits {
            max_nodes: 1 << 24,
            max_depth: 500,
            max_expanded: 1 << 27,
            max_name: 4096,
            signed_bytes: false,
        }
    }
}
