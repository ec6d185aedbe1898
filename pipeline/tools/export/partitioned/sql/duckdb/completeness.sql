-- Data completeness: how much of the data that the source reports was fetched.
-- Range: 0..100 percent. Unit: proposals of the frame by weight, half for the power fetched, half for the fields known.
-- Unknown: no row without a frame.
-- From: weighed, measured. Makes: completeness.
CREATE OR REPLACE TABLE completeness AS
SELECT weighed.moment_no, weighed.space_id, 100 * SUM(weight * (0.5 * fetched_share + 0.5 * fields_share)) / SUM(weight) AS completeness_pct
FROM weighed
JOIN measured ON measured.frame_no = weighed.frame_no AND measured.proposal_no = weighed.proposal_no
GROUP BY weighed.moment_no, weighed.space_id;
