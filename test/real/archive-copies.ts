import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createDaoMeasurer } from "../../pipeline/score/measure-dao.ts";
import { type DaoScore, scoreMeasures } from "../../pipeline/score/score-measures.ts";
import { seededNumbers } from "../pipeline/score/seeded-numbers.ts";
import { readArchive } from "./archive-facts.ts";
import type { ArchivedDao, ArchivedProposal, ArchivedVote, Attack } from "./attacks.ts";

const linesOf = <Row>(path: string): readonly Row[] =>
  readFileSync(path, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Row);

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
    for (const vote of linesOf<ArchivedVote>(join(archive, "votes", `${spaceId}.ndjson`)))
      votes.set(vote.proposal, [...(votes.get(vote.proposal) ?? []), vote]);
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

/** The space that a copy of a DAO is under. */
export function copyId(dao: Pick<ArchivedDao, "spaceId">, name: string): string {
  return `${name}.${dao.spaceId}`;
}

/** Writes an archive of copies, with a registry that names no entity; `archive` has the spaces' own files. */
function writeCopies(
  folder: string,
  archive: string,
  daos: readonly ArchivedDao[],
  attacks: Readonly<Record<string, Attack>>,
): void {
  for (const name of ["spaces", "proposals", "votes"]) mkdirSync(join(folder, name), { recursive: true });
  const registry: string[] = [];
  const write = (path: string, rows: readonly object[]): void =>
    writeFileSync(join(folder, path), rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
  for (const dao of daos) {
    const space = JSON.parse(readFileSync(join(archive, "spaces", `${dao.spaceId}.json`), "utf8")) as object;
    for (const [name, attack] of Object.entries(attacks)) {
      const id = copyId(dao, name);
      const { proposals, votes } = attack(dao, seededNumbers(20_261_123));
      writeFileSync(join(folder, "spaces", `${id}.json`), JSON.stringify({ ...space, id }));
      write(`proposals/${id}.ndjson`, proposals);
      write(`votes/${id}.ndjson`, [...votes.values()].flat());
      registry.push(`  - { space_id: "${id}", name: "${id}", category: defi }\n`);
    }
  }
  writeFileSync(join(folder, "registry.yaml"), `daos:\n${registry.join("")}entities: []\n`);
}

/** Every copy of every DAO, each attacked in its own way, as the scorer has it as of the DAO's own day. Read from files as any archive is, in `root`. */
export async function scoreCopies(input: {
  readonly root: string;
  readonly archive: string;
  readonly daos: readonly ArchivedDao[];
  readonly attacks: Readonly<Record<string, Attack>>;
}): Promise<ReadonlyMap<string, DaoScore>> {
  const { root, archive, daos, attacks } = input;
  writeCopies(root, archive, daos, attacks);
  const { factsOf } = readArchive(root);
  const scores = new Map<string, DaoScore>();
  for (const dao of daos) {
    for (const name of Object.keys(attacks)) {
      const id = copyId(dao, name);
      const measurer = createDaoMeasurer(await factsOf(id), () => undefined);
      scores.set(id, scoreMeasures(measurer.measureAt(dao.asOfMs)));
    }
  }
  return scores;
}
