"""Pictures of links: a page for the browser (`html`), grids for the terminal (`terminal`), figures (`figures`)."""
