-- When a hub last changed a proposal or counted its votes, as a text to compare; NULL for what came before this column.
ALTER TABLE proposals ADD COLUMN revision TEXT;
