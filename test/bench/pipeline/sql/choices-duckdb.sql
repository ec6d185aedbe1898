-- DuckDB: every distinct choice of a voting type, whether it can be counted, and what part of a vote it gives to which option.
CREATE TABLE choice_seen AS
SELECT ROW_NUMBER() OVER (ORDER BY voting_type, choices_count, choice) AS choice_no, choice, voting_type, choices_count,
  CASE json_type(choice) WHEN 'UBIGINT' THEN 'integer' WHEN 'ARRAY' THEN 'array' WHEN 'OBJECT' THEN 'object' ELSE 'other' END AS form
FROM (
  SELECT DISTINCT vote.choice, proposal.voting_type, proposal.choices_count
  FROM vote
  JOIN proposal ON proposal.proposal_id = vote.proposal_id
) AS seen;

-- A list names options, an object weighs them; zero weights are dropped.
CREATE TABLE choice_option AS
SELECT choice_no, voting_type, choices_count, form, option_no, weight
FROM (
  SELECT choice_seen.*, CAST(choice AS INTEGER) AS option_no, CAST(1 AS DOUBLE) AS weight FROM choice_seen WHERE form = 'integer'
  UNION ALL
  SELECT choice_seen.*, UNNEST(CAST(CAST(choice AS JSON) AS INTEGER[])), 1 FROM choice_seen WHERE form = 'array'
  UNION ALL
  SELECT choice_no, choice, voting_type, choices_count, form, CAST(option_key AS INTEGER),
    CAST(json_extract_string(choice, '$."' || option_key || '"') AS DOUBLE)
  FROM (SELECT choice_seen.*, UNNEST(json_keys(choice)) AS option_key FROM choice_seen WHERE form = 'object') AS keyed
) AS options;
