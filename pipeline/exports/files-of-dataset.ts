import type { Manifest, ManifestFile } from "../../snapshots/format/manifest.ts";
import { PATHS } from "../../snapshots/format/paths.ts";
import { placeOf } from "../../snapshots/store/document-layout.ts";
import type { DatasetName } from "./datasets.ts";

/** Whose file it is: the middle of `proposals/<space_id>.ndjson` or a CSV in `delegates/<space_id>/`. */
export function spaceOfPath(path: string): string {
  return path.replace(/^[^/]+\//, "").replace(/(\.ndjson|\/(all|days)\.csv)$/, "");
}

const isWholeListing = (path: string): boolean => PATHS.wholeListing(spaceOfPath(path)) === path;
const kindOf = (path: string) => placeOf(path)?.kind;

/** Whether a dataset needs a file of a version. */
const NEEDED: Readonly<Record<DatasetName, (path: string) => boolean>> = {
  daos: (path) => ["daos", "dao", "risk"].includes(kindOf(path) ?? ""),
  proposals: (path) => PATHS.proposals(spaceOfPath(path)) === path,
  // Entities say who of the delegates may not be named.
  delegates: (path) => isWholeListing(path) || kindOf(path) === "entity",
  dgi: (path) => path === PATHS.dgi || path === PATHS.dgiHistory,
  history: (path) => kindOf(path) === "history",
};

/** The files of a version that a dataset is made of, by path. */
export function filesOfDataset(dataset: DatasetName, { files }: Manifest): readonly ManifestFile[] {
  return files
    .filter(({ path }) => NEEDED[dataset](path))
    .toSorted((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));
}
