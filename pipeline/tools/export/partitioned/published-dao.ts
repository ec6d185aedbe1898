import { DaoList, RiskAssessment } from "../../../../snapshots/format/dao.ts";
import { filesByDao } from "../../../../snapshots/format/documents.ts";
import { Evidence } from "../../../../snapshots/format/evidence.ts";
import type { HiddenNames } from "../../../../snapshots/format/hidden-entities.ts";
import { PATHS } from "../../../../snapshots/format/paths.ts";
import {
  findDocument,
  type LocatedVersion,
  readDocument,
} from "../../../../snapshots/store/read/locate-version.ts";
import { parseDocument } from "../../../../snapshots/store/read/parse-document.ts";
import { readLinesOf } from "../../../../snapshots/store/read/read-documents.ts";
import { readVerified } from "../../../../snapshots/store/read/verified-file.ts";
import { RECORDS } from "../rows.ts";

/** A version that is read one DAO at a time. */
export type VersionDaos = ReturnType<typeof versionDaos>;

/** All data of one DAO in a version, for a partitioned export. */
export type PublishedDao = ReturnType<VersionDaos["read"]>;

/** Opens a version for reading DAO by DAO, verifying each file. Throws `SnapshotFailure`. */
export function versionDaos(located: LocatedVersion, hidden: HiddenNames) {
  const { manifest } = located;
  // A version may have hundreds of thousands of files, so they are grouped by DAO.
  const { byDao } = filesByDao(manifest.files);
  const list = findDocument(located, PATHS.daos, DaoList) ?? [];
  const summaries = new Map(list.map((dao) => [dao.space_id, dao]));
  return {
    /** Every DAO of the version, scored or not, by id. */
    spaceIds: [...byDao].flatMap(([id, files]) =>
      files.some(({ path }) => path === PATHS.evidence(id)) ? [id] : [],
    ),
    read(spaceId: string) {
      const own = { ...located, manifest: { ...manifest, files: byDao.get(spaceId) ?? [] } };
      const evidence = readDocument(own, PATHS.evidence(spaceId), Evidence);
      const asOf = evidence.measures.delegation?.as_of;
      const as_of_ms = asOf === undefined ? null : Date.parse(asOf);
      function* delegates(): Generator<object> {
        // Without names of opted-out entities.
        for (const record of RECORDS.delegates(own, () => hidden)) yield { ...record, as_of_ms };
      }
      return {
        evidence,
        lines: readLinesOf(own, spaceId),
        summary: summaries.get(spaceId),
        assessment: findDocument(own, PATHS.risk(spaceId), RiskAssessment),
        history: RECORDS.history(own, () => hidden),
        delegates: delegates(),
        delegateDays: delegateDayRecords(own, spaceId),
      };
    },
    dgi: () => RECORDS.dgi(located, () => hidden),
  };
}

function delegateDayRecords({ directory, manifest }: LocatedVersion, spaceId: string): readonly object[] {
  const path = PATHS.delegateDays(spaceId);
  return manifest.files
    .filter((file) => file.path === path)
    .flatMap((file) => parseDocument("delegateDays", path, readVerified(directory, file)))
    .map((day) => ({ space_id: spaceId, ...day }));
}
