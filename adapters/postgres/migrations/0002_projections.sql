-- Where each projection stands (design §6). Its rows are elsewhere: in the schema <projection>_<generation>.

CREATE SCHEMA projections;

-- One row a filling ("generation") of a projection, for each log it reads. `position` is the only position there is: it
-- is written in the transaction that writes the rows, and whoever applies messages locks it first.
CREATE TABLE projections.checkpoints (
    projection text NOT NULL,
    generation integer NOT NULL,
    log text NOT NULL,
    form text NOT NULL,                 -- digest of the tables' definitions and of the handlers' revision
    position bigint NOT NULL,           -- 0 before the first message
    epoch text,                         -- of the stream that brought the last message; null: it came from the log
    digest bytea,                       -- of the row at `position`; null at 0
    PRIMARY KEY (projection, generation, log)
);

-- The generation that is read. A rebuild changes it in the transaction in which it has compared the two.
CREATE TABLE projections.live (
    projection text PRIMARY KEY,
    generation integer NOT NULL
);

-- What a rebuild found different and someone accepted.
CREATE TABLE projections.differences (
    projection text NOT NULL,
    live_generation integer NOT NULL,
    rebuilt_generation integer NOT NULL,
    position bigint NOT NULL,
    table_name text NOT NULL,
    live_row text,
    rebuilt_row text
);
