-- What the live service keeps beside the log: agreements under way. Not part of the truth; losing it loses nothing.

CREATE SCHEMA live;

-- Which seats want a match abandoned. It is when all four do.
CREATE TABLE live.abandon_votes (
    match uuid NOT NULL,
    seat smallint NOT NULL,
    player uuid NOT NULL,
    PRIMARY KEY (match, seat)
);
