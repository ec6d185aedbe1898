/** A row of the hub's tables, with the hub's field names. */
export type HubRow = Readonly<Record<string, unknown>>;

/** The data of a fake hub. Changes apply from the next answer. */
export interface HubStore {
  readonly spaces: Map<string, HubRow>;
  /** With `space`, the ID of its space. */
  readonly proposals: Map<string, HubRow>;
  /** With `proposal`, the ID of its proposal; by `<proposal> <voter>`, so that a new vote replaces the old one. */
  readonly votes: Map<string, HubRow>;
  /** The proposals of one space. */
  proposalsOf(spaceId: string): readonly HubRow[];
  putSpace(space: HubRow): void;
  putProposal(proposal: HubRow): void;
  castVote(vote: HubRow): void;
}

/** Creates an empty store. Like in the hub, a new vote of the same voter replaces id, created, choice and vp. */
export function createHubStore(): HubStore {
  const spaces = new Map<string, HubRow>();
  const proposals = new Map<string, HubRow>();
  const votes = new Map<string, HubRow>();
  /** The ids that a space ever had: tests remove proposals from the map itself. */
  const idsOf = new Map<string, Set<string>>();
  return {
    spaces,
    proposals,
    votes,
    putSpace: (space) => void spaces.set(String(space["id"]), space),
    proposalsOf: (spaceId) =>
      [...(idsOf.get(spaceId) ?? [])].flatMap((id) => {
        const proposal = proposals.get(id);
        return proposal !== undefined && proposal["space"] === spaceId ? [proposal] : [];
      }),
    putProposal(proposal) {
      const [id, space] = [String(proposal["id"]), String(proposal["space"])];
      proposals.set(id, proposal);
      idsOf.set(space, (idsOf.get(space) ?? new Set()).add(id));
    },
    castVote: (vote) => void votes.set(`${vote["proposal"]} ${vote["voter"]}`, vote),
  };
}
