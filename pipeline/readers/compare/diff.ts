import { MEASURE_COLUMNS, type ProposalLine } from "../../../snapshots/format/proposal-line.ts";
import { readVersion, type WholeVersion } from "../../../snapshots/store/read/read-documents.ts";
import { chooseExplained } from "../../home/choose-version.ts";
import type { Settings } from "../../home/settings.ts";
import { withStore } from "../../home/store-errors.ts";
import { componentChanges, gvsMoved, type Moved } from "./diff-scores.ts";

/** One DAO on both sides, and why it moved; numbers unrounded where there is evidence. */
export type DaoDiff = ReturnType<typeof compareDao>;

/** Two versions compared. */
export type VersionDiff = ReturnType<typeof diffVersions>;

/** `govdata diff`: two kept versions compared, from their files alone. Throws `PipelineError`. */
export async function runDiff(
  settings: Settings,
  request: { readonly from: string; readonly to: string; readonly minDelta: number },
): Promise<VersionDiff> {
  const read = async (wished: string): Promise<WholeVersion> => {
    const { version } = await chooseExplained(settings, { version: wished });
    return withStore(() => readVersion(settings.snapshotsDirectory, version));
  };
  return diffVersions(await read(request.from), await read(request.to), request.minDelta);
}

/** Compares two versions; a DAO whose gvs moved by less than `minDelta` is counted, not listed. */
export function diffVersions(before: WholeVersion, after: WholeVersion, minDelta: number) {
  const [old, now] = [sidesOf(before), sidesOf(after)];
  const ids = [...new Set([...old.keys(), ...now.keys()])].sort();
  const all = ids.map((spaceId) => compareDao(spaceId, old.get(spaceId), now.get(spaceId)));
  const changed = all.filter((dao) => !isUnchanged(dao));
  const shown = changed.filter((dao) => dao.fate !== "moved" || strength(dao) >= minDelta);
  return {
    from: sideOf(before),
    to: sideOf(after),
    /** The method where the two differ: scores of two methods are not comparable. */
    constants: changedMethod(before.set.methodologyVersion, after.set.methodologyVersion),
    /** The strongest changes first. */
    daos: shown.toSorted((a, b) => strength(b) - strength(a) || (a.spaceId < b.spaceId ? -1 : 1)),
    /** DAOs that moved by less than was asked for. */
    hidden: changed.length - shown.length,
    unchanged: all.length - changed.length,
  };
}

/** One of the two versions. */
function sideOf({ version, manifest, set }: WholeVersion) {
  return {
    version,
    asOf: manifest.as_of,
    methodologyVersion: manifest.methodology_version,
    scored: set.daos.length,
    unscored: set.unscored.length,
  };
}

/** What became of a DAO. */
type Fate = "appeared" | "vanished" | "scored" | "unscored" | "moved";

type DaoSide = NonNullable<ReturnType<ReturnType<typeof sidesOf>["get"]>>;

/** Every tracked DAO of a version by its id. */
function sidesOf({ set }: WholeVersion) {
  const listed = new Map(set.daos.map((dao) => [dao.space_id, dao]));
  const details = new Map(set.details.map((dao) => [dao.space_id, dao]));
  const risks = new Map(set.risks.map((risk) => [risk.space_id, risk]));
  const evidence = new Map(set.evidence.map((each) => [each.evidence.space_id, each]));
  return new Map(
    [...set.daos, ...set.unscored].map(({ space_id: spaceId }) => {
      const own = evidence.get(spaceId);
      const risk = own?.evidence.unscored === null ? own.evidence.risk : undefined;
      return [
        spaceId,
        {
          evidence: own?.evidence,
          proposals: own?.proposals ?? [],
          gvs: gvsMoved(undefined, own?.evidence).after ?? listed.get(spaceId)?.gvs,
          rank: listed.get(spaceId)?.rank,
          risk: risk?.point ?? risks.get(spaceId)?.risk_score,
          completeness:
            own === undefined
              ? details.get(spaceId)?.data_completeness
              : (own.evidence.completeness_pct ?? undefined),
        },
      ] as const;
    }),
  );
}

function compareDao(spaceId: string, before: DaoSide | undefined, after: DaoSide | undefined) {
  const moved = (of: (side: DaoSide) => number | undefined): Moved => ({
    before: before && of(before),
    after: after && of(after),
  });
  const [old, now] = [before?.evidence, after?.evidence];
  const linesOf = (side: DaoSide | undefined) => (old && now && side?.proposals) ?? [];
  return {
    spaceId,
    fate: fateOf(before, after),
    gvs: moved((side) => side.gvs),
    rank: moved((side) => side.rank),
    risk: moved((side) => side.risk),
    completeness: moved((side) => side.completeness),
    /** Empty where one side has no evidence. */
    components: old === undefined || now === undefined ? [] : componentChanges(old, now),
    frame: frameChanges(linesOf(before), linesOf(after)),
  };
}

function fateOf(before: DaoSide | undefined, after: DaoSide | undefined): Fate {
  if (before === undefined) return "appeared";
  if (after === undefined) return "vanished";
  if (before.gvs === undefined && after.gvs !== undefined) return "scored";
  return before.gvs !== undefined && after.gvs === undefined ? "unscored" : "moved";
}

/** Which proposals entered, left, or are measured otherwise; the latest first. */
function frameChanges(before: readonly ProposalLine[], after: readonly ProposalLine[]) {
  const beforeById = new Map(before.map((line) => [line.id, line]));
  const afterById = new Map(after.map((line) => [line.id, line]));
  const remeasured = after.flatMap((line) => {
    const old = beforeById.get(line.id);
    if (old === undefined || !isMember(line) || !isMember(old)) return [];
    // The weight fades from day to day without anything being measured.
    const columns = MEASURE_COLUMNS.filter((column) => column !== "weight" && line[column] !== old[column]);
    return columns.length === 0 ? [] : [{ id: line.id, columns }];
  });
  return {
    entered: movesInto(after, beforeById).toReversed(),
    left: movesInto(before, afterById).toReversed(),
    remeasured: remeasured.toReversed(),
  };
}

/** The members that are none on the other side; `other` is the place there, or `UNKNOWN` where the proposal is not known. */
function movesInto(lines: readonly ProposalLine[], others: ReadonlyMap<string, ProposalLine>) {
  return lines
    .filter((line) => isMember(line) && !isMember(others.get(line.id)))
    .map(({ id }) => ({ id, other: others.get(id)?.place ?? "UNKNOWN" }));
}

function isMember(line: ProposalLine | undefined): boolean {
  return line?.place === "MEMBER";
}

function change({ before, after }: Moved): number {
  return Math.abs((after ?? 0) - (before ?? 0));
}

/** How strongly a DAO moved: by its gvs, or where it has none by its components. */
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

function changedMethod(before: string, after: string) {
  return before === after ? [] : [{ name: "methodology", before, after }];
}
