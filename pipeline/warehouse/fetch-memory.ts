import { invariant } from "../base/invariant.ts";
import type { FetchMemory } from "../facts/space-sink.ts";
import { createDelegationMemory, type OpenDelegationMemory } from "./delegation-memory.ts";
import type { WriteAtOnce } from "./write-at-once.ts";
import type { WriteStatements } from "./write-statements.ts";

/** A fetch's memory, and what its commit needs to know of it. */
export interface OpenFetchMemory extends FetchMemory {
  /** Ids of what was kept. */
  outliving(): { readonly proposals: ReadonlySet<string>; readonly ballots: ReadonlySet<string> };
  /** How many delegation events this fetch kept. */
  keptEvents(): number;
  /** Called within the commit's transaction: writes the note, shows the kept events and drops the pages. */
  settle(): void;
}

/** Opens the memory of one DAO and source; nothing of it is read before it is asked for. */
export function createFetchMemory(given: {
  readonly statements: WriteStatements;
  readonly writeAtOnce: WriteAtOnce;
  readonly daoNumber: number;
  readonly sourceId: string;
}): OpenFetchMemory {
  const { statements, writeAtOnce, daoNumber, sourceId } = given;
  const pages = statements.fetchPages(daoNumber, sourceId);
  const keptProposals = new Set<string>();
  const keptBallots = new Set<string>();
  const delegations = new Map<string, OpenDelegationMemory>();
  let held: ReturnType<FetchMemory["heldProposals"]> | undefined;
  let heldIds: ReadonlySet<string> = new Set();
  let newNote: string | undefined;

  const heldProposals = () => {
    if (held === undefined) {
      held = statements.readHeldProposals(daoNumber, sourceId);
      heldIds = new Set(held.map(({ proposal }) => proposal.proposalId));
    }
    return held;
  };
  const demandHeld = (proposalId: string) => {
    heldProposals();
    invariant(heldIds.has(proposalId), `proposal ${proposalId} is kept and was never held`);
  };
  return {
    heldProposals,
    keepProposal(proposalId) {
      demandHeld(proposalId);
      keptProposals.add(proposalId);
      keptBallots.add(proposalId);
    },
    keepBallot(proposalId) {
      demandHeld(proposalId);
      keptBallots.add(proposalId);
    },
    note: () => newNote ?? statements.fetchNote.read(daoNumber, sourceId),
    putNote(note) {
      newNote = note;
    },
    checkpoint({ series, page, payload, voters }) {
      writeAtOnce(() => {
        pages.put(series, page, payload);
        for (const voter of voters) statements.voters.numberOf(voter);
      });
    },
    resumedPage: pages.read,
    forgetPages: (series) => writeAtOnce(() => pages.forget(series)),
    delegationOf(token) {
      let delegation = delegations.get(token);
      if (delegation === undefined) {
        const tokenNumber = writeAtOnce(() => statements.openToken(daoNumber, sourceId, token));
        delegation = createDelegationMemory(statements.keptToken(tokenNumber), writeAtOnce);
        delegations.set(token, delegation);
      }
      return delegation;
    },
    outliving: () => ({ proposals: keptProposals, ballots: keptBallots }),
    keptEvents: () => [...delegations.values()].reduce((sum, one) => sum + one.keptCount(), 0),
    settle() {
      for (const delegation of delegations.values()) delegation.settle();
      if (newNote !== undefined) statements.fetchNote.put(daoNumber, sourceId, newNote);
      pages.forgetAll();
    },
  };
}
