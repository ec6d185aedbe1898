import type { BallotBox } from "../../facts/ballot-box.ts";
import type { Proposal } from "../../facts/proposal.ts";
import { HubVote, proposalIdOf } from "../upstream/hub-vote.ts";
import { parseShape } from "../upstream/parse-shape.ts";
import { RowError } from "../upstream/row-error.ts";
import { voteOfHub } from "../upstream/vote-of-hub.ts";
import type { VotersOfFile } from "./voters-of-file.ts";

/** Puts a parsed vote into the box; the way for every vote, which `scanVotes` must give the same facts as. Throws `RowError`. */
export function takeVote(
  box: BallotBox,
  voters: VotersOfFile,
  proposals: ReadonlyMap<string, Proposal>,
): (value: unknown, line: number) => void {
  return (value, line) => {
    const hub = parseShape(HubVote, value);
    const proposal = proposals.get(proposalIdOf(hub) ?? "");
    if (proposal === undefined) {
      throw new RowError("PROPOSAL_UNKNOWN", "its proposal is not in the archive, or was not taken");
    }
    const vote = voteOfHub(hub, line, voters.placeOfText);
    box.add(box.ballotOf(proposal), vote);
  };
}
