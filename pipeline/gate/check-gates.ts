import { digestOf } from "../../snapshots/format/agreement/check-documents.ts";
import {
  type CheckedDocuments,
  checkDaoDocuments,
  checkVersionLists,
  type DocumentProblem,
} from "../../snapshots/format/agreement/check-shapes.ts";
import type { DocumentPart } from "../../snapshots/format/agreement/disagreement.ts";
import { documentsOfDaos, documentsOfLists } from "../../snapshots/format/documents.ts";
import type { HiddenEntity } from "../../snapshots/format/hidden-entities.ts";
import { PATHS } from "../../snapshots/format/paths.ts";
import { pipelineFailure } from "../facts/errors.ts";
import type { Difference } from "../recompute/recompute.ts";
import { checkFrame, checkRejectedRows, checkTime } from "./check-fetches.ts";
import { checkPlausibility } from "./check-plausibility.ts";
import { checkPrivacy } from "./check-privacy.ts";
import type { GatedDao, GateInput } from "./gate-input.ts";
import { applyOverrides, finding, GATE_RULES, type GateCode, type GateFinding } from "./gate-rules.ts";

function problemFindings(problems: readonly DocumentProblem[]): readonly GateFinding[] {
  return problems.map(({ code, message }) =>
    finding(code === "SHAPE_INVALID" ? "SHAPE_INVALID" : "PARTS_DISAGREE", message),
  );
}

/**
 * Runs all gates on the documents of one DAO. Returns all findings: sums and privacy are checked even if a shape is
 * wrong. `checked` is `undefined` if there is any finding, because none of these can be overridden.
 */
export function checkDao(
  part: DocumentPart,
  optedOut: readonly HiddenEntity[],
  differences: readonly Difference[],
): { readonly gated: GatedDao; readonly checked: CheckedDocuments | undefined } {
  const { checked, problems } = checkDaoDocuments(part);
  const findings = [
    ...problemFindings(problems),
    ...checkPrivacy(documentsOfDaos(part), optedOut),
    ...part.evidence.flatMap((evidence) => checkFrame(evidence, part.asOf)),
  ];
  const gated: GatedDao = {
    digest: digestOf(part),
    findings,
    differences,
    completeness: part.details[0]?.data_completeness,
    fetchedAt: part.listings[0]?.latest.fetched_at,
  };
  return { gated, checked: findings.length > 0 ? undefined : checked };
}

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
  const named = differences
    .slice(0, NAMED_MAX)
    .map(
      ({ path, published, recomputed }) =>
        `${path}: is ${spelled(published)}, but its evidence gives ${spelled(recomputed)}`,
    );
  const others = differences.length - named.length;
  const more = others === 0 ? [] : [`${others} more numbers do not follow from their evidence`];
  return [...named, ...more].map((message) => finding("EVIDENCE_DIFFERS", message));
}

/** Refusals listed per gate; the others are counted, to keep a report readable. */
const LISTED_MAX = 10;

/** Returns the documents that passed the gates; throws `GATE_REFUSED` with a report if a gate refused. */
export function requirePassed({ findings, checked }: GateResult): CheckedDocuments {
  if (checked !== undefined) return checked;
  const refusals = findings.filter((finding) => finding.severity === "refuse");
  const overrides = [...new Set(refusals.flatMap((finding) => finding.override ?? []))];
  const hint = refusals.some((finding) => finding.override === undefined)
    ? "Nothing was published. Findings that cannot be allowed are bugs: please report them."
    : `Nothing was published. If this is right: ${overrides.map((name) => `--allow ${name}`).join(" ")}`;
  const gates = [...new Set(refusals.map(({ code }) => code))];
  const lines = gates.flatMap((code) => {
    const ofGate = refusals.filter((finding) => finding.code === code);
    const more = ofGate.length > LISTED_MAX ? [`\n  ${code}: ${ofGate.length - LISTED_MAX} more`] : [];
    return [...ofGate.slice(0, LISTED_MAX).map(refusalLine), ...more];
  });
  const message = `a gate refused this version:${lines.join("")}`;
  throw pipelineFailure("GATE_REFUSED", message, { hint, data: { gates } });
}

/** The message, the compared values, and whether it can be allowed. */
function refusalLine({ code, message, compared, override }: GateFinding): string {
  const was = compared?.was === undefined ? [] : [`was ${compared.was}`];
  const about = [
    ...(compared === undefined ? [] : [...was, `is ${compared.is}`, `allowed: ${compared.limit}`]),
    ...(override === undefined ? ["cannot be allowed"] : []),
  ];
  return `\n  ${code}: ${message}${about.length === 0 ? "" : ` (${about.join("; ")})`}`;
}
