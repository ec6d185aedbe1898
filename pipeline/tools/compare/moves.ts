import { createHash } from "node:crypto";
import { formatCount } from "../../../snapshots/base/command-line/table.ts";
import { roundTo, SCORE_DECIMALS } from "../../../snapshots/format/ids.ts";
import type { Manifest } from "../../../snapshots/format/manifest.ts";
import type { WholeVersion } from "../../../snapshots/store/read/read-documents.ts";
import { COMPONENT_TEXTS } from "../../score/method/indicators.ts";
import { POINTS_SHOWN_MIN, spell } from "../spell.ts";
import { type DaoDiff, diffVersions, type VersionDiff } from "./diff.ts";
import { type Days, diffDays } from "./diff-days.ts";

/** The change of one DAO since the previous version; risk only in full reports. */
export type DaoChange = ReturnType<typeof changeOf>;

export type ReportChanges = ReturnType<typeof reportedChanges>;

/** One moved score, in public fields only, with a stable id. */
export type FeedMove = ReturnType<typeof movesOf>[number];

/** A URN derived from words only (RFC 9562, version 8). */
export function stableUrn(...words: readonly string[]): string {
  const bytes = createHash("sha256").update(JSON.stringify(words)).digest().subarray(0, 16);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x80;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = bytes.toString("hex");
  const parts = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)];
  return `urn:uuid:${parts.join("-")}`;
}

/**
 * The moves of DAOs to a version, in their order. The id combines the DAO and the version's creation time, which a
 * redaction keeps and a rollback does not, so an entry is never repeated to a reader. A sequence would not
 * work, as a redaction gives the current version a new one. DAOs without a score on both sides are skipped.
 */
export function movesOf(
  { sequence, created_at: createdAt, as_of: asOf }: Pick<Manifest, "sequence" | "created_at" | "as_of">,
  daos: readonly DaoChange[],
) {
  return daos
    .filter(({ fate, gvsBefore, gvsAfter }) =>
      fate === "moved" ? gvsBefore !== gvsAfter : gvsBefore !== undefined || gvsAfter !== undefined,
    )
    .map(({ riskBefore: _riskBefore, riskAfter: _riskAfter, why: _why, ...move }) => ({
      id: stableUrn("govdata move", createdAt, move.spaceId),
      sequence,
      asOf,
      ...move,
    }));
}

/** What happened to a DAO, as the end of a sentence that starts with its name. */
export const FATE_WORDS: Readonly<Record<DaoDiff["fate"], string>> = {
  appeared: "is new",
  vanished: "is no longer tracked",
  scored: "has a score now",
  unscored: "no longer has a score",
  moved: "moved",
};

/** What moved a gvs, in points of the gvs, the largest effect first: presence, and each component beyond that. */
function causesOf({ components, presence }: DaoDiff) {
  const beyond = components.map(({ key, gvsPoints = 0, presenceGvsPoints = 0, indicators }) => {
    const points = gvsPoints - presenceGvsPoints;
    const strongest = indicators.find(
      (indicator) => Math.abs(indicator.points) >= POINTS_SHOWN_MIN && indicator.points > 0 === points > 0,
    );
    return { name: COMPONENT_TEXTS[key].name, points, indicator: strongest?.id };
  });
  return [{ name: "presence", points: presence?.gvsPoints ?? 0, indicator: undefined }, ...beyond]
    .filter(({ points }) => Math.abs(points) >= POINTS_SHOWN_MIN)
    .sort((a, b) => Math.abs(b.points) - Math.abs(a.points));
}

/** One line with the causes of a move: by effect, components each with its main indicator, and proposals. */
function whyOf(dao: DaoDiff): string {
  const parts = causesOf(dao).map(({ name, points, indicator }) => {
    const indicatorText = indicator === undefined ? "" : ` (${spell.word(indicator)})`;
    return `${name} ${spell.change(points)}${indicatorText}`;
  });
  const proposals = [
    { count: dao.frame.entered.length, what: "entered the frame" },
    { count: dao.frame.left.length, what: "left it" },
  ].flatMap(({ count, what }) => (count === 0 ? [] : [`${formatCount(count, "proposal")} ${what}`]));
  return [...parts, ...proposals].join(", ");
}

const rounded = (value: number | undefined): number | undefined =>
  value === undefined ? undefined : roundTo(value, SCORE_DECIMALS);

/** Whether a page would show a change: of the score or rank, or in a full report of the risk. */
function isShown({ fate, gvs, rank, risk }: DaoDiff, isFull: boolean): boolean {
  const numbers = isFull ? [gvs, rank, risk] : [gvs, rank];
  return fate !== "moved" || numbers.some(({ before, after }) => rounded(before) !== rounded(after));
}

function changeOf(dao: DaoDiff, names: ReadonlyMap<string, string>, isFull: boolean) {
  const [strongest] = causesOf(dao);
  return {
    spaceId: dao.spaceId,
    name: names.get(dao.spaceId) ?? dao.spaceId,
    fate: dao.fate,
    gvsBefore: rounded(dao.gvs.before),
    gvsAfter: rounded(dao.gvs.after),
    interval: dao.interval?.map((end) => roundTo(end, SCORE_DECIMALS)),
    rankBefore: dao.rank.before,
    rankAfter: dao.rank.after,
    riskBefore: isFull ? dao.risk.before : undefined,
    riskAfter: isFull ? dao.risk.after : undefined,
    mostly: strongest?.name,
    /** The other causes; they name indicators and proposals, so only in a full report. */
    why: isFull ? whyOf(dao) : undefined,
  };
}

/** The changes between two versions; risk only if `isFull`, and no score that moved by less than `minDelta`. */
export function diffChanges(
  before: WholeVersion,
  after: WholeVersion,
  { isFull, minDelta }: { readonly isFull: boolean; readonly minDelta: number },
) {
  return reportedChanges(diffVersions(before, after, minDelta), [before, after], isFull);
}

/** The changes between two days of a version's history. */
export function dayChanges(whole: WholeVersion, days: Days, isFull: boolean): ReportChanges {
  return reportedChanges(diffDays(whole, days, 0), [whole], isFull);
}

function reportedChanges(diff: VersionDiff, versions: readonly WholeVersion[], isFull: boolean) {
  const daos = versions.flatMap(({ set }) => [...set.daos, ...set.unscored]);
  const names = new Map(daos.map((dao) => [dao.space_id, dao.name]));
  const shown = diff.daos.filter((dao) => isShown(dao, isFull));
  return {
    fromVersion: diff.from.version,
    fromAsOf: diff.from.asOf,
    toAsOf: diff.to.asOf,
    constants: diff.constants.map(({ name }) => name),
    daos: shown.map((dao) => changeOf(dao, names, isFull)),
    unchanged: diff.unchanged + diff.hidden + diff.daos.length - shown.length,
  };
}
