"""People: names, connection records, reports and the operators' audit trail, in tables beside the log (design §8)."""
