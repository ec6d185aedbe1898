-- When commits confirmed a token's events: what is said of a day that has ended is as old as the first that came after it,
-- and stays so however often more of the chain is read.
CREATE TABLE token_confirmations (
  token_number INTEGER NOT NULL REFERENCES tokens ON DELETE CASCADE,
  confirmed_at_ms INTEGER NOT NULL,
  PRIMARY KEY (token_number, confirmed_at_ms)
) STRICT, WITHOUT ROWID;

-- Of the commits before, only the last is known.
INSERT INTO token_confirmations (token_number, confirmed_at_ms)
SELECT token_number, fetched_at_ms
FROM tokens JOIN complete_fetches ON complete_fetches.dao_number = tokens.dao_number AND source_id = kept_by
WHERE confirmed_block IS NOT NULL;
