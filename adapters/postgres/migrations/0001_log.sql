-- The match log (design §3–§4).

CREATE SCHEMA log;

-- One row an event. Positions are dense from 1, versions dense within a match; both unique indexes serve reading in
-- order: the log by position, a match by version. Rows are only ever inserted, so the defaults for bloat suit them.
CREATE TABLE log.events (
    position bigint PRIMARY KEY,
    match uuid NOT NULL,
    version bigint NOT NULL,
    tag text NOT NULL,
    body bytea NOT NULL,
    digest bytea NOT NULL,
    CONSTRAINT events_match_version UNIQUE (match, version)
);
-- Bodies are kept as they are and in their row (the largest has a few kB): no compressing beside ciphertext, and no
-- second look-up when a match or the log is read.
ALTER TABLE log.events ALTER COLUMN body SET STORAGE EXTERNAL;
ALTER TABLE log.events SET (toast_tuple_target = 8160);

-- What was accepted under which command id: the content only as a keyed digest, the result only as versions.
CREATE TABLE log.commands (
    match uuid NOT NULL,
    seat smallint NOT NULL,             -- -1 where no seat asked
    command_id uuid NOT NULL,
    content bytea NOT NULL,             -- key id and HMAC
    first_version bigint NOT NULL,
    last_version bigint NOT NULL,
    PRIMARY KEY (match, seat, command_id)
);

-- The state of a match at a hand's end, sealed like events. A convenience: never trusted by audit or rebuild.
CREATE TABLE log.snapshots (
    match uuid NOT NULL,
    version bigint NOT NULL,
    tag text NOT NULL,
    state bytea NOT NULL,
    PRIMARY KEY (match, version)
);

-- Append whole commands in one round trip. The statements below each see what was committed before they began: the
-- lock must be a statement of its own, since one that both waits and reads would read the state from before its wait.
--
-- A command is dropped whole, and its neighbours stored, if its id is known ("repeated") or if a match does not stand
-- where it expects ("conflict"). Streams name, for each match a command appends to, the first version it appends.
CREATE FUNCTION log.append(
    commands integer,
    id_command integer[], id_match uuid[], id_seat smallint[], id_value uuid[], id_content bytea[],
    stream_command integer[], stream_match uuid[], stream_first bigint[],
    event_command integer[], event_match uuid[], event_version bigint[], event_tag text[], event_body bytea[],
    event_digests bytea[]
) RETURNS TABLE (command integer, outcome text, first_position bigint)
LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    last bigint;
    repeated integer[];
    stale integer[];
BEGIN
    PERFORM pg_advisory_xact_lock(7283946501);

    SELECT coalesce(max(position), 0) INTO last FROM log.events;

    SELECT coalesce(array_agg(given.command), '{}') INTO repeated
    FROM unnest(id_command, id_match, id_seat, id_value) AS given (command, match, seat, value)
    JOIN log.commands AS known
      ON known.match = given.match AND known.seat = given.seat AND known.command_id = given.value;

    SELECT coalesce(array_agg(given.command), '{}') INTO stale
    FROM unnest(stream_command, stream_match, stream_first) AS given (command, match, first)
    WHERE given.first <> coalesce(
        (SELECT max(version) + 1 FROM log.events AS stored WHERE stored.match = given.match),
        -- A new match begins at 1; the library's recorder suites also begin one at 0.
        CASE WHEN given.first IN (0, 1) THEN given.first END,
        -1
    );

    INSERT INTO log.events (position, match, version, tag, body, digest)
    SELECT numbered.position, numbered.match, numbered.version, numbered.tag, numbered.body,
           sha256(int8send(numbered.position) || uuid_send(numbered.match) || int8send(numbered.version)
                  || convert_to(numbered.tag, 'UTF8') || numbered.digests)
    FROM (
        SELECT last + row_number() OVER (ORDER BY given.ordinal) AS position,
               given.match, given.version, given.tag, given.body, given.digests
        FROM unnest(event_command, event_match, event_version, event_tag, event_body, event_digests)
             WITH ORDINALITY AS given (command, match, version, tag, body, digests, ordinal)
        WHERE given.command <> ALL (repeated) AND given.command <> ALL (stale)
    ) AS numbered;

    INSERT INTO log.commands (match, seat, command_id, content, first_version, last_version)
    SELECT given.match, given.seat, given.value, given.content, bounds.first, bounds.last
    FROM unnest(id_command, id_match, id_seat, id_value, id_content) AS given (command, match, seat, value, content)
    JOIN (
        SELECT event.command, min(event.version) AS first, max(event.version) AS last
        FROM unnest(event_command, event_version) AS event (command, version) GROUP BY event.command
    ) AS bounds USING (command)
    WHERE given.command <> ALL (repeated) AND given.command <> ALL (stale);

    -- Wakes whoever tails the log, at the commit; the payload is empty, for readers ask for what they lack.
    NOTIFY gongzhu_log;

    RETURN QUERY
    WITH counted AS (
        SELECT number AS command, cardinality(array_positions(event_command, number)) AS events,
               CASE WHEN number = ANY (repeated) THEN 'repeated'
                    WHEN number = ANY (stale) THEN 'conflict'
                    ELSE 'stored' END AS outcome
        FROM generate_series(1, commands) AS number
    )
    SELECT counted.command, counted.outcome,
           CASE WHEN counted.outcome = 'stored' THEN
               last + 1 + coalesce(sum(counted.events) FILTER (WHERE counted.outcome = 'stored')
                   OVER (ORDER BY counted.command ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0)::bigint
           END
    FROM counted ORDER BY counted.command;
END
$$;

-- Which matches there are and which have ended, without reading the log: a few rows a match.
CREATE INDEX events_openings ON log.events (position) WHERE tag LIKE 'MatchOpened.%';
CREATE INDEX events_endings ON log.events (match) WHERE tag LIKE 'MatchSettled.%' OR tag LIKE 'MatchAbandoned.%';
