-- Where a proposal stands on its platform, and the space's own pages; NULL for what came before these columns.
ALTER TABLE proposals ADD COLUMN link TEXT;
ALTER TABLE spaces ADD COLUMN website TEXT;
ALTER TABLE spaces ADD COLUMN forum TEXT;
-- What lists of before call a delegate, nobody has confirmed: it is read no more.
ALTER TABLE delegate_lists ADD COLUMN is_ens_confirmed INTEGER NOT NULL DEFAULT 0;
