import { join } from "node:path";
import { RunReport } from "../../../snapshots/format/manifest.ts";
import { filesUnder, publishedFiles } from "../published-files.ts";
import { type CommandEnd, runGovdata } from "../run-in-process.ts";

/** An archive with stores of its own, and a way to run on them. */
export interface Place {
  readonly archive: string;
  readonly snapshots: string;
  run(...more: readonly string[]): Promise<CommandEnd>;
  report(): RunReport;
}

/** The place in a folder; `archive/` in it must exist before anything is run. */
export function placeAt(directory: string, asOf: string): Place {
  const archive = join(directory, "archive");
  const snapshots = join(directory, "published");
  const stores = ["--home", join(directory, "home"), "--snapshots", snapshots];
  const registry = ["--registry", join(archive, "registry.yaml")];
  return {
    archive,
    snapshots,
    run: (...more) =>
      runGovdata(["run", "--from", archive, "--as-of", asOf, ...stores, ...registry, ...more]),
    report: () => RunReport.parse(publishedFiles(snapshots).json("run.json")),
  };
}

/** Every byte below the snapshot root, but for the lock's own file. */
export const everyByte = (place: Place) =>
  [...filesUnder(place.snapshots)]
    .filter(([path]) => !path.startsWith("publish.lock"))
    .map(([path, bytes]) => [path, bytes.toString("base64")]);
