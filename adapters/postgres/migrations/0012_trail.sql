-- The operators' audit trail names the case an act belongs to, and only ever grows: no statement changes or removes a
-- row. (Who owns the database can take the triggers away; the trail tells of honest operators, and of careless ones.)

ALTER TABLE people.trail ADD COLUMN of_case text NOT NULL DEFAULT '';

CREATE FUNCTION people.refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'the operators'' audit trail is only ever added to';
END
$$;

CREATE TRIGGER trail_only_grows BEFORE UPDATE OR DELETE ON people.trail
    FOR EACH ROW EXECUTE FUNCTION people.refuse_change();
CREATE TRIGGER trail_is_never_emptied BEFORE TRUNCATE ON people.trail
    FOR EACH STATEMENT EXECUTE FUNCTION people.refuse_change();
ALTER TABLE people.trail ENABLE ALWAYS TRIGGER trail_only_grows;
ALTER TABLE people.trail ENABLE ALWAYS TRIGGER trail_is_never_emptied;

-- The planner's statistics are a copy of common values in a table of the system's own, which no erasure would reach.
ALTER TABLE people.names ALTER COLUMN name SET STATISTICS 0;
ALTER TABLE people.reports ALTER COLUMN reason SET STATISTICS 0;

-- Players who were erased. Nothing is kept of them again, whatever a client of theirs still does.
CREATE TABLE people.erased (
    player uuid PRIMARY KEY,
    at timestamptz NOT NULL
);
