import type { DaoFacts } from "../../../pipeline/facts/dao-facts.ts";
import type { DelegateList, DelegationEvent } from "../../../pipeline/facts/delegation.ts";
import type { SpaceSink } from "../../../pipeline/facts/governance-source.ts";
import type { Proposal } from "../../../pipeline/facts/proposal.ts";
import { type ProposalVotes, VOTE_FLAGS } from "../../../pipeline/facts/proposal-votes.ts";
import type { Registry, TrackedDao } from "../../../pipeline/facts/tracked.ts";
import type { Warehouse } from "../../../pipeline/warehouse/warehouse.ts";

export const TOKEN = `0x${"70".repeat(20)}`;
export const NO_ENTITIES: Registry = { daos: [], entities: [] };

/** The n-th made-up address. */
export const address = (n: number): string => `0x${n.toString(16).padStart(40, "0")}`;

/** A DAO of the registry whose delegation is on `TOKEN`. */
export function dao(spaceId: string): TrackedDao {
  return {
    spaceId,
    name: spaceId,
    category: "defi",
    governor: {
      chainId: 1,
      token: TOKEN,
      kind: "erc20votes",
      decimals: 18,
      clock: "blocknumber",
      isSelfByDefault: false,
      firstBlock: 1,
      governor: undefined,
    },
  };
}

/** A proposal of which only the id is known. */
export function proposal(proposalId: string, change: Partial<Proposal> = {}): Proposal {
  return {
    proposalId,
    title: undefined,
    link: undefined,
    author: undefined,
    created: undefined,
    start: undefined,
    end: undefined,
    votingType: undefined,
    choicesCount: undefined,
    discussion: undefined,
    quorum: undefined,
    isQuorumRejection: false,
    quorumPower: undefined,
    state: undefined,
    scoresState: undefined,
    scoresTotal: undefined,
    votesCount: undefined,
    strategiesKey: undefined,
    revision: undefined,
    isShutter: false,
    isFlagged: false,
    isDeleted: false,
    ...change,
  };
}

/** One vote of power 1 for each voter; their addresses are interned on the way. */
export function ballot(sink: SpaceSink, proposalId: string, voters: readonly string[]): ProposalVotes {
  const voterIds = Uint32Array.from(voters, (voter) => sink.internVoter(voter)).sort();
  const count = voterIds.length;
  return {
    proposalId,
    count,
    voterIds,
    powers: new Float64Array(count).fill(1),
    timesS: new Uint32Array(count).fill(1_650_000_000),
    choiceIndexes: new Uint32Array(count),
    flags: new Uint8Array(count).fill(VOTE_FLAGS.powerKnown | VOTE_FLAGS.timeKnown),
    choices: [{ kind: "single", option: 1 }],
  };
}

/** A list of one delegate with more votes than a double can tell apart. */
export function delegateList(spaceId: string, date: string, votes = 2n ** 255n + 1n): DelegateList {
  return {
    spaceId,
    date,
    asOfMs: Date.parse(date),
    isComplete: true,
    decimals: 18,
    fetchedAtMs: 7,
    delegates: [{ address: address(1), votes, delegatorsCount: 3, ens: undefined }],
  };
}

/** A transfer as the log at (block, logIndex). */
export function transfer(blockNumber: number, logIndex: number, amount = 1n): DelegationEvent {
  return {
    blockNumber,
    logIndex,
    blockTimeMs: undefined,
    kind: "transfer",
    from: address(1),
    to: address(2),
    amount,
  };
}

/** Fetches by hand: what `fill` puts is committed. */
export function fetchInto(
  warehouse: Warehouse,
  spaceId: string,
  fill: (sink: SpaceSink) => void,
  attempt: { readonly sourceId?: string; readonly fetchedAtMs?: number } = {},
) {
  const fetch = warehouse.beginSpaceFetch({ spaceId, sourceId: "archive", fetchedAtMs: 1_000, ...attempt });
  fill(fetch);
  return fetch.commit();
}

/** A small DAO with one of everything. */
export function fillSample(spaceId: string): (sink: SpaceSink) => void {
  return (sink) => {
    sink.put({
      kind: "space",
      space: {
        name: "Sample",
        website: undefined,
        forum: undefined,
        isProposingGated: false,
        hasFixedPeriod: undefined,
        quorum: 0,
        adminsAndModeratorsCount: 3,
        isFlagged: undefined,
        isHibernated: undefined,
        isVerified: undefined,
      },
    });
    sink.put({
      kind: "proposal",
      proposal: proposal("1", { title: "First", end: { atMs: 2_000, precision: "second" } }),
    });
    sink.put({ kind: "proposal", proposal: proposal("2", { end: { atMs: 1_000, precision: "day" } }) });
    sink.put({ kind: "votes", votes: ballot(sink, "1", [address(1), address(2)]), isFinal: true });
    sink.put({ kind: "delegate-list", list: delegateList(spaceId, "2022-01-02") });
    sink.put({ kind: "delegation-events", token: TOKEN, events: [transfer(5, 1), transfer(5, 0)] });
    sink.put({
      kind: "rejection",
      file: `votes/${spaceId}.ndjson`,
      line: 4,
      code: "BAD_CHOICE",
      message: "no such option",
    });
  };
}

/** A DAO's facts as far as they come from the warehouse. */
export function factsOf(warehouse: Warehouse, spaceId: string): Omit<DaoFacts, "dao"> {
  const { dao: _dao, ...facts } = warehouse.daoFacts(dao(spaceId), NO_ENTITIES);
  return facts;
}
