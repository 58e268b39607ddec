-- Exports go through ended matches in order of their ending event, page by page.
CREATE INDEX events_endings_in_order ON log.events (position)
    WHERE tag LIKE 'MatchSettled.%' OR tag LIKE 'MatchAbandoned.%';
