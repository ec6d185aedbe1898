import {
  MEASURE_COLUMNS,
  type MeasureColumns,
  type ProposalLine,
} from "../../../snapshots/format/proposal-line.ts";
import type { WholeVersion } from "../../../snapshots/store/read/read-documents.ts";
import { chooseExplained } from "../../home/choose-version.ts";
import type { Settings } from "../../home/settings.ts";
import { withStore } from "../../home/store-errors.ts";
import { readExplainedVersion } from "../read-explained.ts";
import { type Moved, type SideScores, scoreChanges } from "./diff-scores.ts";

/** One DAO on both sides, and why it moved; numbers are unrounded if there is evidence. */
export type DaoDiff = ReturnType<typeof compareDao>;

export type VersionDiff = ReturnType<typeof diffSides>;

/** `govdata diff`: compares two kept versions, from their files only. Throws `PipelineFailure`. */
export async function runDiff(
  settings: Settings,
  request: { readonly from: string; readonly to: string; readonly minDelta: number },
): Promise<VersionDiff> {
  const read = async (name: string): Promise<WholeVersion> => {
    const { version } = await chooseExplained(settings, { version: name });
    return withStore(() => readExplainedVersion(settings.snapshotsDirectory, version));
  };
  return diffVersions(await read(request.from), await read(request.to), request.minDelta);
}

export function diffVersions(before: WholeVersion, after: WholeVersion, minDelta: number) {
  return diffSides(
    { summary: sideOf(before), daos: sidesOf(before) },
    { summary: sideOf(after), daos: sidesOf(after) },
    minDelta,
  );
}

export interface DiffSide {
  readonly summary: ReturnType<typeof sideOf>;
  readonly daos: ReadonlyMap<string, DaoSide>;
}

/** One DAO on one side; unknown values are `undefined`. */
export interface DaoSide {
  readonly scores: SideScores | undefined;
  /** With their measures, if these may differ between the sides. */
  readonly proposals: readonly SideProposal[];
  readonly gvs: number | undefined;
  /** The interval of the gvs; a day of the history has none. */
  readonly interval: readonly [low: number, high: number] | undefined;
  readonly rank: number | undefined;
  readonly risk: number | undefined;
  readonly completeness: number | undefined;
}

type SideProposal = Pick<ProposalLine, "id" | "place"> & Partial<MeasureColumns>;

/** Compares two sides; DAOs whose gvs moved by less than `minDelta` are counted, not listed. */
export function diffSides(from: DiffSide, to: DiffSide, minDelta: number) {
  const ids = [...new Set([...from.daos.keys(), ...to.daos.keys()])].sort();
  const all = ids.map((spaceId) => compareDao(spaceId, from.daos.get(spaceId), to.daos.get(spaceId)));
  const changed = all.filter((dao) => !isUnchanged(dao));
  const [before, after] = [from.summary.methodologyVersion, to.summary.methodologyVersion];
  const shown = changed.filter((dao) => dao.fate !== "moved" || strength(dao) >= minDelta);
  return {
    from: from.summary,
    to: to.summary,
    /** The method, if the two differ: scores of different methods are not comparable. */
    constants: before === after ? [] : [{ name: "methodology", before, after }],
    daos: shown.toSorted((a, b) => strength(b) - strength(a) || (a.spaceId < b.spaceId ? -1 : 1)),
    /** DAOs that moved by less than `minDelta`. */
    hidden: changed.length - shown.length,
    unchanged: all.length - changed.length,
  };
}

function sideOf({ version, manifest, set }: WholeVersion) {
  return {
    version,
    asOf: manifest.as_of,
    methodologyVersion: set.methodologyVersion,
    scored: set.daos.length,
    unscored: set.unscored.length,
  };
}

type Fate = "appeared" | "vanished" | "scored" | "unscored" | "moved";

function sidesOf({ set }: WholeVersion): ReadonlyMap<string, DaoSide> {
  const listed = new Map(set.daos.map((dao) => [dao.space_id, dao]));
  const published = new Map(set.evidence.map((item) => [item.evidence.space_id, item]));
  return new Map(
    [...set.daos, ...set.unscored].map(({ space_id: spaceId }) => {
      const { evidence, proposals = [] } = published.get(spaceId) ?? {};
      const scored = evidence?.unscored === null ? evidence : undefined;
      const side = {
        scores: evidence,
        proposals,
        gvs: scored?.gvs.point ?? listed.get(spaceId)?.gvs,
        rank: listed.get(spaceId)?.rank,
        interval: scored && ([scored.gvs.low, scored.gvs.high] as const),
        risk: scored?.risk?.point,
        completeness: evidence?.completeness_pct ?? undefined,
      };
      return [spaceId, side];
    }),
  );
}

function compareDao(spaceId: string, before: DaoSide | undefined, after: DaoSide | undefined) {
  const moved = (select: (side: DaoSide) => number | undefined): Moved => ({
    before: before && select(before),
    after: after && select(after),
  });
  const [old, now] = [before?.scores, after?.scores];
  const linesOf = (side: DaoSide | undefined) => (old && now && side?.proposals) ?? [];
  return {
    spaceId,
    fate: fateOf(before, after),
    gvs: moved((side) => side.gvs),
    interval: after?.interval,
    rank: moved((side) => side.rank),
    risk: moved((side) => side.risk),
    completeness: moved((side) => side.completeness),
    ...(old === undefined || now === undefined
      ? { components: [], presence: undefined }
      : scoreChanges(old, now)),
    frame: frameChanges(linesOf(before), linesOf(after)),
  };
}

function fateOf(before: DaoSide | undefined, after: DaoSide | undefined): Fate {
  if (before === undefined) return "appeared";
  if (after === undefined) return "vanished";
  if (before.gvs === undefined && after.gvs !== undefined) return "scored";
  return before.gvs !== undefined && after.gvs === undefined ? "unscored" : "moved";
}

/** Proposals that entered or left the frame, or are measured otherwise; the latest first. */
function frameChanges(before: readonly SideProposal[], after: readonly SideProposal[]) {
  const beforeById = new Map(before.map((line) => [line.id, line]));
  const afterById = new Map(after.map((line) => [line.id, line]));
  const remeasured = after.flatMap((line) => {
    const old = beforeById.get(line.id);
    if (old === undefined || !isMember(line) || !isMember(old)) return [];
    // The weight decreases from day to day without a new measurement.
    const columns = MEASURE_COLUMNS.filter((column) => column !== "weight" && line[column] !== old[column]);
    return columns.length === 0 ? [] : [{ id: line.id, columns }];
  });
  return {
    entered: movesInto(after, beforeById).toReversed(),
    left: movesInto(before, afterById).toReversed(),
    remeasured: remeasured.toReversed(),
  };
}

/** Members that are not members on the other side; `other` is their status there, or `UNKNOWN`. */
function movesInto(lines: readonly SideProposal[], others: ReadonlyMap<string, SideProposal>) {
  return lines
    .filter((line) => isMember(line) && !isMember(others.get(line.id)))
    .map(({ id }) => ({ id, other: others.get(id)?.place ?? "UNKNOWN" }));
}

const isMember = (line: SideProposal | undefined): boolean => line?.place === "MEMBER";

const change = ({ before, after }: Moved): number => Math.abs((after ?? 0) - (before ?? 0));

/** How much a DAO moved: by its gvs, or without one by its components. */
function strength({ gvs, components }: DaoDiff): number {
  if (gvs.before !== undefined || gvs.after !== undefined) return change(gvs);
  return Math.max(0, ...components.map(change));
}

function isUnchanged(dao: DaoDiff): boolean {
  const { frame, gvs, rank, risk, completeness, components } = dao;
  const numbers = [gvs, rank, risk, completeness, ...components];
  const moves = frame.entered.length + frame.left.length + frame.remeasured.length;
  return dao.fate === "moved" && moves === 0 && numbers.every(({ before, after }) => before === after);
}
