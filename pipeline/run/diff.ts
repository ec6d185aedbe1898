import type { Evidence } from "../../snapshots/format/evidence.ts";
import { readVersion, type WholeSet, type WholeVersion } from "../../snapshots/store/read-version.ts";
import { type ChangedConstant, changedConstants } from "./diff-constants.ts";
import { type FrameChanges, frameChanges } from "./diff-proposals.ts";
import { type ComponentChange, componentChanges, gvsMoved, type Moved } from "./diff-scores.ts";
import { chooseVersion } from "./explain-version.ts";
import type { Settings } from "./settings.ts";
import { withStore } from "./store-errors.ts";

/** What became of a DAO from one version to the other. */
export type Fate = "appeared" | "vanished" | "scored" | "unscored" | "moved";

/** One DAO on both sides, and why it moved; numbers unrounded where there is evidence. */
export interface DaoDiff {
  readonly spaceId: string;
  readonly fate: Fate;
  readonly gvs: Moved;
  readonly rank: Moved;
  readonly risk: Moved;
  readonly completeness: Moved;
  /** Empty where one side has no evidence. */
  readonly components: readonly ComponentChange[];
  readonly frame: FrameChanges;
}

/** One of the two versions. */
export interface DiffSide {
  readonly version: string;
  readonly asOf: string;
  readonly methodologyVersion: string;
  readonly scored: number;
  readonly unscored: number;
}

/** Two versions compared. */
export interface VersionDiff {
  readonly from: DiffSide;
  readonly to: DiffSide;
  readonly constants: readonly ChangedConstant[];
  /** The strongest changes first. */
  readonly daos: readonly DaoDiff[];
  /** DAOs that moved by less than was asked for, and those that did not move. */
  readonly hidden: number;
  readonly unchanged: number;
}

interface DaoSide {
  readonly evidence: Evidence | undefined;
  readonly proposals: WholeSet["evidence"][number]["proposals"];
  readonly gvs: number | undefined;
  readonly rank: number | undefined;
  readonly risk: number | undefined;
  readonly completeness: number | undefined;
}

/** Every tracked DAO of a version by its id. */
function sidesOf({ set }: WholeVersion): ReadonlyMap<string, DaoSide> {
  const listed = new Map(set.daos.map((dao) => [dao.space_id, dao]));
  const details = new Map(set.details.map((dao) => [dao.space_id, dao]));
  const risks = new Map(set.risks.map((risk) => [risk.space_id, risk]));
  const evidence = new Map(set.evidence.map((each) => [each.evidence.space_id, each]));
  return new Map(
    [...set.daos, ...set.unscored].map(({ space_id: spaceId }) => {
      const own = evidence.get(spaceId);
      const risk = own?.evidence.risk;
      return [
        spaceId,
        {
          evidence: own?.evidence,
          proposals: own?.proposals ?? [],
          gvs: gvsMoved(undefined, own?.evidence).after ?? listed.get(spaceId)?.gvs,
          rank: listed.get(spaceId)?.rank,
          risk: risk !== undefined && "score" in risk ? risk.score : risks.get(spaceId)?.risk_score,
          completeness:
            own === undefined
              ? details.get(spaceId)?.data_completeness
              : (own.evidence.completeness.pct ?? undefined),
        },
      ];
    }),
  );
}

function fateOf(before: DaoSide | undefined, after: DaoSide | undefined): Fate {
  if (before === undefined) return "appeared";
  if (after === undefined) return "vanished";
  if (before.gvs === undefined && after.gvs !== undefined) return "scored";
  return before.gvs !== undefined && after.gvs === undefined ? "unscored" : "moved";
}

function compareDao(spaceId: string, before: DaoSide | undefined, after: DaoSide | undefined): DaoDiff {
  const moved = (of: (side: DaoSide) => number | undefined): Moved => ({
    before: before && of(before),
    after: after && of(after),
  });
  const [old, now] = [before?.evidence, after?.evidence];
  const hasBoth = old !== undefined && now !== undefined;
  return {
    spaceId,
    fate: fateOf(before, after),
    gvs: moved((side) => side.gvs),
    rank: moved((side) => side.rank),
    risk: moved((side) => side.risk),
    completeness: moved((side) => side.completeness),
    components: hasBoth ? componentChanges(old, now) : [],
    frame: hasBoth
      ? frameChanges(before?.proposals ?? [], after?.proposals ?? [])
      : { entered: [], left: [], remeasured: [] },
  };
}

const change = ({ before, after }: Moved): number => Math.abs((after ?? 0) - (before ?? 0));

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

function sideOf({ version, manifest, set }: WholeVersion): DiffSide {
  return {
    version,
    asOf: manifest.as_of,
    methodologyVersion: manifest.methodology_version,
    scored: set.daos.length,
    unscored: set.unscored.length,
  };
}

/** Compares two versions; a DAO whose gvs moved by less than `minDelta` is counted, not listed. */
export function diffVersions(before: WholeVersion, after: WholeVersion, minDelta: number): VersionDiff {
  const [old, now] = [sidesOf(before), sidesOf(after)];
  const ids = [...new Set([...old.keys(), ...now.keys()])].sort();
  const all = ids.map((spaceId) => compareDao(spaceId, old.get(spaceId), now.get(spaceId)));
  const changed = all.filter((dao) => !isUnchanged(dao));
  const shown = changed.filter((dao) => dao.fate !== "moved" || strength(dao) >= minDelta);
  return {
    from: sideOf(before),
    to: sideOf(after),
    constants: changedConstants(before.set.evidence[0]?.evidence, after.set.evidence[0]?.evidence),
    daos: shown.toSorted((a, b) => strength(b) - strength(a) || (a.spaceId < b.spaceId ? -1 : 1)),
    hidden: changed.length - shown.length,
    unchanged: all.length - changed.length,
  };
}

/** `govdata diff`: two kept versions compared, from their files alone. Throws `PipelineError`. */
export async function runDiff(
  settings: Settings,
  request: { readonly from: string; readonly to: string; readonly minDelta: number },
): Promise<VersionDiff> {
  const read = async (wished: string): Promise<WholeVersion> => {
    const { version } = await chooseVersion(settings, { version: wished, asOfMs: undefined });
    return withStore(() => readVersion(settings.snapshotsDirectory, version));
  };
  return diffVersions(await read(request.from), await read(request.to), request.minDelta);
}
