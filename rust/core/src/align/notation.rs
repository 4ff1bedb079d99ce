//! Text forms of links: Pharaoh lines, read and written.
