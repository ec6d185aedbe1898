import { formatCount } from "../../../snapshots/base/command-line/table.ts";
import { verifySnapshot } from "../../../snapshots/store/maintain/verify-snapshot.ts";
import { readByDao } from "../../../snapshots/store/read/read-documents.ts";
import { pipelineFailure } from "../../facts/errors.ts";
import { chooseExplained } from "../../home/choose-version.ts";
import type { Settings } from "../../home/settings.ts";
import { withStore } from "../../home/store-errors.ts";
import { recomputeVersion } from "../../recompute/recompute.ts";
import { METHODOLOGY } from "../../score/method/methodology.ts";

type RecomputeResult = Awaited<ReturnType<typeof runRecompute>>;

/**
 * `govdata recompute`: verifies a version's files, and recomputes every score without a warehouse. Throws
 * `SNAPSHOT_INVALID` for a version of another method.
 */
export async function runRecompute(settings: Settings, requested: string | undefined) {
  const { version, manifest } = await chooseExplained(settings, { version: requested });
  const { as_of: asOf, methodology_version: methodologyVersion } = manifest;
  const { snapshotsDirectory: root } = settings;
  const { problems } = await verifySnapshot(root, { version });
  const about = { version, asOf, methodologyVersion, problems };
  // Nothing is recomputed from damaged files.
  if (problems.length > 0) return { ...about, numbers: 0, daos: 0, differences: [] };
  // With the constants of another method, every number would differ.
  if (methodologyVersion !== METHODOLOGY.version) {
    throw pipelineFailure(
      "SNAPSHOT_INVALID",
      `version ${version} was made by method ${methodologyVersion}; this program uses ${METHODOLOGY.version}`,
      { hint: "Use the release of govdata that made it." },
    );
  }
  return { ...about, ...(await withStore(() => recomputeVersion(readByDao(root, version)))) };
}

/** Differences listed; the others are counted. `--json` has all. */
const LISTED_MAX = 50;

const shown = (value: unknown): string => (value === undefined ? "nothing" : JSON.stringify(value));

function formatDifference({ path, published, recomputed }: RecomputeResult["differences"][number]): string {
  return `${path}\n  published  ${shown(published)}\n  recomputed ${shown(recomputed)}\n`;
}

export function formatRecomputed(result: RecomputeResult): string {
  const { version, problems, differences, numbers, daos } = result;
  if (problems.length > 0) {
    const lines = problems.map(({ code, message }) => `${code} ${message}\n`).join("");
    return `${lines}${version} is damaged: nothing was recomputed\n`;
  }
  const listed = differences.slice(0, LISTED_MAX).map(formatDifference).join("");
  const more = differences.length > LISTED_MAX ? `and ${differences.length - LISTED_MAX} more\n` : "";
  return `${listed}${more}${formatCount(differences.length, "difference")} in ${numbers.toLocaleString("en")} numbers of ${formatCount(daos, "DAO")}\n`;
}
