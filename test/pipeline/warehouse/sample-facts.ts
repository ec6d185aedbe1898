import type { DaoFacts, DelegateList, DelegationEvent } from "../../../pipeline/facts/dao-facts.ts";
import type { DailyPoint } from "../../../pipeline/facts/days.ts";
import type { DelegationMemory, IndexedBlock, SpaceSink } from "../../../pipeline/facts/governance-source.ts";
import type { Proposal } from "../../../pipeline/facts/proposal.ts";
import { type ProposalVotes, VOTE_FLAGS } from "../../../pipeline/facts/proposal-votes.ts";
import type { Registry, TrackedDao } from "../../../pipeline/facts/tracked.ts";
import type { OpenSpaceFetch } from "../../../pipeline/warehouse/fetch-writer.ts";
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

export const putProposal = (sink: SpaceSink, id: string, change: Partial<Proposal> = {}): void =>
  sink.put({ kind: "proposal", proposal: proposal(id, change) });

/** One vote of power 1 for each voter. */
export const putBallot = (sink: SpaceSink, id: string, voters: readonly string[], isFinal = true): void =>
  sink.put({ kind: "votes", votes: ballot(sink, id, voters), isFinal });

/** Events of `TOKEN` as an archive has them. */
export const putEvents = (sink: SpaceSink, events: readonly DelegationEvent[]): void =>
  sink.put({ kind: "delegation-events", token: TOKEN, events });

export const putRejection = (sink: SpaceSink, file: string, line: number | undefined, code: string): void =>
  sink.put({ kind: "rejection", file, line, code, message: "odd" });

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

/** The scores of a past day. */
export function pointOn(date: string, change: Partial<DailyPoint> = {}): DailyPoint {
  return {
    date,
    methodologyVersion: "1.0.0",
    gvs: 5,
    components: { hpr: 1, dei: 2, pdi: 3, gpi: 4 },
    riskScore: 40,
    completenessPct: 90,
    indexWeight: 20,
    ...change,
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
    putProposal(sink, "1", { title: "First", end: { atMs: 2_000, precision: "second" } });
    putProposal(sink, "2", { end: { atMs: 1_000, precision: "day" } });
    putBallot(sink, "1", [address(1), address(2)]);
    sink.put({ kind: "delegate-list", list: delegateList(spaceId, "2022-01-02") });
    putEvents(sink, [transfer(5, 1), transfer(5, 0)]);
    putRejection(sink, `votes/${spaceId}.ndjson`, 4, "BAD_CHOICE");
  };
}

/** A DAO's facts as far as they come from the warehouse. */
export function factsOf(warehouse: Warehouse, spaceId: string): Omit<DaoFacts, "dao"> {
  const { dao: _dao, ...facts } = warehouse.daoFacts(dao(spaceId), NO_ENTITIES);
  return facts;
}

/** The block of a number on the chain that all tests share; another `fork` is a block that replaced it. */
export const block = (number: number, fork = "a"): IndexedBlock => ({ number, hash: `0x${fork}${number}` });

/** What a delegate's power became in the log at (block, logIndex). */
export function power(
  blockNumber: number,
  logIndex: number,
  delegate: number,
  after: bigint,
): DelegationEvent {
  return {
    blockNumber,
    logIndex,
    blockTimeMs: blockNumber * 1_000,
    kind: "votes-changed",
    delegate: address(delegate),
    before: 0n,
    after,
  };
}

/** What is held of a token, and the way to keep more. */
interface TokenMemory extends DelegationMemory {
  keep(events: readonly DelegationEvent[], through: IndexedBlock): void;
}

/** Begins a governor's fetch, whose memory of `TOKEN` is at hand. */
export function beginGovernor(
  warehouse: Warehouse,
  given: { readonly spaceId?: string; readonly token?: string; readonly fetchedAtMs?: number } = {},
): OpenSpaceFetch & { readonly tokenMemory: TokenMemory } {
  const { spaceId = "a.eth", token = TOKEN, fetchedAtMs = 1_000 } = given;
  const fetch = warehouse.beginSpaceFetch({ spaceId, sourceId: "governor", fetchedAtMs });
  if (fetch.memory === undefined) throw new Error("a fetch of a governor has a memory");
  const keep: TokenMemory["keep"] = (events, through) =>
    fetch.put({ kind: "delegation-events", token, events, through });
  return { ...fetch, tokenMemory: { ...fetch.memory.delegationOf(token), keep } };
}
