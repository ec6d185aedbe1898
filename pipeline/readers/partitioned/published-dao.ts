import type { z } from "zod";
import {
  DaoHistory,
  type DaoList,
  DaoList as DaoListShape,
  RiskAssessment,
} from "../../../snapshots/format/dao.ts";
import { DelegateDay } from "../../../snapshots/format/delegates.ts";
import { identifyFile } from "../../../snapshots/format/documents.ts";
import { Evidence } from "../../../snapshots/format/evidence.ts";
import type { HiddenNames } from "../../../snapshots/format/hidden-entities.ts";
import { PATHS } from "../../../snapshots/format/paths.ts";
import type { ProposalLine } from "../../../snapshots/format/proposal-line.ts";
import type { LocatedVersion } from "../../../snapshots/store/read/locate-version.ts";
import { readLinesOf } from "../../../snapshots/store/read/read-documents.ts";
import { parseJsonFile } from "../../../snapshots/store/read/read-pointer.ts";
import { readVerified } from "../../../snapshots/store/read/verified-file.ts";
import { RECORDS } from "../tables/rows.ts";

/** The rows of a `days.csv`, which the version's manifest vouches for; no field of it holds a comma or a quote. */
export function* delegateDayRecords(spaceId: string, bytes: Buffer): Generator<object> {
  const [, ...lines] = bytes.toString("utf8").trimEnd().split("\n");
  for (const line of lines) {
    const [date, block, as_of, source, delegates, total] = line.split(",");
    yield {
      space_id: spaceId,
      ...DelegateDay.parse({
        date,
        block: block === "" ? null : Number(block),
        as_of,
        source,
        delegates: Number(delegates),
        total_votes: Number(total),
      }),
    };
  }
}

/** Everything of one DAO in a version that a partitioned export holds. */
export interface PublishedDao {
  readonly evidence: Evidence;
  readonly lines: readonly ProposalLine[];
  readonly summary: DaoList[number] | undefined;
  readonly assessment: RiskAssessment | undefined;
  /** Records of `history`. */
  readonly history: readonly object[];
  /** Records of `delegates`, without the names of whoever opted out. */
  readonly delegates: Iterable<object>;
  readonly delegateDays: Iterable<object>;
}

/** A version, one DAO at a time. */
export interface VersionDaos {
  /** Every DAO that it says something of, scored or not, by id. */
  readonly spaceIds: readonly string[];
  read(spaceId: string): PublishedDao;
  /** Records of `dgi`. */
  dgi(): Iterable<object>;
}

/** Opens a version for reading DAO by DAO; each file is verified as it is read. Throws `SnapshotError`. */
export function versionDaos(located: LocatedVersion, hidden: HiddenNames): VersionDaos {
  const { manifest, directory } = located;
  const files = new Map(manifest.files.map((file) => [file.path, file]));
  const bytesOf = (path: string): Buffer | undefined => {
    const file = files.get(path);
    return file && readVerified(directory, file);
  };
  const read = <Shape extends z.ZodType>(path: string, shape: Shape): z.output<Shape> | undefined => {
    const bytes = bytesOf(path);
    return bytes && parseJsonFile(path, bytes, shape);
  };
  const summaries = new Map((read(PATHS.daos, DaoListShape) ?? []).map((dao) => [dao.space_id, dao]));
  const spaceIds = manifest.files.flatMap(({ path }) => {
    const place = identifyFile(path);
    return place?.kind === "evidence" ? [place.id] : [];
  });
  const listing = (spaceId: string): Iterable<object> => {
    const file = files.get(PATHS.wholeListing(spaceId));
    if (file === undefined) return [];
    const own = { ...located, manifest: { ...manifest, files: [file] } };
    return RECORDS.delegates({ located: own, hidden: () => hidden });
  };
  return {
    spaceIds: spaceIds.sort(),
    read(spaceId) {
      const evidence = read(PATHS.evidence(spaceId), Evidence);
      if (evidence === undefined) throw new RangeError(`the version says nothing of ${spaceId}`);
      const asOf = evidence.measures.delegation?.as_of;
      const as_of_ms = asOf === undefined ? null : Date.parse(asOf);
      function* delegates(): Generator<object> {
        for (const record of listing(spaceId)) yield { ...record, as_of_ms };
      }
      const points = read(PATHS.history(spaceId), DaoHistory)?.points ?? [];
      const days = bytesOf(PATHS.delegateDays(spaceId));
      return {
        evidence,
        lines: readLinesOf(located, spaceId),
        summary: summaries.get(spaceId),
        assessment: read(PATHS.risk(spaceId), RiskAssessment),
        history: points.map((point) => ({ space_id: spaceId, ...point })),
        delegates: delegates(),
        delegateDays: days === undefined ? [] : delegateDayRecords(spaceId, days),
      };
    },
    dgi: () => RECORDS.dgi({ located, hidden: () => hidden }),
  };
}
