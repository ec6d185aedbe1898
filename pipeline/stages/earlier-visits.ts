import { createHash } from "node:crypto";
import { join } from "node:path";
import { z } from "zod";
import { findPackageDirectory, readPackage } from "../../snapshots/base/package.ts";
import { DaoLinks, WholeMeasures } from "../../snapshots/format/evidence.ts";
import { timestampOf } from "../../snapshots/format/ids.ts";
import { Finding, ManifestFile } from "../../snapshots/format/manifest.ts";
import { readPreviousVersion, versionHolding } from "../../snapshots/store/read/kept-versions.ts";
import { readable } from "../../snapshots/store/read/snapshot-error.ts";
import { readVerified } from "../../snapshots/store/read/verified-file.ts";
import { noIndexRows, packRows } from "../../snapshots/store/write/build-index.ts";
import { rowOf } from "../documents/dao-row.ts";
import { evidenceOfLines } from "../documents/read-evidence.ts";
import { nullableTime } from "../documents/scored-dao.ts";
import type { Registry, TrackedDao } from "../facts/tracked.ts";
import { scoreMeasures } from "../score/score-measures.ts";
import { parseStored } from "../sources/upstream/parse-values.ts";
import type { StoredVisit } from "../warehouse/visits.ts";
import type { Warehouse } from "../warehouse/warehouse.ts";
import { lastFinalDayEndMs, methodKey } from "./score-dao.ts";
import type { VisitedDao } from "./visit-dao.ts";

/** What a dormant DAO's documents are made of again, with nothing read of its proposals and votes. */
const Dormant = z.strictObject({
  links: DaoLinks.optional(),
  measures: WholeMeasures,
  findings: z.array(Finding),
  /** Of its proposals, its only file. */
  file: ManifestFile,
});
type Dormant = z.infer<typeof Dormant>;

/** What need not be found out again about a DAO. */
interface Recalled {
  /** What a visit of a dormant DAO would find out; undefined if it must be visited. */
  readonly visited?: VisitedDao;
  /** The end of the last day that is known to have a stored point or no score. */
  readonly scoredUntilMs?: number;
}

/** What earlier runs of a home found out about its DAOs. */
export type EarlierVisits = ReturnType<typeof openEarlierVisits>;

/**
 * Opens what earlier runs found out, as of a moment. It holds as long as a DAO's facts are the same: which past days have
 * no score, and everything about a DAO that is dormant, as most of a hub's spaces are. Its frame is empty and no proposal
 * ends, enters or leaves it, so that only the dates in its line change from night to night.
 */
export function openEarlierVisits(
  { visits }: Pick<Warehouse, "visits">,
  { entities }: Pick<Registry, "entities">,
  snapshots: string,
  asOfMs: number,
) {
  const previous = readPreviousVersion(snapshots);
  const folder = findPackageDirectory();
  // Another release may write the same facts differently.
  const program = folder === undefined ? undefined : readPackage(folder).version;
  const common = JSON.stringify([program, methodKey(), entities]);
  const keyOf = (dao: TrackedDao, fetchNumber: number): string => {
    const hash = createHash("sha256").update(common).update(JSON.stringify(dao));
    return `${fetchNumber} ${hash.digest("hex")}`;
  };
  /** Read before the facts: if these are fetched again meanwhile, the key belongs to none. */
  const seen = new Map<string, { readonly factsKey: string; readonly freshUntilMs: number }>();

  /** A file as the previous version has it; undefined if that was lost, damaged or redacted. */
  const bytesOf = (file: ManifestFile): Buffer | undefined => {
    const version = versionHolding(previous, file);
    return version === undefined ? undefined : readable(() => readVerified(join(snapshots, version), file));
  };
  return {
    recall(dao: TrackedDao): Recalled {
      const { spaceId } = dao;
      const { fetchNumber, isArchive, lastCompleteFetchMs } = visits.factsOf(dao);
      const factsKey = keyOf(dao, fetchNumber);
      // An archive does not age; of other sources, later days are known once they are asked again.
      seen.set(spaceId, { factsKey, freshUntilMs: isArchive ? Infinity : (lastCompleteFetchMs ?? 0) });
      const visit = visits.read(spaceId, factsKey, asOfMs);
      if (visit === undefined) return {};
      const { dormantUntilMs = -Infinity, scoredUntilMs } = visit;
      const dormant = dormantUntilMs > asOfMs ? parseStored(Dormant, visit.published) : undefined;
      const bytes = dormant && bytesOf(dormant.file);
      if (dormant === undefined || bytes === undefined) return { scoredUntilMs };
      // Its last visit stays the one that is stored.
      seen.delete(spaceId);
      const fetched_at = isArchive ? dormant.measures.fetched_at : nullableTime(lastCompleteFetchMs);
      const measures = { ...dormant.measures, fetched_at };
      return { visited: visitedAgain(dao, asOfMs, { ...dormant, measures }, bytes) };
    },
    /** Stores the visits of a run that published. */
    keep(visited: Iterable<Pick<VisitedDao, "row" | "findings" | "dormant">>): void {
      const stored = [...visited].flatMap(
        ({ row: { spaceId, unscored }, findings, dormant }): readonly StoredVisit[] => {
          const known = seen.get(spaceId);
          if (known === undefined) return [];
          const { factsKey, freshUntilMs } = known;
          const scoredUntilMs = Math.min(lastFinalDayEndMs(asOfMs), freshUntilMs);
          const visit = { spaceId, factsKey, atMs: asOfMs, scoredUntilMs };
          const frame = unscored?.empty_frame;
          if (dormant === undefined || frame === undefined)
            return [{ ...visit, dormantUntilMs: undefined, published: undefined }];
          const { untilMs, file } = dormant;
          const { links, measures } = frame;
          const published: Dormant = { ...(links && { links }), measures, findings: [...findings], file };
          return [{ ...visit, dormantUntilMs: untilMs, published: JSON.stringify(published) }];
        },
      );
      if (stored.length > 0) visits.keep(stored);
    },
  };
}

function visitedAgain(
  dao: TrackedDao,
  asOfMs: number,
  { links = {}, measures, findings, file }: Dormant,
  bytes: Buffer,
): VisitedDao {
  const { spaceId } = dao;
  const evidence = evidenceOfLines({ space_id: spaceId, as_of: timestampOf(asOfMs), measures }, []);
  const row = rowOf({
    dao,
    current: scoreMeasures(evidence.measures),
    evidence: { ...evidence, links },
    entities: [],
    otherEntities: undefined,
    gvsDayBefore: undefined,
    points: [],
    trend: "stable",
    latestDelegates: undefined,
    datedDelegates: [],
  });
  return {
    row,
    detail: undefined,
    risk: undefined,
    gated: {
      digest: { spaceId, hasDetail: false, hasEvidence: false, topEntities: [] },
      findings: [],
      differences: [],
      completeness: undefined,
      fetchedAt: undefined,
    },
    derived: row,
    rendered: { files: [{ entry: file, bytes }], rows: packRows(noIndexRows()) },
    days: new Float64Array(),
    finalPoints: [],
    firstDays: 0,
    findings,
    dormant: undefined,
  };
}
