-- The points of a DAO in one row: they are read and written together, and hundreds of rows for each DAO were most of
-- what a first run wrote. migrate.ts packs the rows of `daily_points` and drops the table.
CREATE TABLE point_columns (
  space_id TEXT NOT NULL,
  method_key TEXT NOT NULL,
  packed BLOB NOT NULL,
  UNIQUE (space_id, method_key)
) STRICT;
