-- A text that changes when a hub changes a proposal or recounts its votes; NULL for rows from before this column.
ALTER TABLE proposals ADD COLUMN revision TEXT;
