//! Sources, spans, diagnostics, and Python text lowered to the TorchScript syntax tree.
