import { identifyFile } from "../../../snapshots/format/documents.ts";
import type { Manifest } from "../../../snapshots/format/manifest.ts";
import { verifySnapshot } from "../../../snapshots/store/maintain/verify-snapshot.ts";
import { readByDao } from "../../../snapshots/store/read/read-documents.ts";
import { pipelineFailure } from "../../facts/errors.ts";
import { chooseExplained } from "../../home/choose-version.ts";
import type { Settings } from "../../home/settings.ts";
import { withStore } from "../../home/store-errors.ts";
import { recomputeVersion } from "../../recompute/recompute.ts";
import { METHODOLOGY } from "../../score/method/methodology.ts";

export type RecomputeResult = Awaited<ReturnType<typeof runRecompute>>;

/** Throws `PipelineFailure` if there is no evidence, or if it is of another method. */
function assertDerivable(version: string, { files, methodology_version: method }: Manifest): void {
  if (!files.some(({ path }) => identifyFile(path)?.kind === "evidence")) {
    throw pipelineFailure("NOT_FOUND", `version ${version} was published without evidence`, {
      hint: "`govdata publish` makes a version with evidence.",
    });
  }
  if (method !== METHODOLOGY.version) {
    throw pipelineFailure(
      "SNAPSHOT_INVALID",
      `version ${version} was made by method ${method}; this program uses ${METHODOLOGY.version}`,
      { hint: "Use the release of govdata that made it." },
    );
  }
}

/** `govdata recompute`: verifies a version's files, and recomputes every score without a warehouse. */
export async function runRecompute(settings: Settings, requested: string | undefined) {
  const { version, manifest } = await chooseExplained(settings, { version: requested });
  const { snapshotsDirectory: root } = settings;
  const { problems } = await verifySnapshot(root, { version });
  const about = { version, asOf: manifest.as_of, methodologyVersion: manifest.methodology_version };
  // Nothing is recomputed from damaged files.
  if (problems.length > 0) return { ...about, problems, numbers: 0, daos: 0, differences: [] };
  assertDerivable(version, manifest);
  return { ...about, problems, ...(await withStore(() => recomputeVersion(readByDao(root, version)))) };
}
