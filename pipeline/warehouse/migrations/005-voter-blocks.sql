-- Voters by number in blocks of 1,024, all full but the last: voters are never read singly, and a row with an index
-- entry for each took longer to write than all their votes. migrate.ts packs the rows of `voters` and drops the table.
CREATE TABLE voter_blocks (
  block_number INTEGER PRIMARY KEY CHECK (block_number >= 0),
  voters_count INTEGER NOT NULL CHECK (voters_count BETWEEN 1 AND 1024),
  packed BLOB NOT NULL
) STRICT;
