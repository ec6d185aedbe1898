import { readFileSync } from "node:fs";
import { join } from "node:path";
import type {
  DaoDetail,
  DaoHistory,
  DaoList,
  DaoSummary,
  Dgi,
  DgiHistory,
  RiskAssessment,
  UnscoredList,
} from "../../../snapshots/format/dao.ts";
import {
  DelegateItem,
  type DelegateListing,
  DelegateSummary,
  type DelegationGraph,
} from "../../../snapshots/format/delegates.ts";
import { ENVELOPES } from "../../../snapshots/format/envelope.ts";
import { bareGraph } from "../../../snapshots/format/hidden-entities.ts";
import { DELEGATE_LIMIT_FREE_MAX, LISTING_ROWS_PER_CUT } from "../../../snapshots/format/limits.ts";
import type { Manifest, RunReport } from "../../../snapshots/format/manifest.ts";
import type { ProposalLine } from "../../../snapshots/format/proposal-line.ts";
import type { PublishedEvidence } from "../../../snapshots/format/published-set.ts";
import type { ComponentKey } from "../../../snapshots/format/value-sets.ts";
import { guardReader } from "../../../snapshots/store/read/guard-reader.ts";
import { keptVersions } from "../../../snapshots/store/read/kept-versions.ts";
import { locateVersion } from "../../../snapshots/store/read/locate-version.ts";
import { openSnapshot } from "../../../snapshots/store/read/open-snapshot.ts";
import { readGraph, readPublishedDocuments } from "../../../snapshots/store/read/read-documents.ts";
import { readVersion, type WholeVersion } from "../../../snapshots/store/read/read-version.ts";
import type { SnapshotReader } from "../../../snapshots/store/read/snapshot-reader.ts";
import { COMPONENT_WORDS } from "../../documents/component-words.ts";
import { invariant } from "../../facts/errors.ts";
import { hiddenNamesOf, readLiveOptOuts } from "../../home/opt-outs.ts";
import type { Settings } from "../../home/settings.ts";
import { diffChanges, type ReportChanges } from "../compare/moves.ts";
import { explainCertainty } from "../explain/certainty.ts";
import { leftOut } from "../explain/moving-proposals.ts";
import { type ExplainedComponent, explainComponents, explainThinEvidence } from "../explain/scores.ts";

/** Reads all that a report may show of the current version, and nothing more. Throws `SnapshotError`. */
export async function readReportData(settings: Settings, isFull: boolean): Promise<ReportData> {
  const root = settings.snapshotsDirectory;
  const whole = readVersion(root);
  const { version, manifest, set } = whole;
  const rows = isFull ? LISTING_ROWS_PER_CUT : DELEGATE_LIMIT_FREE_MAX;
  const reader = await openSnapshot(root, { version });
  try {
    const graphs = isFull ? reportGraphs(settings, whole) : undefined;
    const guarded = guardReader(reader, readLiveOptOuts(settings).list);
    return {
      version,
      sequence: manifest.sequence,
      createdAt: manifest.created_at,
      asOf: manifest.as_of,
      methodologyVersion: manifest.methodology_version,
      isFull,
      names: COMPONENT_WORDS,
      list: set.daos,
      daos: set.daos.map((dao) => ({
        dao,
        listing: listingOf(guarded, dao.space_id, rows),
        full: isFull ? { ...fullOf(guarded, whole, dao), graph: graphs?.get(dao.space_id) } : undefined,
      })),
      dgi: set.dgi,
      dgiHistory: set.dgiHistory,
      unscored: set.unscored,
      run: readPublishedDocuments(root, version).run,
      sources: manifest.sources,
      changes: reportChanges(root, whole, isFull),
      methodology: readFileSync(
        join(settings.packageDirectory, "pipeline", "score", "METHODOLOGY.md"),
        "utf8",
      ),
    };
  } finally {
    reader.close();
  }
}

/** Everything a report is made of; what may not be shown is not in it. */
export interface ReportData {
  readonly version: string;
  readonly sequence: number;
  readonly createdAt: string;
  readonly asOf: string;
  readonly methodologyVersion: string;
  readonly isFull: boolean;
  /** What a component is called and what it asks. */
  readonly names: Readonly<Record<ComponentKey, { readonly name: string; readonly asks: string }>>;
  readonly list: DaoList;
  /** By rank. */
  readonly daos: readonly DaoReport[];
  readonly dgi: Dgi | undefined;
  readonly dgiHistory: DgiHistory | undefined;
  readonly unscored: UnscoredList;
  readonly run: RunReport;
  readonly sources: Manifest["sources"];
  readonly changes: ReportChanges | undefined;
  /** The text of the method, in Markdown. */
  readonly methodology: string;
}

/** What a Free caller of the API would not get. */
export interface FullDao {
  readonly detail: DaoDetail;
  readonly risk: RiskAssessment | undefined;
  readonly history: DaoHistory | undefined;
  readonly evidence: EvidenceStory | undefined;
  /** Only where the delegates come from logs. */
  readonly graph?: DelegationGraph | undefined;
}

/** What the page of one DAO shows. */
export interface DaoReport {
  readonly dao: DaoSummary;
  /** Ten rows, or all that are published by rank. */
  readonly listing: DelegateListing | undefined;
  readonly full: FullDao | undefined;
}

/** One component: what it is made of, its interval, and what costs it most, where anything does. */
export interface ComponentStory extends Pick<ExplainedComponent, "key" | "interval"> {
  readonly indicators: readonly IndicatorStory[];
  readonly costliest: { readonly asks: string; readonly points: number } | undefined;
}

/** One indicator: what it asks, what was found, and what that was worth. */
export type IndicatorStory = Pick<
  ExplainedComponent["indicators"][number],
  "asks" | "measure" | "role" | "raw" | "value" | "points" | "pointsMost"
>;

type Certainty = ReturnType<typeof explainCertainty>;

/** What the evidence of a DAO tells. */
export interface EvidenceStory extends Pick<Certainty, "rank" | "notAssessed"> {
  readonly interval: Certainty["gvs"];
  readonly components: readonly ComponentStory[];
  readonly thin: Omit<ReturnType<typeof explainThinEvidence>, "share">;
  /** The proposals of the frame, the latest first. */
  readonly members: readonly ProposalLine[];
  readonly leftOut: readonly Omit<ReturnType<typeof leftOut>[number], "examples">[];
  readonly completeness: readonly Omit<Certainty["parts"][number], "weight">[];
}

/** What moved since the version that was published before; undefined where none is kept. Throws `SnapshotError`. */
function reportChanges(root: string, after: WholeVersion, isFull: boolean): ReportChanges | undefined {
  const kept = keptVersions(root);
  const previous = kept[kept.findIndex(({ version }) => version === after.version) - 1];
  if (previous === undefined) return undefined;
  return diffChanges(readVersion(root, previous.version), after, { isFull, minDelta: 0 });
}

/** The delegation graphs of a version by space_id, without a name of whoever is on the live list. Throws `SnapshotError`. */
function reportGraphs(
  settings: Settings,
  { version, set }: WholeVersion,
): ReadonlyMap<string, DelegationGraph> {
  const located = locateVersion(settings.snapshotsDirectory, { version });
  const { list } = readLiveOptOuts(settings);
  const hidden = hiddenNamesOf([located], { known: [], isHidden: list.has })(located);
  return new Map(
    set.graphs.flatMap(({ space_id: spaceId }) => {
      // Read anew, as `readGraph` believes none that does not add up.
      const graph = readGraph(located, spaceId);
      return graph === undefined ? [] : [[spaceId, bareGraph(graph, hidden)]];
    }),
  );
}

/** What a page tells of the evidence of one DAO: the same as `explain`, from the same functions. */
function evidenceStory({ evidence, proposals }: PublishedEvidence): EvidenceStory {
  const { gvs, rank, parts, notAssessed } = explainCertainty(evidence);
  const components = explainComponents(evidence).map(({ key, interval, indicators, costliest }) => {
    const asked = indicators.find(({ id }) => id === costliest?.id)?.asks;
    return {
      key,
      interval,
      indicators,
      costliest:
        costliest === undefined || asked === undefined
          ? undefined
          : { asks: asked, points: costliest.points },
    };
  });
  return {
    interval: gvs,
    rank,
    components,
    thin: explainThinEvidence(evidence),
    members: proposals.filter(({ place }) => place === "MEMBER").toReversed(),
    leftOut: leftOut(proposals),
    completeness: parts,
    notAssessed,
  };
}

/** The first delegates by rank, as those may see them who must not meet who has opted out since. */
function listingOf(reader: SnapshotReader, spaceId: string, rows: number): DelegateListing | undefined {
  const ready = reader.latestListing(spaceId);
  if (ready === undefined) return undefined;
  return {
    dao: ready.dao,
    fetched_at: ready.fetchedAt,
    total_delegates: ready.totalDelegates,
    delegates: ready.rows.slice(0, rows).map((row) => DelegateItem.parse(JSON.parse(row.json))),
    summary: DelegateSummary.parse(JSON.parse(ready.summaryJson)),
  };
}

/** What only a full report tells of a DAO. Entities are taken from the guarded reader, never from the files. */
function fullOf(reader: SnapshotReader, { set }: WholeVersion, { space_id: spaceId }: DaoSummary): FullDao {
  const ready = reader.document("dao", spaceId);
  invariant(ready !== undefined, `${spaceId} is ranked and has no detail`);
  const published = set.evidence.find(({ evidence }) => evidence.space_id === spaceId);
  return {
    detail: ENVELOPES.dao.parse(JSON.parse(ready.identity.bytes.toString("utf8"))).data,
    risk: set.risks.find((risk) => risk.space_id === spaceId),
    history: set.histories.find((history) => history.space_id === spaceId),
    evidence: published && evidenceStory(published),
  };
}
