"""PostgreSQL: its server from a wheel, its schema, and everything that speaks to it."""
