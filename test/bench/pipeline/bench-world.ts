import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { planLargeWorld } from "./large-world-plan.ts";
import { writeLargeWorld } from "./write-large-world.ts";

/** A world that lies on disk. */
export interface BenchWorld {
  readonly directory: string;
  readonly registry: string;
  readonly votes: number;
  readonly voteBytes: number;
}

const SEED = "ten million";
/** The smallest world there is, a few votes for each of its DAOs. */
const SMALLEST = 1_000;

/** 1000000 as 1M, 100000 as 100k: the name of a world's folder. */
export function sizeName(votes: number): string {
  if (votes % 1e6 === 0) return `${votes / 1e6}M`;
  return votes % 1e3 === 0 ? `${votes / 1e3}k` : String(votes);
}

/** Votes that its proposals say were cast: a world that was not written to its end has fewer. */
function votesDeclared(directory: string): number {
  const folder = join(directory, "proposals");
  if (!existsSync(folder)) return 0;
  let votes = 0;
  for (const name of readdirSync(folder))
    for (const [, count] of readFileSync(join(folder, name), "utf8").matchAll(/"votes":(\d+)/g))
      votes += Number(count);
  return votes;
}

/** The world of so many votes below `root`: the one that is there, or a new one. Throws where another lies there, or a part of one. */
export function findWorld(root: string, votes: number): BenchWorld {
  const directory = join(root, sizeName(votes));
  const planned = planLargeWorld(votes, SEED).daos;
  const wanted = planned.reduce((sum, dao) => sum + dao.votes, 0);
  if (!existsSync(directory)) {
    mkdirSync(directory, { recursive: true });
    writeLargeWorld(directory, votes, SEED);
  }
  const found = votesDeclared(directory);
  if (found !== wanted)
    throw new Error(
      `bench: ${directory} holds a world of ${found} votes and not of ${wanted}; remove it first`,
    );
  const folder = join(directory, "votes");
  const voteBytes = readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
  return { directory, registry: join(directory, "registry.yaml"), votes: wanted, voteBytes };
}

function bytesHash(directory: string): string {
  const hash = createHash("sha256");
  for (const folder of ["spaces", "proposals", "votes"])
    for (const name of readdirSync(join(directory, folder)).sort())
      hash.update(name).update(readFileSync(join(directory, folder, name)));
  return hash.update(readFileSync(join(directory, "registry.yaml"))).digest("hex");
}

/** Throws where the same seed does not give the same bytes, or another seed does. */
export function checkGenerator(scratch: string): void {
  const hashOf = (name: string, seed: string): string => {
    const directory = join(scratch, name);
    mkdirSync(directory, { recursive: true });
    writeLargeWorld(directory, SMALLEST, seed);
    const hash = bytesHash(directory);
    rmSync(directory, { recursive: true });
    return hash;
  };
  const first = hashOf("first", SEED);
  if (first !== hashOf("second", SEED)) throw new Error("bench: one seed gave two worlds");
  if (first === hashOf("other", `${SEED}, again`)) throw new Error("bench: two seeds gave one world");
}
