import type { HubStore } from "./hub-store.ts";
import { closedProposal, putWithVotes, sampleSpace, voteOn } from "./sample-space.ts";

/** The spaces of `putEightSpaces`. */
export const EIGHT_SPACES: readonly string[] = Array.from({ length: 8 }, (_, n) => `space-${n}.eth`);

/** A registry of these spaces. */
export const EIGHT_SPACES_REGISTRY = `daos:
${EIGHT_SPACES.map((id) => `  - { space_id: ${id}, name: ${id}, category: social }\n`).join("")}entities: []
`;

const PROPOSALS = 1_480;
/** One of this many proposals in a row has no votes. */
const EMPTY_EACH = 23;

/**
 * Adds eight spaces like those of a real hub: 1,480 proposals, a few with very many votes and most with few, in bursts
 * that share a second. `scale` is the number of votes on the largest; 2,000 make 113,000 in total. Returns the number of
 * votes by proposal.
 */
export function putEightSpaces(store: HubStore, scale: number): ReadonlyMap<string, number> {
  const sizes = new Map<string, number>();
  for (const id of EIGHT_SPACES) store.putSpace(sampleSpace({ id, name: id }));
  for (let rank = 0; rank < PROPOSALS; rank += 1) {
    const space = EIGHT_SPACES[(rank * 5) % 8] ?? "";
    const id = `0x${rank.toString(16).padStart(8, "0")}`;
    // The order of days mixes large and small proposals.
    const proposal = closedProposal(id, { space }, 3 + ((rank * 389) % 700));
    const size = rank % EMPTY_EACH === 7 ? 0 : Math.max(1, Math.round(scale / (1 + rank / 12)));
    const start = Number(proposal["start"]);
    const votes = Array.from({ length: size }, (_, n) =>
      voteOn(proposal, 1 + ((rank + n * 7) % 4_999) + 5_000 * Math.floor(n / 4_999), {
        id: `0x${((n * 7_919 + rank) % 1_000_003).toString(16)}${id.slice(2)}`,
        space,
        created: start + Math.floor(n / 9),
      }),
    );
    putWithVotes(store, proposal, votes);
    if (size > 0) sizes.set(id, size);
  }
  return sizes;
}
