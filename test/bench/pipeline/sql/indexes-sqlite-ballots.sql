-- SQLite joins by index only: counted votes by ballot and voter, and what is looked up by number.
CREATE INDEX counted_ballot ON counted (proposal_no, voter_no);
CREATE INDEX numbered_key ON numbered (proposal_no);
CREATE INDEX ballot_key ON ballot (proposal_no);
CREATE INDEX voter_key ON voter (voter_no);
ANALYZE;
