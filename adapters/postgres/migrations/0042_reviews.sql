-- Reviews of finished hands, by what they were made with. Made from the log, and made again from it.

CREATE SCHEMA reviews;

CREATE TABLE reviews.hands (
    match uuid NOT NULL,
    hand_no integer NOT NULL,
    evaluator text COLLATE "C" NOT NULL,
    settings text COLLATE "C" NOT NULL,
    players uuid[] NOT NULL,
    review bytea NOT NULL,
    PRIMARY KEY (match, hand_no, evaluator, settings)
);
CREATE INDEX hands_players ON reviews.hands USING gin (players);
