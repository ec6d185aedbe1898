import { join } from "node:path";
import { RunReport } from "../../../snapshots/format/manifest.ts";
import { filesUnder, publishedFiles } from "../published-files.ts";
import { type CommandEnd, runGovdata } from "../run-in-process.ts";

/** An archive with its own home and snapshots, and a function that runs `govdata run` on them. */
export interface ArchiveHome {
  readonly archive: string;
  readonly snapshots: string;
  run(...more: readonly string[]): Promise<CommandEnd>;
  report(): RunReport;
}

/** The archive and stores in a folder, which must contain `archive/` before the first run. */
export function archiveHomeAt(directory: string, asOf: string): ArchiveHome {
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

/** Every byte below the snapshot root, except the lock file. */
export const everyByte = ({ snapshots }: Pick<ArchiveHome, "snapshots">) =>
  [...filesUnder(snapshots)]
    .filter(([path]) => !path.startsWith("publish.lock"))
    .map(([path, bytes]) => [path, bytes.toString("base64")]);
