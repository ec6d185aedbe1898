-- One step of finding connected components: every entity takes the smallest human among itself and its neighbours.
DROP TABLE IF EXISTS before_spread;
CREATE TABLE before_spread AS SELECT space_id, entity_no, human_no FROM human;

DROP TABLE human;
CREATE TABLE human AS
SELECT own.space_id, own.entity_no,
  CASE WHEN MIN(near.human_no) < own.human_no THEN MIN(near.human_no) ELSE own.human_no END AS human_no
FROM before_spread AS own
JOIN edge ON edge.space_id = own.space_id AND edge.entity_no = own.entity_no
JOIN before_spread AS near ON near.space_id = edge.space_id AND near.entity_no = edge.partner_no
GROUP BY own.space_id, own.entity_no, own.human_no;
