"""Read models: folds over the feed, each committed with the position it has reached. No rules, no drivers."""
