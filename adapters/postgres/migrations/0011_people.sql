-- People: what is known of players beside their ids (design §8). Never in the log, the stream or the read models.

CREATE SCHEMA people;

-- What players are called. Joined when read, erasable.
CREATE TABLE people.names (
    player uuid PRIMARY KEY,
    name text NOT NULL,
    changed_at timestamptz NOT NULL
);

-- One key a player, itself sealed: without its row none of his connection records opens, in no backup either.
CREATE TABLE people.player_keys (
    player uuid PRIMARY KEY,
    sealed bytea NOT NULL
);

-- When players were connected, with digests of where from; sealed under the player's key, kept for a while.
CREATE TABLE people.connections (
    player uuid NOT NULL,
    at timestamptz NOT NULL,
    sealed bytea NOT NULL
);
CREATE INDEX connections_player ON people.connections (player, at);
CREATE INDEX connections_at ON people.connections (at);

-- Hands that players reported: how a case starts.
CREATE TABLE people.reports (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    match uuid NOT NULL,
    hand_no integer NOT NULL,
    player uuid NOT NULL,
    reason text NOT NULL,
    at timestamptz NOT NULL,
    UNIQUE (match, hand_no, player)
);

-- What operators and investigators looked at and did. Rows are only ever inserted.
CREATE TABLE people.trail (
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at timestamptz NOT NULL,
    by text NOT NULL,
    what text NOT NULL,
    about text NOT NULL
);
