-- One row per DAO and day that is old enough to be final. `method_key` identifies the method and all its constants.
CREATE TABLE daily_points (
  space_id TEXT NOT NULL,
  date TEXT NOT NULL,
  method_key TEXT NOT NULL,
  methodology_version TEXT NOT NULL,
  gvs REAL NOT NULL,
  hpr REAL NOT NULL,
  dei REAL NOT NULL,
  pdi REAL NOT NULL,
  gpi REAL NOT NULL,
  risk_score REAL,
  completeness_pct REAL NOT NULL,
  attention_sum REAL NOT NULL,
  PRIMARY KEY (space_id, date)
) STRICT, WITHOUT ROWID;
