import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { z } from "zod";
import { createDaoMeasurer, type MeasuredDao } from "../../pipeline/score/measure-dao.ts";
import type { ArchiveReader } from "./archive-facts.ts";

/** Small spaces with odd values, which stand in the same file and have nothing to do with the farm. */
const ODD_SPACES = ["digicore.eth", "saynotorug.eth", "revotu.eth", "0xdollar"];

const Adversarial = z.object({ daos: z.array(z.object({ space_id: z.string() })) });

/** The 18 junk spaces that one farm of wallets votes in. */
export function junkSpaceIds(archive: string): string[] {
  const text = readFileSync(join(archive, "registry-adversarial.yaml"), "utf8");
  return Adversarial.parse(parse(text))
    .daos.map(({ space_id }) => space_id)
    .filter((spaceId) => !ODD_SPACES.includes(spaceId));
}

/** Everybody who voted in a space, in lower case; reads the addresses and no more of each line. */
export function voterSet(archive: string, spaceId: string): ReadonlySet<string> {
  const before = '"voter":"';
  const voters = new Set<string>();
  const text = readFileSync(join(archive, "votes", `${spaceId}.ndjson`), "latin1");
  for (let at = text.indexOf(before); at >= 0; at = text.indexOf(before, at)) {
    at += before.length;
    voters.add(text.slice(at, at + 42).toLowerCase());
  }
  return voters;
}

/** Part of the joint voters of two spaces that votes in both. */
export function jaccard(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const [small, large] = a.size < b.size ? [a, b] : [b, a];
  let both = 0;
  for (const voter of small) if (large.has(voter)) both += 1;
  return both / (a.size + b.size - both);
}

/** What the coordination test, asked as the program asks it, says of the wallets of one space. */
export interface TestedSpace {
  readonly measured: MeasuredDao;
  /** Wallets that voted in the frame, with the proposals of it that each voted on. */
  readonly votesOf: ReadonlyMap<string, number>;
  /** Cluster of each linked wallet. */
  readonly clusterOf: ReadonlyMap<string, number>;
}

/** Looks for likely coordinated wallets in a space as of the end of a day. */
export async function testCoordination(
  reader: ArchiveReader,
  spaceId: string,
  day: string,
): Promise<TestedSpace> {
  const facts = await reader.factsOf(spaceId);
  const measurer = createDaoMeasurer(facts, reader.entityIdOfWallet);
  const measured = measurer.measureAt(Date.parse(`${day}T23:59:59.999Z`), true);
  const walletOf = new Map<number, string>();
  for (const [wallet, voter] of reader.voters) {
    const dense = measurer.electorate.denseVoterOf(voter);
    if (dense >= 0) walletOf.set(dense, wallet);
  }
  const nameOf = (dense: number): string => walletOf.get(dense) ?? "";
  const votesOf = new Map<string, number>();
  for (const { votes } of measured.frame.members) {
    for (const voter of votes.voters) votesOf.set(nameOf(voter), (votesOf.get(nameOf(voter)) ?? 0) + 1);
  }
  const { coordination, humanOfVoter } = measured.humans;
  const clusterOf = new Map(
    coordination.links.flat().map((voter) => [nameOf(voter), humanOfVoter[voter] ?? voter] as const),
  );
  return { measured, votesOf, clusterOf };
}
