"""Pages in a real browser, served by a real site."""
