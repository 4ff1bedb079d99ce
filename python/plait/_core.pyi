"""Stub of the compiled border; kept by hand, checked by mypy's stubtest."""

__version__: str

# --- text (rust/bindings/src/text.rs) ---

# --- links (rust/bindings/src/links.rs) ---

# --- align (rust/bindings/src/align.rs) ---
