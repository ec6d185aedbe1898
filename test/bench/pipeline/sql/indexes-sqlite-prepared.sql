-- What every day looks up of what is made once.
CREATE INDEX coincidence_ballot ON coincidence (proposal_no);
CREATE INDEX deliberated_key ON deliberated (proposal_no);
CREATE INDEX log_factorial_key ON log_factorial (k);
ANALYZE;
