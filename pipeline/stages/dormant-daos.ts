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
import type { Warehouse } from "../warehouse/warehouse.ts";
import { methodKey } from "./score-dao.ts";
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

/** The dormant DAOs of a home: nobody proposes there any more, which is most of a hub's spaces. */
export type DormantDaos = ReturnType<typeof openDormantDaos>;

/**
 * Opens the dormant DAOs as of a moment. A DAO is dormant if its frame is empty and no proposal ends, enters or leaves
 * it: only the dates in its line change from night to night.
 */
export function openDormantDaos(
  { dormantDaos }: Pick<Warehouse, "dormantDaos">,
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
  const keys = new Map<string, string>();

  /** Its file as the previous version has it; undefined if that was lost, damaged or redacted. */
  const bytesOf = (file: ManifestFile): Buffer | undefined => {
    const version = versionHolding(previous, file);
    return version === undefined ? undefined : readable(() => readVerified(join(snapshots, version), file));
  };
  return {
    /** What a visit would find out about a DAO; undefined if it must be visited. */
    visit(dao: TrackedDao): VisitedDao | undefined {
      const { spaceId } = dao;
      const { fetchNumber, isArchive, lastCompleteFetchMs } = dormantDaos.factsOf(dao);
      const factsKey = keyOf(dao, fetchNumber);
      keys.set(spaceId, factsKey);
      const { data } = Dormant.safeParse(dormantDaos.read(spaceId, factsKey, asOfMs));
      const bytes = data && bytesOf(data.file);
      if (data === undefined || bytes === undefined) return undefined;
      // An archive does not age: it is as fresh as its last vote.
      const fetched_at = isArchive ? data.measures.fetched_at : nullableTime(lastCompleteFetchMs);
      return visitedAgain(dao, asOfMs, { ...data, measures: { ...data.measures, fetched_at } }, bytes);
    },
    /** Stores what was visited and found dormant. */
    keep(visited: Iterable<Pick<VisitedDao, "row" | "dormant">>): void {
      const rows = [...visited].flatMap(({ row: { spaceId, unscored }, dormant }) => {
        const factsKey = keys.get(spaceId);
        const frame = unscored?.empty_frame;
        if (dormant === undefined || frame === undefined || factsKey === undefined) return [];
        const { untilMs, findings, file } = dormant;
        const { links, measures } = frame;
        const published: Dormant = { ...(links && { links }), measures, findings: [...findings], file };
        return [{ spaceId, factsKey, fromMs: asOfMs, untilMs, published }];
      });
      if (rows.length > 0) dormantDaos.keep(rows);
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
