import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { realArchive, WITHOUT_REAL_DATA } from "../support/real-archive.ts";
import { readArchive } from "./archive-facts.ts";
import { packsDirectory, unpackPack } from "./packs.ts";

const PACK = "dao-research";
const SPACE = "snapshot.dcl.eth";
/** What `tar -xJ` calls too; the tables are packed once more by themselves. */
const UNPACKER = "xz";

/** What one crawler says of one vote; the archive has the votes of this space from the DAO's own exports alone. */
interface Said {
  readonly choice: number;
  /** In seconds. */
  readonly created: number;
}

const archive = realArchive();
const directory = packsDirectory([PACK]);
const isHere = archive !== undefined && directory !== undefined;

/** The lines of a table whose first cell is wanted, without a cut of all the others. */
function* linesWith(text: string, isWanted: (firstCell: string) => boolean): Generator<string> {
  for (let from = 0; from < text.length; ) {
    const end = text.indexOf("\n", from);
    const to = end < 0 ? text.length : end;
    if (isWanted(text.slice(from, text.indexOf(",", from)))) yield text.slice(from, to);
    from = to + 1;
  }
}

/** The votes of the space as the other crawler has them, by proposal and voter. */
function crawled(folder: string): ReadonlyMap<string, Said> {
  const unpacked = (name: string): string =>
    execFileSync(UNPACKER, ["-dc", join(folder, "derived_compact", name)], {
      encoding: "latin1",
      maxBuffer: 2 ** 27,
    });
  const proposals = new Map<string, string>();
  for (const line of unpacked("proposals.csv.xz").split("\n")) {
    const [place = "", proposalId = "", spaceId] = line.split(",", 3);
    if (spaceId === SPACE) proposals.set(place, proposalId);
  }
  const votes = [...linesWith(unpacked("votes.csv.xz"), (place) => proposals.has(place))].map((line) =>
    line.split(","),
  );
  const needed = new Set(votes.map(([, voter = ""]) => voter));
  const voters = new Map<string, string>();
  for (const line of linesWith(unpacked("voters.csv.xz"), (place) => needed.has(place))) {
    const [place = "", address = ""] = line.split(",");
    voters.set(place, address.toLowerCase());
  }
  return new Map(
    votes.map(([proposal = "", voter = "", choice, created]) => [
      `${proposals.get(proposal)} ${voters.get(voter)}`,
      { choice: Number(choice), created: Number(created) },
    ]),
  );
}

describe.skipIf(!isHere)(`the same votes from two crawlers${isHere ? "" : ` (${WITHOUT_REAL_DATA})`}`, () => {
  let saidByOthers: ReadonlyMap<string, Said>;
  const saidByUs = new Map<string, Said>();
  beforeAll(async () => {
    saidByOthers = crawled(unpackPack(directory ?? "", PACK, "derived_compact/*"));
    const { voters, factsOf } = readArchive(archive ?? "");
    const { ballots } = await factsOf(SPACE);
    const addressOf = new Map([...voters].map(([address, number]) => [number, address]));
    for (const { proposalId, voterIds, choices, choiceIndexes, timesS } of ballots.values()) {
      voterIds.forEach((voterId, index) => {
        const choice = choices[choiceIndexes[index] ?? -1];
        const option = choice?.kind === "single" ? choice.option : Number.NaN;
        saidByUs.set(`${proposalId} ${addressOf.get(voterId)}`, {
          choice: option,
          created: timesS[index] ?? 0,
        });
      });
    }
  });

  it("agree on choice and second of 6,796 of 6,796", () => {
    const both = [...saidByUs].filter(([key]) => saidByOthers.has(key));
    expect(saidByOthers.size).toBe(9788);
    expect(both).toHaveLength(6796);
    expect(both.filter(([key, { choice }]) => saidByOthers.get(key)?.choice !== choice)).toEqual([]);
    expect(both.filter(([key, { created }]) => saidByOthers.get(key)?.created !== created)).toEqual([]);
  });
});
