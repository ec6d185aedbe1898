import { DaoList, RiskAssessment, UnscoredList } from "../../../../snapshots/format/dao.ts";
import { filesByDao } from "../../../../snapshots/format/documents.ts";
import type { HiddenNames } from "../../../../snapshots/format/hidden-entities.ts";
import { PATHS } from "../../../../snapshots/format/paths.ts";
import { Rankings } from "../../../../snapshots/format/rankings.ts";
import { findDocument, type LocatedVersion } from "../../../../snapshots/store/read/locate-version.ts";
import { parseDocument } from "../../../../snapshots/store/read/parse-document.ts";
import { readVerified } from "../../../../snapshots/store/read/verified-file.ts";
import { invariant } from "../../../facts/errors.ts";
import { readExplained } from "../../read-explained.ts";
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
  const byId = <Row extends { readonly space_id: string }>(rows: readonly Row[] = []) =>
    new Map(rows.map((row) => [row.space_id, row]));
  const summaries = byId(findDocument(located, PATHS.daos, DaoList));
  const rankings = byId(findDocument(located, PATHS.rankings, Rankings));
  const unscored = byId(findDocument(located, PATHS.unscored, UnscoredList));
  return {
    /** Every DAO of the version, scored or not, by id. */
    spaceIds: [...byDao].flatMap(([id, files]) =>
      files.some(({ path }) => path === PATHS.proposals(id)) ? [id] : [],
    ),
    read(spaceId: string) {
      const daoVersion = { ...located, manifest: { ...manifest, files: byDao.get(spaceId) ?? [] } };
      const published = readExplained(daoVersion, spaceId, unscored.get(spaceId));
      invariant(published !== undefined, `${spaceId} has proposals, but no evidence`);
      const { evidence, proposals: lines } = published;
      const asOf = evidence.measures.delegation?.as_of;
      const as_of_ms = asOf === undefined ? null : Date.parse(asOf);
      function* delegates(): Generator<object> {
        // Without names of opted-out entities.
        for (const record of RECORDS.delegates(daoVersion, () => hidden)) yield { ...record, as_of_ms };
      }
      return {
        evidence,
        lines,
        summary: summaries.get(spaceId),
        ranking: rankings.get(spaceId),
        assessment: findDocument(daoVersion, PATHS.risk(spaceId), RiskAssessment),
        history: RECORDS.history(daoVersion, () => hidden),
        delegates: delegates(),
        delegateDays: delegateDayRecords(daoVersion, spaceId),
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
