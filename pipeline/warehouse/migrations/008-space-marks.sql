-- How a hub marks a space; NULL for rows from before these columns and for sources without marks.
ALTER TABLE spaces ADD COLUMN is_flagged INTEGER;
ALTER TABLE spaces ADD COLUMN is_hibernated INTEGER;
ALTER TABLE spaces ADD COLUMN is_verified INTEGER;
