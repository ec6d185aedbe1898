import { beforeAll, describe, expect, it } from "vitest";
import { type Coordination, createHumansWindow } from "../../pipeline/score/coordination/humans.ts";
import type { CountedVotes } from "../../pipeline/score/frame/counted-votes.ts";
import { createDaoMeasurer, type MeasuredDao } from "../../pipeline/score/measure-dao.ts";
import { seededNumbers } from "../pipeline/score/seeded-numbers.ts";
import { realArchive, WITHOUT_REAL_DATA } from "../support/real-archive.ts";
import { type ArchiveReader, readArchive } from "./archive-facts.ts";

const archive = realArchive();
const SHUFFLES = 20;
const SEED = 20_211_120;

function findCoordination(ballots: readonly CountedVotes[]): Coordination {
  const voters = ballots
    .flatMap((votes) => [...votes.voters])
    .reduce((most, each) => Math.max(most, each), 0);
  const alone = Int32Array.from({ length: voters + 1 }, (_, voter) => voter);
  return createHumansWindow(alone).at(ballots.map((votes, order) => ({ order, votes }))).coordination;
}

/** The same votes with the times of one proposal dealt out anew among its timed voters: nobody votes with anybody. */
function shuffleTimes(votes: CountedVotes, random: () => number): CountedVotes {
  const timed = [...votes.voters.keys()].filter((place) => votes.isTimed[place] === 1);
  const timesS = votes.timesS.slice();
  for (let last = timed.length - 1; last > 0; last -= 1) {
    const a = timed[last] ?? 0;
    const b = timed[Math.floor(random() * (last + 1))] ?? 0;
    [timesS[a], timesS[b]] = [timesS[b] ?? 0, timesS[a] ?? 0];
  }
  return { ...votes, timesS };
}

describe.skipIf(archive === undefined)(
  `votes at shuffled times${archive === undefined ? ` (${WITHOUT_REAL_DATA})` : ""}`,
  () => {
    let reader: ArchiveReader;
    beforeAll(() => {
      reader = readArchive(archive ?? "");
    });

    it.each([
      { space: "uniswap", day: "2021-11-20", links: 880, why: "a frame of 27 with few voters each" },
      {
        space: "aave.eth",
        day: "2021-10-31",
        links: 2829,
        why: "thousands of voters, before the known farm came",
      },
      { space: "balancer.eth", day: "2021-11-24", links: 495, why: "a smaller one" },
    ])(
      "give no link in $space in twenty shuffles ($why), where the votes as they are give $links",
      async (row) => {
        const measurer = createDaoMeasurer(await reader.factsOf(row.space), reader.entityIdOfWallet);
        const measured: MeasuredDao = measurer.measureAt(Date.parse(`${row.day}T23:59:59.999Z`), true);
        const ballots = measured.frame.members.map(({ votes }) => votes);
        expect(findCoordination(ballots).links.length / row.links).toBeCloseTo(1, 1);
        const random = seededNumbers(SEED);
        const links = Array.from({ length: SHUFFLES }, () => {
          const shuffled = findCoordination(ballots.map((votes) => shuffleTimes(votes, random)));
          expect(shuffled.isAssessed).toBe(true);
          return shuffled.links.length;
        });
        expect(links).toEqual(Array(SHUFFLES).fill(0));
      },
    );
  },
);
