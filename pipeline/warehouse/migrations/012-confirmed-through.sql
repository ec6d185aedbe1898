-- A commit confirms events up to a finalized block, which may be an hour older than the commit: a day is confirmed only
-- if the block came after its end. Of earlier commits, only the time of the commit is known.
ALTER TABLE token_confirmations ADD COLUMN through_ms INTEGER NOT NULL DEFAULT 0;
UPDATE token_confirmations SET through_ms = confirmed_at_ms;
