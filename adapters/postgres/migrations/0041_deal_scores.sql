-- What each deal says of each of its players, by one evaluator. Made from the log, and made again from it.

CREATE SCHEMA investigation;

CREATE TABLE investigation.deal_scores (
    evaluator text COLLATE "C" NOT NULL,
    match uuid NOT NULL,
    hand_no integer NOT NULL,
    seat smallint NOT NULL,
    player uuid NOT NULL,
    ruleset text COLLATE "C" NOT NULL,
    origin text COLLATE "C" NOT NULL,
    ended_at timestamptz NOT NULL,
    directed boolean NOT NULL,
    score bytea NOT NULL,
    PRIMARY KEY (evaluator, match, hand_no, seat)
);
CREATE INDEX deal_scores_player ON investigation.deal_scores (evaluator, player);

-- How far each evaluator has read the log.
CREATE TABLE investigation.scored (
    evaluator text COLLATE "C" PRIMARY KEY,
    position bigint NOT NULL
);
