-- When commits confirmed a token's events. The data of an ended day have the time of the first commit after it, and
-- keep it however often the chain is read again.
CREATE TABLE token_confirmations (
  token_number INTEGER NOT NULL REFERENCES tokens ON DELETE CASCADE,
  confirmed_at_ms INTEGER NOT NULL,
  PRIMARY KEY (token_number, confirmed_at_ms)
) STRICT, WITHOUT ROWID;

-- Of earlier commits, only the last is known.
INSERT INTO token_confirmations (token_number, confirmed_at_ms)
SELECT token_number, fetched_at_ms
FROM tokens JOIN complete_fetches ON complete_fetches.dao_number = tokens.dao_number AND source_id = kept_by
WHERE confirmed_block IS NOT NULL;
