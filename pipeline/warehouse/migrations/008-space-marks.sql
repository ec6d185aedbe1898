-- What a hub says of a space as a whole; NULL for what came before these columns, and from sources that do not say.
ALTER TABLE spaces ADD COLUMN is_flagged INTEGER;
ALTER TABLE spaces ADD COLUMN is_hibernated INTEGER;
ALTER TABLE spaces ADD COLUMN is_verified INTEGER;
