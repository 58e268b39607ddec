"""The replay viewer: what it shows of a match as one document, and the page that shows it."""
