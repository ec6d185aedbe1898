-- What a plain team indexes: a vote's proposal and its voter.
CREATE INDEX vote_proposal ON vote (proposal_id);
CREATE INDEX vote_voter ON vote (voter);
CREATE UNIQUE INDEX proposal_key ON proposal (proposal_id);
