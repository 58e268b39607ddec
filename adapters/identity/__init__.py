"""Who asks: bearer tokens, their roles, and the keys that sign them."""
