import { readFileSync } from "node:fs";
import { join } from "node:path";
import { listedById } from "../../../snapshots/format/agreement/check-daos.ts";
import type { DaoHistory, ServedDao } from "../../../snapshots/format/dao.ts";
import type { DelegationGraph } from "../../../snapshots/format/delegates.ts";
import { certaintyOf, ENVELOPES } from "../../../snapshots/format/envelope.ts";
import { bareGraph } from "../../../snapshots/format/hidden-entities.ts";
import { DELEGATE_LIMIT_FREE_MAX, LISTING_ROWS_PER_CUT } from "../../../snapshots/format/limits.ts";
import type { PublishedEvidence } from "../../../snapshots/format/published-set.ts";
import type { Ranking } from "../../../snapshots/format/rankings.ts";
import { guardReader } from "../../../snapshots/store/read/guard-reader.ts";
import { keptVersions, ofLastMethod } from "../../../snapshots/store/read/kept-versions.ts";
import { locateVersion } from "../../../snapshots/store/read/locate-version.ts";
import { openSnapshot } from "../../../snapshots/store/read/open-snapshot.ts";
import {
  readGraph,
  readPublishedDocuments,
  type WholeVersion,
} from "../../../snapshots/store/read/read-documents.ts";
import { listingDocument, type SnapshotReader } from "../../../snapshots/store/read/snapshot-reader.ts";
import { invariant } from "../../facts/errors.ts";
import { hiddenNamesOf, readLiveOptOuts } from "../../home/opt-outs.ts";
import type { Settings } from "../../home/settings.ts";
import { daysBefore, endsOn, firstDayOf, lastDayOf } from "../compare/diff-days.ts";
import { dayChanges, diffChanges, type ReportChanges } from "../compare/moves.ts";
import { type ComparedDao, tellApart } from "../compare/tell-apart.ts";
import { explainCertainty, explainComponents, explainRisk, leftOut } from "../explain/explain.ts";
import { indexMoves } from "../index-moves.ts";
import { readExplainedVersion } from "../read-explained.ts";

/** Reads all that a report may show of the current version, and nothing more. Throws `SnapshotFailure`. */
export async function readReportData(settings: Settings, isFull: boolean) {
  const root = settings.snapshotsDirectory;
  const whole = readExplainedVersion(root);
  const { version, manifest, imprint, set } = whole;
  const evidence = new Map(set.evidence.map((item) => [item.evidence.space_id, item]));
  const [places, risks, histories] = [byId(set.rankings), byId(set.risks), byId(set.histories)];
  const compared: readonly ComparedDao[] = set.daos.flatMap(({ space_id: spaceId, name }) => {
    const published = evidence.get(spaceId);
    return published === undefined ? [] : { name, evidence: published.evidence, unscored: undefined };
  });
  const first = compared.slice(0, COMPARED_MAX);
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
      imprint,
      corrections: set.corrections ?? [],
      daos: [...listedById(set.daos).values()].map(({ summary: dao, rankings }) => {
        const { space_id: spaceId } = dao;
        const published = evidence.get(spaceId);
        const listing = guarded.latestListing(spaceId);
        const ranking = places.get(spaceId);
        const certainty = published && ranking && certaintyOf(published.evidence, ranking);
        return {
          dao,
          /** Between which ends each score lies; nothing where a version has no evidence. */
          interval: certainty?.interval,
          /** Best and worst rank that the intervals of all allow. */
          rankRange: certainty?.rank_range,
          knownShare: certainty?.known_share,
          inCategory: rankings.category,
          neighbours: neighboursOf(compared, spaceId, isFull),
          links: published?.evidence.links,
          /** Ten rows, or all that are published by rank. */
          listing:
            listing &&
            listingDocument(
              listing,
              listing.rows.slice(0, isFull ? LISTING_ROWS_PER_CUT : DELEGATE_LIMIT_FREE_MAX),
            ),
          /** What a Free caller of the API would not get; entities are taken from the guarded reader, never from the files. */
          full: isFull
            ? {
                detail: detailOf(guarded, spaceId),
                risk: risks.get(spaceId),
                year: yearOf(histories.get(spaceId), published),
                evidence: published && evidenceStory(published, ranking),
                /** Only where the delegates come from logs. */
                graph: graphs?.get(spaceId),
              }
            : undefined,
        };
      }),
      verdicts: first.map((dao) => ({
        spaceId: dao.evidence.space_id,
        name: dao.name,
        verdicts: first.map((other) => (other === dao ? undefined : tellApart(dao, other).verdict)),
      })),
      dgi: set.dgi,
      dgiHistory: set.dgiHistory,
      indexMoves: indexMoves(set),
      /** Of which most is known first. */
      unscored: set.unscored
        .map((dao) => {
          const published = evidence.get(dao.space_id);
          return {
            dao,
            links: dao.empty_frame?.links ?? published?.evidence.links,
            evidence: isFull && published ? evidenceStory(published, undefined) : undefined,
          };
        })
        .toSorted((a, b) => b.dao.known_share - a.dao.known_share),
      run: readPublishedDocuments(root, version).run,
      sources: manifest.sources,
      changes: reportChanges(root, whole, isFull),
      pastChanges: pastChanges(whole, isFull),
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
export type ReportData = Awaited<ReturnType<typeof readReportData>>;

export type DaoReport = ReportData["daos"][number];

/** A tracked DAO without a score; its evidence in a full report alone. */
export type UnscoredReport = ReportData["unscored"][number];

export type FullDao = NonNullable<DaoReport["full"]>;

export type EvidenceStory = ReturnType<typeof evidenceStory>;

const byId = <Item extends { readonly space_id: string }>(items: readonly Item[]) =>
  new Map(items.map((item) => [item.space_id, item]));

/** So many DAOs are compared each with each on one page. */
const COMPARED_MAX = 20;

/** So many DAOs above and below a DAO are its neighbours. */
const NEIGHBOURS = 2;

/** A DAO against those next to it by rank; what makes an order unclear is about indicators, and so in full only. */
function neighboursOf(compared: readonly ComparedDao[], spaceId: string, isFull: boolean) {
  const index = compared.findIndex(({ evidence }) => evidence.space_id === spaceId);
  const dao = compared[index];
  if (dao === undefined) return [];
  const near = compared.slice(Math.max(0, index - NEIGHBOURS), index + NEIGHBOURS + 1);
  return near.flatMap((other) => {
    if (other === dao) return [];
    const { gvs, verdict, sentence } = tellApart(dao, other);
    const { name, evidence } = other;
    return { spaceId: evidence.space_id, name, gvs, verdict, sentence: isFull ? sentence : undefined };
  });
}

/** A year of days, and how far apart those are whose ends are computed: each takes a pass over all proposals. */
const YEAR_DAYS = 365;
const ENDS_EACH_DAYS = 7;

/** The history of a year, with the ends of the scores once a week; the history itself has none. */
function yearOf(history: DaoHistory | undefined, published: PublishedEvidence | undefined) {
  const points = (history?.points ?? []).slice(-YEAR_DAYS);
  return points.map((point, index) => {
    const isKnot = index === 0 || (points.length - 1 - index) % ENDS_EACH_DAYS === 0;
    return { ...point, ends: isKnot && published ? endsOn(published, point.date) : undefined };
  });
}

/** What moved since the version that was published before; undefined where none of this method is kept. Throws `SnapshotFailure`. */
function reportChanges(root: string, after: WholeVersion, isFull: boolean) {
  const kept = keptVersions(root).filter(({ manifest }) => manifest.sequence <= after.manifest.sequence);
  const previous = ofLastMethod(kept).at(-2);
  if (previous === undefined) return undefined;
  return diffChanges(readExplainedVersion(root, previous.version), after, { isFull, minDelta: 0 });
}

/** Days that a full report looks back; an open one looks back one, as anybody may see what 24 hours changed. */
const PAST_DAYS = { full: 30, open: 1 };

/** What moved over the last days by the history of the version itself; undefined where it is too short. */
function pastChanges(whole: WholeVersion, isFull: boolean): ReportChanges | undefined {
  const first = firstDayOf(whole);
  const to = lastDayOf(whole);
  if (first === undefined || first >= to) return undefined;
  const wanted = daysBefore(to, isFull ? PAST_DAYS.full : PAST_DAYS.open);
  return dayChanges(whole, { from: wanted < first ? first : wanted, to }, isFull);
}

/** The delegation graphs of a version by space_id, without the names of entities on the live list. Throws `SnapshotFailure`. */
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

/** What a page says of the evidence of one DAO: the same as `explain`, from the same functions. */
function evidenceStory({ evidence, proposals }: PublishedEvidence, ranking: Ranking | undefined) {
  return {
    ...explainCertainty(evidence, ranking),
    components: explainComponents(evidence),
    /** With its interval; nothing where it is not assessed. */
    risk: explainRisk(evidence),
    /** The proposals of the frame, the latest first. */
    members: proposals.filter(({ place }) => place === "MEMBER").toReversed(),
    leftOut: leftOut(proposals),
  };
}

function detailOf(reader: SnapshotReader, spaceId: string): ServedDao {
  const ready = reader.document("dao", spaceId);
  invariant(ready !== undefined, `${spaceId} is ranked and has no detail`);
  return ENVELOPES.dao.parse(JSON.parse(ready.identity.bytes.toString("utf8"))).data;
}
