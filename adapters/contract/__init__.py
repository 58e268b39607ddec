"""The contract of the feed, made from the code: schemas of every event, and the AsyncAPI document (design §5)."""
