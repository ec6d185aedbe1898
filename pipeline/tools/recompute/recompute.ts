import { type FileKind, identifyFile } from "../../../snapshots/format/documents.ts";
import type { Manifest } from "../../../snapshots/format/manifest.ts";
import type { VersionLists } from "../../../snapshots/format/published-set.ts";
import { verifySnapshot } from "../../../snapshots/store/maintain/verify-snapshot.ts";
import { readByDao } from "../../../snapshots/store/read/read-documents.ts";
import { type DaoRow, rankRows } from "../../documents/dao-row.ts";
import type { Standing } from "../../documents/scored-dao.ts";
import { pipelineFailure } from "../../facts/errors.ts";
import { chooseExplained } from "../../home/choose-version.ts";
import type { Settings } from "../../home/settings.ts";
import { withStore } from "../../home/store-errors.ts";
import { METHODOLOGY } from "../../score/method/methodology.ts";
import { compareLists, comparePart, compareUnderived } from "./compare-documents.ts";
import { type DerivedDao, deriveDao, type ExplainedPart } from "./derive-dao.ts";
import { type Compared, countLeaves, type Difference, differencesOf } from "./differences.ts";
import { checkPast } from "./past.ts";

/** The result of recomputing a version. */
export type RecomputeResult = Awaited<ReturnType<typeof runRecompute>>;

/** The result of recomputing some documents. */
export interface Recomputed {
  /** Number of values that were recomputed. */
  readonly numbers: number;
  readonly differences: readonly Difference[];
}

/** Compares a DAO's documents with what its own evidence gives; `standing` is its rank among scored DAOs. */
export function recomputePart(
  part: ExplainedPart,
  derived: DerivedDao | undefined,
  standing: Standing | undefined,
): Recomputed {
  if (derived === undefined) return compareAll(compareUnderived(part));
  const past = checkPast(part, derived.scored);
  const { numbers, differences } = compareAll(comparePart(part, derived.scored, standing));
  return { numbers: numbers + past.checked, differences: [...differences, ...past.differences] };
}

/** Compares the lists of a version with what the evidence of all its DAOs gives. */
export function recomputeLists(
  lists: VersionLists,
  rows: readonly DaoRow[],
  standings: ReadonlyMap<string, Standing>,
): Recomputed {
  return compareAll(compareLists(lists, rows, standings));
}

function compareAll(compared: readonly Compared[]): Recomputed {
  return {
    numbers: compared.reduce((sum, { published }) => sum + countLeaves(published), 0),
    differences: compared.flatMap(({ path, published, derived }) => differencesOf(path, published, derived)),
  };
}

/** Recomputes every score of a version from its evidence and lines only, and lists each difference. */
export function recomputeVersion({
  lists,
  parts,
}: {
  readonly lists: VersionLists;
  /** The documents of every DAO, all or only some kinds. */
  readonly parts: (kinds?: readonly FileKind[]) => Iterable<ExplainedPart>;
}) {
  // Each DAO is read twice, as only its row is kept in memory: ranks are known once all rows are.
  const rows: DaoRow[] = [];
  for (const part of parts(["evidence"])) {
    const derived = deriveDao(part);
    if (derived !== undefined) rows.push(derived.row);
  }
  const standings = rankRows(rows);
  const differences: Difference[] = [];
  let [daos, numbers] = [0, 0];
  const add = (found: Recomputed): void => {
    numbers += found.numbers;
    differences.push(...found.differences);
  };
  for (const part of parts()) {
    daos += part.evidence.length;
    add(recomputePart(part, deriveDao(part), standings.get(part.spaceId)));
  }
  add(recomputeLists(lists, rows, standings));
  return { daos, numbers, differences };
}

/** Throws `PipelineFailure` if there is no evidence, or if it is of another method. */
function assertDerivable(version: string, { files, methodology_version: method }: Manifest): void {
  if (!files.some(({ path }) => identifyFile(path)?.kind === "evidence")) {
    throw pipelineFailure("NOT_FOUND", `version ${version} was published without evidence`, {
      hint: "`govdata publish` makes a version with evidence.",
    });
  }
  if (method !== METHODOLOGY.version) {
    throw pipelineFailure(
      "SNAPSHOT_INVALID",
      `version ${version} was made by method ${method}; this program uses ${METHODOLOGY.version}`,
      { hint: "Use the release of govdata that made it." },
    );
  }
}

/** `govdata recompute`: verifies a version's files, and recomputes every score without a warehouse. */
export async function runRecompute(settings: Settings, requested: string | undefined) {
  const { version, manifest } = await chooseExplained(settings, { version: requested });
  const { snapshotsDirectory: root } = settings;
  const { problems } = await verifySnapshot(root, { version });
  const about = { version, asOf: manifest.as_of, methodologyVersion: manifest.methodology_version };
  // Nothing is recomputed from damaged files.
  if (problems.length > 0) return { ...about, problems, numbers: 0, daos: 0, differences: [] };
  assertDerivable(version, manifest);
  return { ...about, problems, ...(await withStore(() => recomputeVersion(readByDao(root, version)))) };
}
