-- DuckDB reads the archive's own files. :archive is the folder, :registry_wallets a file of {"voter", "entity_id"} lines.
INSERT INTO vote
SELECT id, proposal.id, LOWER(voter), created, CAST(choice AS VARCHAR), vp,
  CASE WHEN reason IS NULL THEN NULL WHEN reason = '' THEN 0 ELSE 1 END, CASE WHEN vp_state = 'final' THEN 1 ELSE 0 END
FROM read_json(':archive/votes/*.ndjson', format = 'newline_delimited', columns = {
  id: 'VARCHAR', voter: 'VARCHAR', created: 'BIGINT', choice: 'JSON', vp: 'DOUBLE', vp_state: 'VARCHAR', reason: 'VARCHAR',
  proposal: 'STRUCT(id VARCHAR)'});

INSERT INTO proposal
SELECT id, regexp_extract(filename, '([^/]+)[.]ndjson$', 1), LOWER(author), created, start, "end", type, len(choices),
  discussion, quorum, CASE WHEN quorumType = 'rejection' THEN 1 ELSE 0 END, state, scores_state, scores_total, votes,
  CAST(strategies AS VARCHAR), CASE WHEN privacy = 'shutter' THEN 1 ELSE 0 END, CASE WHEN flagged THEN 1 ELSE 0 END
FROM read_json(':archive/proposals/*.ndjson', format = 'newline_delimited', filename = true, columns = {
  id: 'VARCHAR', author: 'VARCHAR', created: 'BIGINT', start: 'BIGINT', "end": 'BIGINT', type: 'VARCHAR', choices: 'VARCHAR[]',
  discussion: 'VARCHAR', quorum: 'DOUBLE', quorumType: 'VARCHAR', state: 'VARCHAR', scores_state: 'VARCHAR',
  scores_total: 'DOUBLE', votes: 'INTEGER', strategies: 'JSON', privacy: 'VARCHAR', flagged: 'BOOLEAN'});

INSERT INTO space
SELECT id,
  CASE WHEN filters.onlyMembers OR (validation.name <> 'any' AND validation.params IS NOT NULL AND CAST(validation.params AS VARCHAR) <> '{}') THEN 1 ELSE 0 END,
  CASE WHEN voting.period > 0 THEN 1 ELSE 0 END,
  CASE WHEN voting.quorumType = 'rejection' THEN NULL ELSE COALESCE(voting.quorum, 0) END,
  len(list_distinct(list_transform(list_concat(admins, moderators), lambda address: LOWER(address))))
FROM read_json(':archive/spaces/*.json', columns = {
  id: 'VARCHAR', admins: 'VARCHAR[]', moderators: 'VARCHAR[]', filters: 'STRUCT(onlyMembers BOOLEAN)',
  validation: 'STRUCT("name" VARCHAR, params JSON)', voting: 'STRUCT(period BIGINT, quorum DOUBLE, quorumType VARCHAR)'});

INSERT INTO wallet SELECT voter, entity_id FROM read_json(':registry_wallets', format = 'newline_delimited', columns = {voter: 'VARCHAR', entity_id: 'VARCHAR'});
