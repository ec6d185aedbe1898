-- How many entities the last step gave another human.
SELECT COUNT(*) AS changed
FROM human
JOIN before_spread ON before_spread.space_id = human.space_id AND before_spread.entity_no = human.entity_no
WHERE before_spread.human_no <> human.human_no;
