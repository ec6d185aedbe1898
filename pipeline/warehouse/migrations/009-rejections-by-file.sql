-- Counts by file, so that the counts of a ballot survive fetches that keep it. Of earlier rejections, only those with a
-- stored row have a file; the rest count until the next fetch.
CREATE TABLE rejection_counts_by_file (
  dao_number INTEGER NOT NULL REFERENCES daos ON DELETE CASCADE,
  source_id TEXT NOT NULL,
  file TEXT NOT NULL,
  code TEXT NOT NULL,
  rows_count INTEGER NOT NULL CHECK (rows_count > 0),
  PRIMARY KEY (dao_number, source_id, file, code)
) STRICT, WITHOUT ROWID;

INSERT INTO rejection_counts_by_file (dao_number, source_id, file, code, rows_count)
SELECT dao_number, source_id, file, code, count(*) FROM rejections GROUP BY dao_number, source_id, file, code;

INSERT INTO rejection_counts_by_file (dao_number, source_id, file, code, rows_count)
SELECT dao_number, source_id, '', code, rows_count - coalesce(kept, 0)
FROM rejection_counts
LEFT JOIN (SELECT dao_number, source_id, code, count(*) AS kept FROM rejections GROUP BY dao_number, source_id, code)
  USING (dao_number, source_id, code)
WHERE rows_count > coalesce(kept, 0);

DROP TABLE rejection_counts;
ALTER TABLE rejection_counts_by_file RENAME TO rejection_counts;
