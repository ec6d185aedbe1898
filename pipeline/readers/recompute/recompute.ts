import { verifySnapshot } from "../../../snapshots/store/maintain/verify-snapshot.ts";
import { readVersion, type WholeSet } from "../../../snapshots/store/read/read-documents.ts";
import { PipelineError } from "../../facts/errors.ts";
import { chooseExplained } from "../../home/choose-version.ts";
import type { Settings } from "../../home/settings.ts";
import { withStore } from "../../home/store-errors.ts";
import { METHODOLOGY } from "../../score/method/methodology.ts";
import { type Derived, deriveAll, deriveDaos, recomputeAllScores } from "./derive-daos.ts";
import { compareDocuments, compareIndex } from "./derive-documents.ts";
import { countLeaves, differencesOf } from "./differences.ts";
import { checkPast } from "./past.ts";

/** What deriving a version again found. */
export type RecomputeResult = Awaited<ReturnType<typeof runRecompute>>;

/** Derives the documents of a set again, and with them what its past allows; the evidence itself is taken as it is. */
export function recomputeDocuments(set: WholeSet, derived: readonly Derived[] = deriveAll(set.evidence)) {
  const daos = deriveDaos(set, derived);
  const compared = [...compareDocuments(set, daos), ...compareIndex(set, daos)];
  const past = checkPast(set, daos);
  const differences = compared.flatMap(({ path, published, derived: again }) =>
    differencesOf(path, published, again),
  );
  return {
    /** Numbers, words and nulls that were derived again. */
    numbers: compared.reduce((sum, { published }) => sum + countLeaves(published), past.checked),
    differences: [...differences, ...past.differences],
  };
}

/** Derives every score of a set again from its evidence and lines alone, and lists each difference to what is published. */
export function recomputeSet(set: WholeSet) {
  const derived = deriveAll(set.evidence);
  const { numbers, differences } = recomputeDocuments(set, derived);
  return {
    daos: set.evidence.length,
    numbers: numbers + countLeaves(set.evidence),
    differences: [...recomputeAllScores(set.evidence, derived), ...differences],
  };
}

/** Throws `PipelineError` where there is nothing to derive from, or by another method. */
function assertDerivable(version: string, { evidence, methodologyVersion }: WholeSet): void {
  if (evidence.length === 0) {
    throw new PipelineError("NOT_FOUND", `version ${version} was published without evidence`, {
      hint: "`govdata publish` makes a version that has some.",
    });
  }
  if (methodologyVersion !== METHODOLOGY.version) {
    throw new PipelineError(
      "SNAPSHOT_INVALID",
      `version ${version} was made by method ${methodologyVersion}; this program computes by ${METHODOLOGY.version}`,
      { hint: "Use the release of govdata that made it." },
    );
  }
}

/** `govdata recompute`: a version's files verified, and every score of it derived again without a warehouse. */
export async function runRecompute(settings: Settings, wished: string | undefined) {
  const { version, manifest } = await chooseExplained(settings, { version: wished });
  const { snapshotsDirectory: root } = settings;
  const { problems } = await verifySnapshot(root, { version });
  const head = { version, asOf: manifest.as_of, methodologyVersion: manifest.methodology_version };
  // Nothing is derived from files that cannot be believed.
  if (problems.length > 0) return { ...head, problems, numbers: 0, daos: 0, differences: [] };
  const { set } = await withStore(() => readVersion(root, version));
  assertDerivable(version, set);
  return { ...head, problems, ...recomputeSet(set) };
}
