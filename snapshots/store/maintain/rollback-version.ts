import { timestampOf } from "../../format/ids.ts";
import { FORMAT_VERSION } from "../../format/limits.ts";
import { RunReport } from "../../format/manifest.ts";
import { PATHS } from "../../format/paths.ts";
import {
  assertVouchedFor,
  type LocatedVersion,
  locateVersion,
  readDocument,
  type SignatureRule,
} from "../read/locate-version.ts";
import { SnapshotError } from "../read/snapshot-error.ts";
import { type Publication, type PublishResult, publishVersion } from "../write/publish-version.ts";
import { renderDataPackageAgain, renderJson } from "../write/render-documents.ts";
import type { SnapshotDisk } from "../write/snapshot-disk.ts";
import { verifySnapshot } from "./verify-snapshot.ts";

/** Which kept version to go back to, and how the version that repeats it is made. */
interface Rollback extends Publication, SignatureRule {
  readonly version: string;
}

/** What says that the version is published again, or the hash of what says so. */
const REWRITTEN: ReadonlySet<string> = new Set([PATHS.run, PATHS.dataPackage]);

/**
 * Publishes the content of a kept version again, under a new name and sequence, so that readers who refuse an older
 * sequence take it. Every file but `run.json`, and the data package that has its hash, is the very same.
 */
export async function rollbackVersion(rollback: Rollback, disk: SnapshotDisk): Promise<PublishResult> {
  const { version, createdAtMs } = rollback;
  return publishVersion(
    rollback,
    async (previous) => {
      const located = locateVersion(disk.root, { version });
      const { manifest } = located;
      assertOfThisFormat(located);
      assertVouchedFor(located, rollback, {
        none: `version ${version} has no signature, and would get one (--allow signature)`,
        untrusted: `version ${version} has a signature that none of the trusted keys gave`,
      });
      if (previous?.pointer.version === version) {
        throw new SnapshotError("SNAPSHOT_INVALID", `version ${version} is the current one already`);
      }
      await requireWhole(disk.root, version);
      const report = readDocument(located, PATHS.run, RunReport);
      const instead = previous === undefined ? "" : ` instead of ${previous.pointer.version}`;
      const message = `this is version ${version} again, published at ${timestampOf(createdAtMs)}${instead}`;
      // The report of the run that made the content, with a word about when it was published again.
      const run = renderJson(PATHS.run, RunReport, {
        ...report,
        findings: [...report.findings, { code: "ROLLED_BACK", space_id: null, message }],
      });
      const entries = manifest.files.filter(({ path }) => !REWRITTEN.has(path));
      return {
        about: { ...manifest, replaces: version },
        files: [run, ...renderDataPackageAgain(located, [run.entry, ...entries])],
        kept: { version, entries },
      };
    },
    disk,
  );
}

/** Refuses a version of an older format: its content would be published under a format that it does not have. */
export function assertOfThisFormat({
  version,
  manifest: { format },
}: Pick<LocatedVersion, "version" | "manifest">): void {
  if (format === FORMAT_VERSION) return;
  const message = `version ${version} is of format ${format}, and only versions of format ${FORMAT_VERSION} can come back; \`govdata publish --as-of\` its moment makes it anew from the warehouse`;
  throw new SnapshotError("SNAPSHOT_FORMAT_UNKNOWN", message, { path: PATHS.manifest });
}

/** Only what is whole may come back: nobody looks at an old version as closely as at a new one. */
async function requireWhole(root: string, version: string): Promise<void> {
  const { problems } = await verifySnapshot(root, { version, deep: true });
  const [first] = problems;
  if (first === undefined) return;
  const others = problems.length > 1 ? ` (and ${problems.length - 1} more)` : "";
  throw new SnapshotError("SNAPSHOT_INVALID", `version ${version}: ${first.message}${others}`, {
    path: first.path,
  });
}
