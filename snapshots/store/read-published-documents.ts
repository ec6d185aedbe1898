import type { DaoList } from "../format/dao.ts";
import type { Manifest } from "../format/manifest.ts";
import type { RunReport } from "../format/run-report.ts";
import type { UnscoredList } from "../format/unscored.ts";

/** What a gate compares a new run with. */
export interface PublishedDocuments {
  readonly version: string;
  readonly manifest: Manifest;
  readonly daos: DaoList;
  readonly unscored: UnscoredList;
  readonly run: RunReport;
}

/** The lists and the run report of a published version, each verified by hash; throws `SnapshotError`. */
export function readPublishedDocuments(_root: string, _version?: string): PublishedDocuments {
  throw new Error("not written yet");
}
