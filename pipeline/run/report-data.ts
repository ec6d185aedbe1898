import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { DaoSummary } from "../../snapshots/format/dao.ts";
import { DelegateItem, type DelegateListing, DelegateSummary } from "../../snapshots/format/delegates.ts";
import { ENVELOPES } from "../../snapshots/format/envelope.ts";
import { DELEGATE_LIMIT_FREE_MAX, LISTING_ROWS_PER_CUT } from "../../snapshots/format/limits.ts";
import { guardReader } from "../../snapshots/store/guard-reader.ts";
import { openSnapshot } from "../../snapshots/store/open-snapshot.ts";
import { readPublishedDocuments } from "../../snapshots/store/read-published-documents.ts";
import { readVersion, type WholeVersion } from "../../snapshots/store/read-version.ts";
import type { SnapshotReader } from "../../snapshots/store/snapshot-reader.ts";
import { invariant } from "../base/invariant.ts";
import type { FullDao, ReportData } from "../exports/report/report-data.ts";
import { COMPONENT_WORDS } from "./explain-words.ts";
import { readLiveOptOuts } from "./live-opt-outs.ts";
import { reportChanges } from "./report-changes.ts";
import { reportGraphs } from "./report-graphs.ts";
import { evidenceStory } from "./report-story.ts";
import type { Settings } from "./settings.ts";

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
