-- A proposal's page on its platform, and the space's own pages; NULL for rows from before these columns.
ALTER TABLE proposals ADD COLUMN link TEXT;
ALTER TABLE spaces ADD COLUMN website TEXT;
ALTER TABLE spaces ADD COLUMN forum TEXT;
-- Names of delegates in earlier lists were not confirmed and are not read any more.
ALTER TABLE delegate_lists ADD COLUMN is_ens_confirmed INTEGER NOT NULL DEFAULT 0;
