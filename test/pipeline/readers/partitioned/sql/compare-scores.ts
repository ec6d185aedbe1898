import type { DaoFacts } from "../../../../../pipeline/facts/dao-facts.ts";
import type { Proposal } from "../../../../../pipeline/facts/proposal.ts";
import { createDaoMeasurer } from "../../../../../pipeline/score/measure-dao.ts";
import { type DaoMeasures, weightAt } from "../../../../../pipeline/score/method/measures.ts";
import { scoreMeasures } from "../../../../../pipeline/score/score-measures.ts";
import { factsOf, honestDao, type OpenProposal, sealed, splitWhale } from "../../../score/attacked-dao.ts";
import type { SampleVote } from "../../../score/sample-facts.ts";
import { seededNumbers } from "../../../score/seeded-numbers.ts";

/** Asks an engine for the rows of a statement. */
export type SqlRows = (sql: string) => Promise<readonly Readonly<Record<string, unknown>>[]>;

const WHALE_PIECES = 200_000;

/** One vote with now and then something unusual about it. */
function oddVote(vote: SampleVote, random: () => number): SampleVote {
  const draw = random();
  if (draw < 0.05) return { ...vote, atMs: undefined };
  if (draw < 0.1) return { ...vote, reason: undefined };
  if (draw < 0.13) return { ...vote, isPowerUnknown: true };
  if (draw < 0.15)
    return {
      ...vote,
      choice: {
        kind: "weights",
        weights: [
          [1, 2],
          [2, 1],
        ],
      },
    };
  return vote;
}

/** One proposal with now and then something unusual about it. */
function oddProposal(proposal: Proposal, random: () => number): Proposal {
  const draw = random();
  if (draw < 0.1) return { ...proposal, scoresTotal: undefined, votingType: "weighted" };
  if (draw < 0.2) return { ...proposal, discussion: "", quorum: undefined };
  if (draw < 0.3) return { ...proposal, author: undefined, votingType: "ranked-choice" };
  if (draw < 0.4 && proposal.end !== undefined)
    return { ...proposal, end: { ...proposal.end, precision: "day" } };
  if (draw < 0.5)
    return { ...proposal, quorum: (proposal.scoresTotal ?? 0) * 2 * random(), strategiesKey: "other" };
  if (draw < 0.6) return { ...proposal, isShutter: true, quorum: 0 };
  if (draw < 0.65) return { ...proposal, start: undefined, discussion: undefined };
  if (draw < 0.7) return { ...proposal, created: undefined, votingType: undefined };
  if (draw < 0.75) return { ...proposal, state: "cancelled" };
  return proposal;
}

/** A DAO with a whale in ten pieces, an entity of three wallets, and all kinds of things that are not known. */
export function oddDao(seed: number): DaoFacts {
  const random = seededNumbers(seed);
  const proposals = splitWhale(honestDao(seed), 5, 7).map((open): OpenProposal => {
    const { proposal, votes } = sealed(
      open.proposal,
      open.votes
        .filter(({ voter }) => voter < WHALE_PIECES || random() < 0.95)
        .map((vote) => (voter(vote) ? oddVote(vote, random) : vote)),
    );
    const isPowerUnknown = random() < 0.1;
    const own = isPowerUnknown ? votes.map((vote) => ({ ...vote, isPowerUnknown })) : votes;
    return { proposal: oddProposal(proposal, random), votes: random() < 0.05 ? [] : own };
  });
  const facts = factsOf(proposals);
  return {
    ...facts,
    isArchive: seed % 2 === 0,
    entityIdOfVoter: new Map([
      [3, "one"],
      [5, "one"],
      [9, "one"],
      [12, "other"],
    ]),
  };
}

/** Whether a vote is of somebody who is no piece of the whale. */
const voter = (vote: SampleVote): boolean => vote.voter < WHALE_PIECES;

/** Compares what an engine made with what the program makes of the same facts; names what is apart by more than 1e-9. */
export async function compareScores(facts: DaoFacts, momentsMs: readonly number[], rows: SqlRows) {
  const measurer = createDaoMeasurer(facts, () => undefined);
  const mismatches: string[] = [];
  let numbers = 0;
  const compare = (name: string, found: unknown, wanted: number | undefined): void => {
    numbers += 1;
    if (
      wanted === undefined
        ? found === null || found === undefined
        : found !== null && Math.abs(Number(found) - wanted) <= 1e-9 * Math.max(1, Math.abs(wanted))
    )
      return;
    mismatches.push(`${name}: ${String(found)}, not ${String(wanted)}`);
  };
  const noOf = new Map(facts.proposals.map(({ proposalId }, at) => [proposalId, at + 1]));

  const compareLines = async (moment: number, measures: DaoMeasures): Promise<void> => {
    const lines = new Map(
      (
        await rows(`SELECT measured.*, weighed.weight FROM measured JOIN weighed ON weighed.frame_no = measured.frame_no
        AND weighed.proposal_no = measured.proposal_no WHERE moment_no = ${moment}`)
      ).map((row) => [Number(row["proposal_no"]), row]),
    );
    const marks = await rows(`SELECT mark.proposal_no AS proposal_no, indicator, low, high FROM mark
      JOIN frame_of ON frame_of.frame_no = mark.frame_no WHERE moment_no = ${moment}`);
    const markOf = new Map(
      marks.map((row) => [`${String(row["proposal_no"])} ${String(row["indicator"])}`, row]),
    );
    if (lines.size !== measures.proposals.length) mismatches.push(`moment ${moment}: ${lines.size} lines`);
    for (const line of measures.proposals) {
      const no = noOf.get(line.proposalId) ?? 0;
      const row = lines.get(no) ?? {};
      const name = `moment ${moment}, ${line.proposalId}`;
      const { concentration } = line;
      compare(`${name} attention`, row["attention"], line.attention);
      compare(`${name} weight`, row["weight"], weightAt(line, measures.asOfMs));
      compare(`${name} power`, row["power"], line.power);
      compare(`${name} votes`, row["votes"], line.votes);
      compare(`${name} found`, row["found"], line.loyaltyAttention);
      compare(`${name} fetched_share`, row["fetched_share"], line.fetchedShare);
      compare(`${name} fields_share`, row["fields_share"], line.fieldsShare);
      compare(`${name} top_share`, row["top_share"], concentration?.topShare);
      compare(`${name} merged_top_share`, row["merged_top_share"], concentration?.mergedTopShare);
      compare(`${name} whale_share`, row["whale_share"], concentration?.whaleShare);
      compare(`${name} gini`, row["gini"], concentration?.gini);
      compare(`${name} majority_voters`, row["majority_voters"], concentration?.majorityVoters);
      for (const [indicator, mark] of Object.entries(line.marks)) {
        const found = markOf.get(`${no} ${indicator}`) ?? {};
        compare(`${name} ${indicator} low`, found["low"], mark?.[0]);
        compare(`${name} ${indicator} high`, found["high"], mark?.[1]);
      }
    }
  };

  for (const [at, atMs] of momentsMs.entries()) {
    const moment = at + 1;
    const measures = measurer.measureAt(atMs);
    await compareLines(moment, measures);
    const { components, gvs, knownShare, presence, risk, completenessPct } = scoreMeasures(measures);
    const [one] =
      await rows(`SELECT presence.low AS presence_low, presence.high AS presence_high, vitality.low AS low, point, vitality.high AS high,
      known_share FROM presence JOIN vitality ON vitality.moment_no = presence.moment_no WHERE presence.moment_no = ${moment}`);
    compare(`moment ${moment} presence low`, one?.["presence_low"], presence[0]);
    compare(`moment ${moment} presence high`, one?.["presence_high"], presence[1]);
    compare(`moment ${moment} known share`, one?.["known_share"], knownShare);
    for (const end of ["low", "point", "high"] as const)
      compare(`moment ${moment} gvs ${end}`, one?.[end], gvs[end]);
    for (const row of await rows(`SELECT * FROM component WHERE moment_no = ${moment}`))
      for (const end of ["low", "point", "high"] as const)
        compare(
          `moment ${moment} ${String(row["component"])} ${end}`,
          row[end],
          components[row["component"] as "hpr"][end],
        );
    const indicators = Object.values(components).flatMap((component) => component.indicators);
    for (const row of await rows(`SELECT * FROM indicator_row WHERE moment_no = ${moment}`)) {
      const wanted = indicators.find(({ id }) => id === row["indicator"]);
      compare(`moment ${moment} ${String(row["indicator"])} low`, row["low"], wanted?.mark[0]);
      compare(`moment ${moment} ${String(row["indicator"])} high`, row["high"], wanted?.mark[1]);
      compare(`moment ${moment} ${String(row["indicator"])} weight`, row["weight"], wanted?.weight);
    }
    const [risky] = await rows(`SELECT * FROM risk WHERE moment_no = ${moment}`);
    for (const end of ["low", "point", "high"] as const)
      compare(`moment ${moment} risk ${end}`, risky?.[end], risk?.score[end]);
    compare(`moment ${moment} whale_control_pct`, risky?.["whale_control_pct"], risk?.whaleControlPct);
    compare(
      `moment ${moment} checkpoint_voting_pct`,
      risky?.["checkpoint_voting_pct"],
      risk?.checkpointVotingPct,
    );
    const [active] = await rows(`SELECT * FROM activity WHERE moment_no = ${moment}`);
    compare(`moment ${moment} active voters`, active?.["active_voters"], measures.activeVoterCount);
    compare(`moment ${moment} proposals a month`, active?.["proposals_per_month"], risk?.proposalsPerMonth);
    const [complete] = await rows(`SELECT * FROM completeness WHERE moment_no = ${moment}`);
    compare(`moment ${moment} completeness`, complete?.["completeness_pct"], completenessPct);
  }
  const persons = new Map(
    (await rows("SELECT * FROM person_participation")).map((row) => [String(row["person_id"]), row]),
  );
  for (const entity of measurer.entitiesAt(momentsMs.at(-1) ?? 0)) {
    const row = persons.get(entity.entityId);
    const wanted = entity.proposalsVoted === 0 ? undefined : entity;
    compare(`${entity.entityId} proposals`, row?.["proposals_voted"], wanted?.proposalsVoted);
    const share = wanted?.powerShare;
    compare(`${entity.entityId} power`, row?.["power_share_pct"], share === undefined ? share : 100 * share);
    const participation = wanted === undefined ? undefined : 100 * wanted.participationShare;
    compare(`${entity.entityId} participation`, row?.["participation_pct"], participation);
    compare(`${entity.entityId} first vote`, row?.["first_vote_ms"], wanted?.firstVoteAtMs);
    compare(`${entity.entityId} last vote`, row?.["last_vote_ms"], wanted?.lastVoteAtMs);
  }
  return { mismatches, numbers };
}
