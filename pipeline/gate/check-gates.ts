import { type CheckedDocuments, checkVersionLists } from "../../snapshots/format/agreement/check-shapes.ts";
import { documentsOfLists } from "../../snapshots/format/documents.ts";
import { PATHS } from "../../snapshots/format/paths.ts";
import type { Difference } from "../recompute/differences.ts";
import { problemFindings } from "./check-dao.ts";
import { checkRejectedRows, checkTime } from "./check-fetches.ts";
import { checkPlausibility } from "./check-plausibility.ts";
import { checkPrivacy } from "./check-privacy.ts";
import type { GateInput } from "./gate-input.ts";
import { applyOverrides, finding, GATE_RULES, type GateCode, type GateFinding } from "./gate-rules.ts";

/** The result of all gates on a version. */
export interface GateResult {
  readonly findings: readonly GateFinding[];
  /** The lists to publish; `undefined` if a finding refuses the version. */
  readonly checked: CheckedDocuments | undefined;
}

const CODES = Object.keys(GATE_RULES) as readonly GateCode[];

/**
 * Runs all gates on a version before readers can see it. Returns all findings in the order of `GATE_RULES`, including
 * those of single DAOs.
 */
export function checkGates(input: GateInput): GateResult {
  const { lists, daos, optedOut, rows, overrides } = input;
  const previous = input.previous === undefined || "damage" in input.previous ? undefined : input.previous;
  const { checked, problems } = checkVersionLists(
    lists,
    daos.map(({ digest }) => digest),
  );
  const listings = daos.flatMap(({ digest: { spaceId }, fetchedAt }) =>
    fetchedAt === undefined ? [] : [{ what: PATHS.latestListing(spaceId), fetchedAt }],
  );
  const raised = [
    ...problemFindings(problems),
    ...checkPrivacy(documentsOfLists(lists), optedOut),
    ...daos.flatMap(({ findings }) => findings),
    ...checkDerivation([...daos.flatMap(({ differences }) => differences), ...input.differences]),
    ...checkTime({ ...input, fetchTimes: [...input.fetchTimes, ...listings] }, previous),
    ...checkRejectedRows(rows, previous?.rows ?? []),
    ...checkPlausibility(input),
  ];
  const findings = applyOverrides(raised, overrides).toSorted(
    (a, b) => CODES.indexOf(a.code) - CODES.indexOf(b.code),
  );
  const isRefused = findings.some(({ severity }) => severity === "refuse");
  return { findings, checked: isRefused ? undefined : checked };
}

/** How many differences are named: a single bug shows in hundreds of numbers. */
const NAMED_MAX = 5;

const spelled = (value: unknown): string => JSON.stringify(value) ?? "nothing";

/** Reports numbers of the version that do not follow from its own evidence. */
function checkDerivation(differences: readonly Difference[]): readonly GateFinding[] {
  const named = differences.slice(0, NAMED_MAX).map(({ path, published, recomputed }) => {
    const message = `${path}: is ${spelled(published)}, but its evidence gives ${spelled(recomputed)}`;
    return finding("EVIDENCE_DIFFERS", message);
  });
  const others = differences.length - named.length;
  if (others === 0) return named;
  return [...named, finding("EVIDENCE_DIFFERS", `${others} more numbers do not follow from their evidence`)];
}
