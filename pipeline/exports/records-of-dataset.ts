import type { z } from "zod";
import { DaoDetail, DaoList } from "../../snapshots/format/dao.ts";
import { Dgi, DgiHistory } from "../../snapshots/format/dgi.ts";
import { bareRow, type HiddenNames } from "../../snapshots/format/hidden-entities.ts";
import { DaoHistory } from "../../snapshots/format/history.ts";
import type { ManifestFile } from "../../snapshots/format/manifest.ts";
import { PATHS } from "../../snapshots/format/paths.ts";
import { RiskAssessment } from "../../snapshots/format/risk.ts";
import { delegateOfLine } from "../../snapshots/store/delegate-of-line.ts";
import { type LocatedVersion, manifestFile } from "../../snapshots/store/locate-version.ts";
import { parseJsonFile } from "../../snapshots/store/parse-json-file.ts";
import { readLinesOf } from "../../snapshots/store/read-evidence.ts";
import { readVerified } from "../../snapshots/store/verified-file.ts";
import type { DatasetName } from "./datasets.ts";
import { filesOfDataset, spaceOfPath } from "./files-of-dataset.ts";

/** A version to read rows from, and what must not be said of it. */
export interface ExportedVersion {
  readonly located: LocatedVersion;
  /** Asked only where a dataset could name somebody. */
  readonly hidden: () => HiddenNames;
}

function readFile<Shape extends z.ZodType>(
  { directory }: LocatedVersion,
  file: ManifestFile,
  shape: Shape,
): z.output<Shape> {
  return parseJsonFile(file.path, readVerified(directory, file), shape);
}

const hasFile = ({ manifest }: LocatedVersion, path: string): boolean =>
  manifest.files.some((file) => file.path === path);

function* daoRecords({ located }: ExportedVersion): Generator<object> {
  const { manifest } = located;
  for (const dao of readFile(located, manifestFile(manifest, PATHS.daos), DaoList)) {
    const riskPath = PATHS.risk(dao.space_id);
    const detail = readFile(located, manifestFile(manifest, PATHS.dao(dao.space_id)), DaoDetail);
    const risk = hasFile(located, riskPath)
      ? readFile(located, manifestFile(manifest, riskPath), RiskAssessment)
      : undefined;
    yield { ...dao, detail, risk };
  }
}

function* proposalRecords({ located }: ExportedVersion): Generator<object> {
  for (const { path } of filesOfDataset("proposals", located.manifest)) {
    const space_id = spaceOfPath(path);
    for (const line of readLinesOf(located, space_id)) yield { space_id, ...line };
  }
}

function* delegateRecords({ located, hidden }: ExportedVersion): Generator<object> {
  const names = hidden();
  for (const file of filesOfDataset("delegates", located.manifest)) {
    if (!file.path.endsWith(".csv")) continue;
    const space_id = spaceOfPath(file.path);
    const [, ...lines] = readVerified(located.directory, file).toString("utf8").split("\n");
    for (const line of lines) {
      if (line !== "") yield { space_id, ...bareRow(delegateOfLine(file.path, line), names) };
    }
  }
}

function* governanceIndexRecords({ located }: ExportedVersion): Generator<object> {
  const { manifest } = located;
  if (hasFile(located, PATHS.dgiHistory)) {
    const { values } = readFile(located, manifestFile(manifest, PATHS.dgiHistory), DgiHistory);
    for (const value of values) yield { point: "day", ...value };
  }
  if (hasFile(located, PATHS.dgi)) {
    yield { point: "current", ...readFile(located, manifestFile(manifest, PATHS.dgi), Dgi) };
  }
}

function* historyRecords({ located }: ExportedVersion): Generator<object> {
  for (const file of filesOfDataset("history", located.manifest)) {
    const { space_id, points } = readFile(located, file, DaoHistory);
    for (const point of points) yield { space_id, ...point };
  }
}

/** What rows are made of, one DAO in memory at a time; each throws `SnapshotError` where a file cannot be believed. */
export const RECORDS: Readonly<Record<DatasetName, (version: ExportedVersion) => Iterable<object>>> = {
  daos: daoRecords,
  proposals: proposalRecords,
  delegates: delegateRecords,
  dgi: governanceIndexRecords,
  history: historyRecords,
};
