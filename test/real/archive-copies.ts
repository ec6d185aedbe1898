import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createDaoMeasurer } from "../../pipeline/score/measure-dao.ts";
import { type DaoScore, scoreMeasures } from "../../pipeline/score/score-measures.ts";
import { seededRandom } from "../faults/seeded-random.ts";
import { readArchive } from "./archive-facts.ts";
import type { ArchivedDao, ArchivedProposal, ArchivedVote, Attack } from "./attacks.ts";

const linesOf = <Row>(path: string): readonly Row[] =>
  readFileSync(path, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Row);

/**
 * A vote without what no score reads, and without a time that is not known: attacks multiply it by a hundred thousand, and
 * rows with such fields are read eight times slower.
 */
function plainVote({ ext: _, ...vote }: ArchivedVote & { readonly ext?: unknown }): ArchivedVote {
  const { created, ...untimed } = vote;
  return created === null ? untimed : vote;
}

/** Reads DAOs of an archive, each as of the last day on which it voted. */
export async function archivedDaos(
  archive: string,
  spaceIds: readonly string[],
): Promise<readonly ArchivedDao[]> {
  const daos: ArchivedDao[] = [];
  const { factsOf } = readArchive(archive);
  for (const spaceId of spaceIds) {
    const measurer = createDaoMeasurer(await factsOf(spaceId), () => undefined);
    const asOfMs = measurer.measureAt(0).fetchedAtMs ?? 0;
    const votes = new Map<string, ArchivedVote[]>();
    for (const vote of linesOf<ArchivedVote>(join(archive, "votes", `${spaceId}.ndjson`))) {
      const ballot = votes.get(vote.proposal) ?? [];
      ballot.push(plainVote(vote));
      votes.set(vote.proposal, ballot);
    }
    daos.push({
      spaceId,
      asOfMs,
      proposals: linesOf<ArchivedProposal>(join(archive, "proposals", `${spaceId}.ndjson`)),
      votes,
      framed: measurer
        .measureAt(asOfMs)
        .proposals.flatMap(({ proposalId, votes }) => (votes > 0 ? [proposalId] : [])),
    });
  }
  return daos;
}

/** Writes an archive of one copy, with a registry of the labels of the copy; `archive` has the space's own file. */
export function writeCopy(folder: string, archive: string, dao: ArchivedDao): void {
  const { spaceId, proposals, votes, labelled = [] } = dao;
  const write = (path: string, rows: readonly object[]): void => {
    mkdirSync(join(folder, dirname(path)), { recursive: true });
    writeFileSync(join(folder, path), rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
  };
  write(`spaces/${spaceId}.json`, [
    JSON.parse(readFileSync(join(archive, "spaces", `${spaceId}.json`), "utf8")) as object,
  ]);
  write(`proposals/${spaceId}.ndjson`, proposals);
  write(`votes/${spaceId}.ndjson`, [...votes.values()].flat());
  const entities = labelled.map((wallet) => ({
    entity_id: `ent_${wallet.slice(-26)}`,
    label: `Organisation ${wallet.slice(-4)}`,
    wallets: [wallet],
    publicApiOptOut: false,
  }));
  const registered = { daos: [{ space_id: spaceId, name: spaceId, category: "defi" }], entities };
  writeFileSync(join(folder, "registry.yaml"), JSON.stringify(registered));
}

/** A DAO after an attack, which is the same in every run. */
export function attacked(dao: ArchivedDao, attack: Attack): ArchivedDao {
  return attack(dao, seededRandom(20_261_123));
}

/** The score of a copy, read as of its own day from files below `root`, as any archive is; they go when it is read. */
export async function scoreCopy(root: string, archive: string, dao: ArchivedDao): Promise<DaoScore> {
  const folder = mkdtempSync(join(root, "copy-"));
  writeCopy(folder, archive, dao);
  const { factsOf, entityIdOfWallet } = readArchive(folder);
  const facts = await factsOf(dao.spaceId);
  rmSync(folder, { recursive: true });
  return scoreMeasures(createDaoMeasurer(facts, entityIdOfWallet).measureAt(dao.asOfMs));
}
