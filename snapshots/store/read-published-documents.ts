import { DaoDetail, DaoList } from "../format/dao.ts";
import type { Manifest } from "../format/manifest.ts";
import { PATHS } from "../format/paths.ts";
import { RunReport } from "../format/run-report.ts";
import { UnscoredList } from "../format/unscored.ts";
import { placeOf } from "./document-layout.ts";
import { locateVersion, manifestFile } from "./locate-version.ts";
import { parseJsonFile } from "./parse-json-file.ts";
import { readVerified } from "./verified-file.ts";

/** What a gate compares a new run with. */
export interface PublishedDocuments {
  readonly version: string;
  readonly manifest: Manifest;
  readonly daos: DaoList;
  readonly details: readonly DaoDetail[];
  readonly unscored: UnscoredList;
  readonly run: RunReport;
}

/** The lists, the details and the run report of a published version, each verified by hash; throws `SnapshotError`. */
export function readPublishedDocuments(root: string, version?: string): PublishedDocuments {
  const located = locateVersion(root, version === undefined ? {} : { version });
  const { directory, manifest } = located;
  const bytesOf = (path: string) => readVerified(directory, manifestFile(manifest, path));
  return {
    version: located.version,
    manifest,
    daos: parseJsonFile(PATHS.daos, bytesOf(PATHS.daos), DaoList),
    details: manifest.files
      .filter(({ path }) => placeOf(path)?.kind === "dao")
      .map(({ path }) => parseJsonFile(path, bytesOf(path), DaoDetail)),
    unscored: parseJsonFile(PATHS.unscored, bytesOf(PATHS.unscored), UnscoredList),
    run: parseJsonFile(PATHS.run, bytesOf(PATHS.run), RunReport),
  };
}
