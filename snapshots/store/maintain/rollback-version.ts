import { timestampOf } from "../../format/ids.ts";
import { RunReport } from "../../format/manifest.ts";
import { PATHS } from "../../format/paths.ts";
import { assertVouchedFor, locateVersion, type SignatureRule } from "../read/locate-version.ts";
import { readDocument } from "../read/parse-document.ts";
import { snapshotFailure } from "../read/snapshot-error.ts";
import { type Publication, type PublishResult, publishVersion } from "../write/publish-version.ts";
import { renderDataPackageAgain, renderJson } from "../write/render-documents.ts";
import type { SnapshotDisk } from "../write/snapshot-disk.ts";
import { verifySnapshot } from "./verify-snapshot.ts";

interface Rollback extends Publication, SignatureRule {
  readonly version: string;
}

/** Files that change: the run report notes the rollback, and the data package contains its hash. */
const REWRITTEN: ReadonlySet<string> = new Set([PATHS.run, PATHS.dataPackage]);

/**
 * Publishes the content of a kept version again, under a new name and sequence, because readers refuse a lower sequence.
 * Every file is identical, except `run.json` and the data package, which contains its hash.
 */
export async function rollbackVersion(rollback: Rollback, disk: SnapshotDisk): Promise<PublishResult> {
  const { version, createdAtMs } = rollback;
  return publishVersion(
    rollback,
    async (previous) => {
      const located = locateVersion(disk.root, { version });
      const { manifest } = located;
      assertVouchedFor(located, rollback, {
        none: `version ${version} has no signature, and would get one (--allow signature)`,
        untrusted: `version ${version} has a signature by none of the trusted keys`,
      });
      if (previous?.pointer.version === version) {
        throw snapshotFailure("SNAPSHOT_INVALID", `version ${version} is the current one already`);
      }
      await requireWhole(disk.root, version);
      const report = readDocument(located, "run");
      const instead = previous === undefined ? "" : ` instead of ${previous.pointer.version}`;
      const message = `this is version ${version} again, published at ${timestampOf(createdAtMs)}${instead}`;
      // The report of the run that made the content, with a finding that it was published again.
      const run = renderJson(PATHS.run, RunReport, {
        ...report,
        findings: [...report.findings, { code: "ROLLED_BACK", space_id: null, message }],
      });
      const entries = manifest.files.filter(({ path }) => !REWRITTEN.has(path));
      return {
        about: { ...manifest, replaces: version },
        files: [run, renderDataPackageAgain(located, [run.entry, ...entries])],
        kept: { version, entries },
      };
    },
    disk,
  );
}

/** Refuses a damaged version, because nobody checks an old version as closely as a new one. */
async function requireWhole(root: string, version: string): Promise<void> {
  const { problems } = await verifySnapshot(root, { version, deep: true });
  const [first] = problems;
  if (first === undefined) return;
  const others = problems.length > 1 ? ` (and ${problems.length - 1} more)` : "";
  throw snapshotFailure("SNAPSHOT_INVALID", `version ${version}: ${first.message}${others}`, {
    path: first.path,
  });
}
