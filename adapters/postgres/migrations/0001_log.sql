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
-- Gives the last position before the call and a verdict a command; the rows of stored commands follow densely.
--
-- Short look-ups in loops are quicker here than joins with unnested arrays: most calls bring a few commands only.
CREATE FUNCTION log.append(
    commands integer,
    id_command integer[], id_match uuid[], id_seat smallint[], id_value uuid[], id_content bytea[],
    id_first bigint[], id_last bigint[],
    stream_command integer[], stream_match uuid[], stream_first bigint[],
    event_command integer[], event_match uuid[], event_version bigint[], event_tag text[], event_body bytea[],
    event_digests bytea[],
    OUT last_before bigint, OUT verdicts text[]
) LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    next_version bigint;
BEGIN
    PERFORM pg_advisory_xact_lock(7283946501);

    SELECT position INTO last_before FROM log.events ORDER BY position DESC LIMIT 1;
    last_before := coalesce(last_before, 0);
    verdicts := array_fill('stored'::text, ARRAY[commands]);

    FOR i IN 1 .. cardinality(stream_command) LOOP
        SELECT version + 1 INTO next_version FROM log.events
        WHERE match = stream_match[i] ORDER BY version DESC LIMIT 1;
        -- A new match begins at 1; the library's recorder suites also begin one at 0.
        IF stream_first[i] IS DISTINCT FROM next_version AND (next_version IS NOT NULL OR stream_first[i] NOT IN (0, 1))
        THEN
            verdicts[stream_command[i]] := 'conflict';
        END IF;
    END LOOP;

    FOR i IN 1 .. cardinality(id_command) LOOP
        PERFORM FROM log.commands AS known
        WHERE known.match = id_match[i] AND known.seat = id_seat[i] AND known.command_id = id_value[i];
        IF FOUND THEN
            verdicts[id_command[i]] := 'repeated';
        ELSIF verdicts[id_command[i]] = 'stored' THEN
            INSERT INTO log.commands (match, seat, command_id, content, first_version, last_version)
            VALUES (id_match[i], id_seat[i], id_value[i], id_content[i], id_first[i], id_last[i]);
        END IF;
    END LOOP;

    -- Rows come out of unnest in the order of the arrays, so the window needs no sort.
    INSERT INTO log.events (position, match, version, tag, body, digest)
    SELECT numbered.position, numbered.match, numbered.version, numbered.tag, numbered.body,
           sha256(int8send(numbered.position) || uuid_send(numbered.match) || int8send(numbered.version)
                  || convert_to(numbered.tag, 'UTF8') || numbered.digests)
    FROM (
        SELECT last_before + row_number() OVER () AS position,
               given.match, given.version, given.tag, given.body, given.digests
        FROM unnest(event_command, event_match, event_version, event_tag, event_body, event_digests)
             AS given (command, match, version, tag, body, digests)
        WHERE verdicts[given.command] = 'stored'
    ) AS numbered;

    -- Wakes whoever tails the log, at the commit; the payload is empty, for readers ask for what they lack.
    NOTIFY gongzhu_log;
END
$$;

-- Which matches there are and which have ended, without reading the log: a few rows a match.
CREATE INDEX events_openings ON log.events (position) WHERE tag LIKE 'MatchOpened.%';
CREATE INDEX events_endings ON log.events (match) WHERE tag LIKE 'MatchSettled.%' OR tag LIKE 'MatchAbandoned.%';
