-- What lists of before call a delegate, nobody has confirmed: it is read no more.
ALTER TABLE delegate_lists ADD COLUMN is_ens_confirmed INTEGER NOT NULL DEFAULT 0;
