-- Case files of investigators: what was cited stands in them as it was then. Players stand in them by their ids.

CREATE TABLE investigation.cases (
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    opened_at timestamptz NOT NULL,
    opened_by text NOT NULL,
    players uuid[] NOT NULL,
    report bigint,
    why text NOT NULL
);

-- An item is cited once and never changed; its digest is the SHA-256 of its body.
CREATE TABLE investigation.case_items (
    case_number bigint NOT NULL REFERENCES investigation.cases,
    item integer NOT NULL,
    at timestamptz NOT NULL,
    by text NOT NULL,
    kind text NOT NULL,
    about text NOT NULL,
    body bytea NOT NULL,
    digest bytea NOT NULL,
    PRIMARY KEY (case_number, item)
);

CREATE FUNCTION investigation.refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'a case file is only ever added to';
END
$$;

CREATE TRIGGER items_only_grow BEFORE UPDATE OR DELETE ON investigation.case_items
    FOR EACH ROW EXECUTE FUNCTION investigation.refuse_change();
CREATE TRIGGER cases_only_grow BEFORE UPDATE OR DELETE ON investigation.cases
    FOR EACH ROW EXECUTE FUNCTION investigation.refuse_change();
