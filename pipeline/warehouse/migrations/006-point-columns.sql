-- The points of a DAO in one row: they are read and written together, some hundred rows for each DAO of them were most
-- of what a first run wrote. What lies in `daily_points` is packed, and the table dropped, by migrate.ts.
CREATE TABLE point_columns (
  space_id TEXT NOT NULL,
  method_key TEXT NOT NULL,
  packed BLOB NOT NULL,
  UNIQUE (space_id, method_key)
) STRICT;
