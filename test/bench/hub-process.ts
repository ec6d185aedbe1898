import { closedProposal, sampleSpace, voteOn } from "../support/fake-hub/sample-space.ts";
import { startFakeHub } from "../support/fake-hub/start-fake-hub.ts";

// Started by live-sources.ts with a count of proposals and of votes on each: a hub in a process of its own. Every page
// is made before the first is asked for, so that answering costs next to nothing; the address is its first line.

const [proposals = 0, votesEach = 0] = process.argv.slice(2).map(Number);
const PAGE = 1_000;
/** Those that the adapter asks for. */
const FIELDS = new Set(["id", "voter", "created", "choice", "vp", "vp_state", "reason", "proposal"]);

const hub = await startFakeHub();
hub.store.putSpace(sampleSpace());
const pages = new Map<string, string>();
for (let n = 1; n <= proposals; n += 1) {
  const id = `0x${n.toString(16).padStart(64, "0")}`;
  const proposal = closedProposal(id, { votes: votesEach, title: `Proposal ${n}` });
  hub.store.putProposal(proposal);
  // One vote a second: a page goes on at the second of the last one's end, without its last row.
  const start = Number(proposal["start"]);
  const rows = Array.from({ length: votesEach }, (_, index) => {
    // Voters come back: nine in ten voted on the proposal before.
    const voter = index + Math.floor(votesEach / 10) * n;
    const vote = voteOn(proposal, voter, { created: start + index, vp: index + 0.25, reason: "" });
    const hash = (index * proposals + n).toString(16).padStart(64, "0");
    const asked = Object.entries({ ...vote, id: `0x${hash}`, proposal: { id } });
    return Object.fromEntries(asked.filter(([field]) => FIELDS.has(field)));
  });
  for (let from = 0; from <= votesEach; from += PAGE) {
    const key = from === 0 ? `${id} 0 0` : `${id} ${start + from - 1} 1`;
    pages.set(key, JSON.stringify({ data: { votes: rows.slice(from, from + PAGE) } }));
  }
}
hub.failWith(({ operation, variables }) => {
  if (operation !== "Votes") return undefined;
  const where = variables["where"] as { readonly proposal: string; readonly created_gte: number };
  return {
    kind: "body",
    body: pages.get(`${where.proposal} ${where.created_gte} ${variables["skip"]}`) ?? "{}",
  };
});
process.stdout.write(`${hub.url}\n`);
