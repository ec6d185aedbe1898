import { closeSync, mkdirSync, openSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { createRandom, type Random } from "../../../fixtures/world/random.ts";
import { LARGE_WORLD_DAYS, LARGE_WORLD_END, type LargeDao, planLargeWorld } from "./large-world-plan.ts";
import { createVoteWriter, type VoteWriter } from "./write-large-votes.ts";

// npx tsx test/bench/pipeline/write-large-world.ts DIRECTORY VOTES [SEED] [DAOS]: an archive of invented DAOs, a
// thousand by default, its votes in the very objects and the order in which the hub's pages give them.

const ENTITIES = 100;
const CROCKFORD = "0123456789abcdefghjkmnpqrstvwxyz";
const TYPES = ["basic", "basic", "single-choice", "single-choice", "single-choice", "weighted", "approval"];
const CATEGORIES = ["defi", "infrastructure", "public_goods", "social"];

/** What was written. */
export interface WrittenLargeWorld {
  readonly votes: number;
  readonly proposals: number;
  readonly voteBytes: number;
}

function writeRegistry(
  directory: string,
  daos: readonly LargeDao[],
  votes: VoteWriter,
  random: Random,
): void {
  const lines = ["# An invented world: no DAO, organisation or wallet in this file exists.", "daos:"];
  for (const [rank, { spaceId }] of daos.entries())
    lines.push(
      `  - {space_id: ${spaceId}, name: "Invented DAO ${rank + 1}", category: ${CATEGORIES[rank % CATEGORIES.length]}}`,
    );
  lines.push("entities:");
  for (let entity = 0; entity < ENTITIES; entity += 1) {
    const id = Array.from({ length: 26 }, (_, index) => CROCKFORD[index === 0 ? 0 : random.whole(0, 31)]);
    // Wallets that vote: the first few voters of a DAO are its busiest.
    const dao = daos[(entity * 7) % daos.length];
    const wallets = [0, 1, 2].map((voter) => votes.addressOf(dao, 3 * (entity % 11) + voter).toLowerCase());
    lines.push(`  - entity_id: ent_${id.join("")}`, `    label: "Invented organisation ${entity + 1}"`);
    lines.push(`    wallets: [${[...new Set(wallets)].map((wallet) => `"${wallet}"`).join(", ")}]`);
    lines.push("    publicApiOptOut: false");
  }
  writeFileSync(join(directory, "registry.yaml"), `${dropRepeats(lines).join("\n")}\n`);
}

/** Two DAOs may share a wallet; a registry names each once. */
function dropRepeats(lines: readonly string[]): string[] {
  const seen = new Set<string>();
  return lines.map((line) => {
    if (!line.startsWith("    wallets: [")) return line;
    const kept = line.match(/"0x[0-9a-f]{40}"/g)?.filter((wallet) => !seen.has(wallet)) ?? [];
    for (const wallet of kept) seen.add(wallet);
    return `    wallets: [${kept.join(", ")}]`;
  });
}

function writeSpace(directory: string, { spaceId }: LargeDao, random: Random): void {
  const space = {
    id: spaceId,
    name: spaceId,
    admins: [`0x${random.hex(40)}`, `0x${random.hex(40)}`],
    moderators: [],
    filters: { minScore: 0, onlyMembers: random.chance(0.2) },
    validation: { name: "basic", params: { minScore: 1 } },
    voting: {
      delay: 86_400,
      period: random.chance(0.5) ? 5 * 86_400 : null,
      quorum: 1_000,
      quorumType: "default",
    },
  };
  writeFileSync(join(directory, "spaces", `${spaceId}.json`), `${JSON.stringify(space)}\n`);
}

function writeDao(directory: string, dao: LargeDao, writer: VoteWriter, random: Random): number {
  const { spaceId, proposals } = dao;
  const endS = Math.floor(Date.parse(LARGE_WORLD_END) / 1000);
  const authors = Array.from({ length: 12 }, () => `0x${random.hex(40)}`);
  const lines: string[] = [];
  const file = openSync(join(directory, "votes", `${spaceId}.ndjson`), "w");
  let votes = 0;
  try {
    for (let index = 0; index < proposals; index += 1) {
      const age = ((proposals - index - random.unit()) / proposals) * LARGE_WORLD_DAYS * 86_400;
      const end = Math.floor(endS - age);
      const start = end - random.whole(3, 7) * 86_400;
      const type = random.pick(TYPES);
      const id = `0x${random.hex(64)}`;
      const wanted =
        Math.round((dao.votes * (index + 1)) / proposals) - Math.round((dao.votes * index) / proposals);
      const cast = writer.write({ dao, id, type, start, end, count: wanted, random }, (text) => {
        writeSync(file, text, null, "latin1");
      });
      votes += cast.count;
      const discussion = random.chance(0.7) ? `https://forum.${spaceId}/t/${index}` : "";
      lines.push(
        JSON.stringify({
          ...{ id, title: `Proposal ${index + 1}`, author: authors[Math.floor(12 * random.unit() ** 2)] },
          ...{ created: start - random.whole(0, 3) * 86_400, start, end, type, discussion },
          choices: ["For", "Against", "Abstain"],
          ...{ quorum: cast.power / 10, quorumType: "default", privacy: "" },
          strategies: [{ name: "erc20-balance-of", network: "1", params: { symbol: "INV", decimals: 18 } }],
          ...{
            state: "closed",
            scores_state: "final",
            scores_total: cast.power,
            votes: cast.count,
            flagged: false,
          },
        }),
      );
    }
  } finally {
    closeSync(file);
  }
  writeFileSync(join(directory, "proposals", `${spaceId}.ndjson`), `${lines.join("\n")}\n`);
  return votes;
}

/** Writes the archive; the same count and seed give the same bytes. */
export function writeLargeWorld(
  directory: string,
  votesWanted: number,
  seed: string,
  daosCount?: number,
): WrittenLargeWorld {
  const { daos, wallets } = planLargeWorld(votesWanted, seed, daosCount);
  for (const folder of ["spaces", "proposals", "votes"])
    mkdirSync(join(directory, folder), { recursive: true });
  const random = createRandom(seed);
  const writer = createVoteWriter(wallets);
  writeRegistry(directory, daos, writer, random.fork("registry"));
  let votes = 0;
  for (const dao of daos) {
    writeSpace(directory, dao, random.fork(`space ${dao.spaceId}`));
    votes += writeDao(directory, dao, writer, random.fork(dao.spaceId));
  }
  return {
    votes,
    proposals: daos.reduce((sum, dao) => sum + dao.proposals, 0),
    voteBytes: writer.bytes(),
  };
}

if (process.argv[1]?.endsWith("write-large-world.ts") === true) {
  const [directory, votes, seed = "ten million", daos = "1000"] = process.argv.slice(2);
  if (directory === undefined || votes === undefined)
    throw new Error("write-large-world DIRECTORY VOTES [SEED] [DAOS]");
  const written = writeLargeWorld(directory, Number(votes), seed, Number(daos));
  process.stdout.write(`${JSON.stringify(written)}\n`);
}
