-- A commit confirms events up to a finalized block, and that may be of before the commit by an hour: what it says of a day
-- holds where the block came after it. Of the commits before, the time of the commit is all that is known.
ALTER TABLE token_confirmations ADD COLUMN through_ms INTEGER NOT NULL DEFAULT 0;
UPDATE token_confirmations SET through_ms = confirmed_at_ms;
