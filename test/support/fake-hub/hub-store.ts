/** A row of the hub's tables; fields as the hub names them. */
export type HubRow = Readonly<Record<string, unknown>>;

/** What a fake hub holds. Change it while the hub runs: the next answer shows it. */
export interface HubStore {
  readonly spaces: Map<string, HubRow>;
  /** With `space`, the id of its space. */
  readonly proposals: Map<string, HubRow>;
  /** With `proposal`, the id of its proposal; by `<proposal> <voter>`, so that a re-vote replaces. */
  readonly votes: Map<string, HubRow>;
  putSpace(space: HubRow): void;
  putProposal(proposal: HubRow): void;
  castVote(vote: HubRow): void;
}

/** An empty store. A vote that is cast again replaces id, created, choice and vp, as the hub does it. */
export function createHubStore(): HubStore {
  const spaces = new Map<string, HubRow>();
  const proposals = new Map<string, HubRow>();
  const votes = new Map<string, HubRow>();
  return {
    spaces,
    proposals,
    votes,
    putSpace: (space) => void spaces.set(String(space["id"]), space),
    putProposal: (proposal) => void proposals.set(String(proposal["id"]), proposal),
    castVote: (vote) => void votes.set(`${vote["proposal"]} ${vote["voter"]}`, vote),
  };
}
