import type { HubRow, HubStore } from "./hub-store.ts";

export const SPACE_ID = "sample.eth";
/** The time of the tests; every proposal of `closedProposal` has ended before. */
export const NOW_MS = Date.parse("2026-10-01T00:00:00Z");
export const NOW_S = NOW_MS / 1000;
const DAY_S = 86_400;

/** The n-th voter, in the hub's mixed case. */
export const voter = (n: number): string => `0x${n.toString(16).padStart(40, "0").toUpperCase()}`;

/** A space as the hub returns it, with additional fields. */
export function sampleSpace(change: HubRow = {}): HubRow {
  return {
    id: SPACE_ID,
    name: "Sample",
    website: "https://sample.example",
    discussions: "https://forum.sample.example/",
    admins: ["0xA"],
    moderators: [],
    filters: { onlyMembers: false },
    validation: { name: "any", params: null },
    voting: { period: 604_800, quorum: 100, quorumType: "default" },
    flagged: false,
    hibernated: false,
    verified: false,
    created: NOW_S - 900 * DAY_S,
    ...change,
  };
}

/** A final proposal that ended `daysAgo` days ago; the caller sets its `votes`. */
export function closedProposal(id: string, change: HubRow = {}, daysAgo = 10): HubRow {
  const end = NOW_S - daysAgo * DAY_S;
  return {
    id,
    space: SPACE_ID,
    title: `Proposal ${id}`,
    link: `https://vote.example/#/s:${SPACE_ID}/proposal/${id}`,
    author: voter(1),
    created: end - 8 * DAY_S,
    updated: null,
    start: end - 7 * DAY_S,
    end,
    type: "single-choice",
    choices: ["For", "Against"],
    discussion: "",
    quorum: 0,
    quorumType: "default",
    privacy: "",
    strategies: [{ name: "erc20", network: "1", params: {} }],
    state: "closed",
    scores_state: "final",
    scores_total: 0,
    // The hub counts a minute after the end at the earliest.
    scores_updated: end + 90,
    votes: 0,
    flagged: false,
    ...change,
  };
}

/** A vote on a proposal, by default a second after its start. */
export function voteOn(proposal: HubRow, n: number, change: HubRow = {}): HubRow {
  return {
    id: `0x${proposal["id"]}${n.toString(16).padStart(8, "0")}`,
    proposal: proposal["id"],
    space: SPACE_ID,
    voter: voter(n),
    created: Number(proposal["start"]) + 1,
    choice: (n % 2) + 1,
    vp: n,
    vp_value: 0,
    vp_state: "final",
    reason: "",
    ...change,
  };
}

/** Stores a proposal with votes and with the totals that the hub would count. */
export function putWithVotes(store: HubStore, proposal: HubRow, votes: readonly HubRow[]): void {
  for (const vote of votes) store.castVote(vote);
  const total = votes.reduce((sum, vote) => sum + Number(vote["vp"]), 0);
  store.putProposal({ ...proposal, votes: votes.length, scores_total: total });
}

/** 2,500 votes of which 1,300 share one second, in the middle of the others. */
export function crowdedVotes(proposal: HubRow): readonly HubRow[] {
  const start = Number(proposal["start"]);
  return Array.from({ length: 2_500 }, (_, index) => {
    const isCrowd = index >= 600 && index < 1_900;
    const second = isCrowd ? 600 : index < 600 ? index : index - 1_200;
    // Unordered IDs like hashes, because votes of the same second are sorted by ID.
    const id = `0x${((index * 7_919) % 2_503).toString(16).padStart(8, "0")}`;
    return voteOn(proposal, index + 1, { id, created: start + second });
  });
}
