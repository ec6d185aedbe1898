/** A row of the hub's tables, with the hub's field names. */
export type HubRow = Readonly<Record<string, unknown>>;

/** The data of a fake hub. Changes apply from the next answer. */
export interface HubStore {
  readonly spaces: Map<string, HubRow>;
  /** With `space`, the ID of its space. */
  readonly proposals: Map<string, HubRow>;
  /** With `proposal`, the ID of its proposal; by `<proposal> <voter>`, so that a new vote replaces the old one. */
  readonly votes: Map<string, HubRow>;
  putSpace(space: HubRow): void;
  putProposal(proposal: HubRow): void;
  castVote(vote: HubRow): void;
}

/** Creates an empty store. Like in the hub, a new vote of the same voter replaces id, created, choice and vp. */
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
