import { invariant } from "../facts/errors.ts";
import type { FetchMemory } from "../facts/governance-source.ts";
import type { Database } from "./database.ts";
import { openToken } from "./delegation-events.ts";
import { createDelegationMemory, keptToken, type OpenDelegationMemory } from "./delegation-memory.ts";
import { readHeldProposals } from "./proposals.ts";
import { fetchNote, fetchPages } from "./resume.ts";
import type { VoterNumbers, WriteAtOnce } from "./voter-numbers.ts";

/**
 * Opens the memories of fetches on one connection: nothing of one is read before it is asked for, and nothing answered
 * once `still` throws, because its fetch is over.
 */
export function fetchMemories(database: Database, voters: VoterNumbers, writeAtOnce: WriteAtOnce) {
  const statements = {
    openToken: openToken(database),
    keptToken: keptToken(database),
    readHeldProposals: readHeldProposals(database),
    fetchPages: fetchPages(database),
    fetchNote: fetchNote(database),
  };
  return (daoNumber: number, sourceId: string, still: () => void) => {
    const pages = statements.fetchPages(daoNumber, sourceId);
    const keptProposals = new Set<string>();
    const keptVotes = new Set<string>();
    const delegations = new Map<string, OpenDelegationMemory>();
    let held: ReturnType<FetchMemory["heldProposals"]> | undefined;
    let heldIds: ReadonlySet<string> = new Set();
    let newNote: string | undefined;

    const write: WriteAtOnce = (work) => {
      still();
      return writeAtOnce(work);
    };
    const heldProposals = () => {
      still();
      if (held === undefined) {
        held = statements.readHeldProposals(daoNumber, sourceId);
        heldIds = new Set(held.map(({ proposal }) => proposal.proposalId));
      }
      return held;
    };
    const keepVotes = (proposalId: string) => {
      heldProposals();
      invariant(heldIds.has(proposalId), `proposal ${proposalId} is kept and was never held`);
      keptVotes.add(proposalId);
    };
    const delegationOf = (token: string) => {
      still();
      let delegation = delegations.get(token);
      if (delegation === undefined) {
        const tokenNumber = write(() => statements.openToken(daoNumber, sourceId, token));
        delegation = createDelegationMemory(statements.keptToken(tokenNumber), write);
        delegations.set(token, delegation);
      }
      return delegation;
    };
    return {
      /** What the source sees of it. */
      memory: {
        heldProposals,
        keepProposal(proposalId) {
          keepVotes(proposalId);
          keptProposals.add(proposalId);
        },
        keepVotes,
        note() {
          still();
          return newNote ?? statements.fetchNote.read(daoNumber, sourceId);
        },
        putNote(note) {
          still();
          newNote = note;
        },
        checkpoint({ series, page, payload, voters: addresses }) {
          write(() => {
            pages.put(series, page, payload);
            for (const address of addresses) voters.numberOf(address);
          });
        },
        resumedPage(series, page) {
          still();
          return pages.read(series, page);
        },
        forgetPages: (series) => write(() => pages.forget(series)),
        delegationOf,
      } satisfies FetchMemory,
      keptProposals,
      keptVotes,
      /** How many delegation events this fetch kept. */
      keptEvents: () => [...delegations.values()].reduce((sum, one) => sum + one.keptCount(), 0),
      /** Called within the commit's transaction: writes the note, shows the kept events and drops the pages. */
      settle() {
        for (const delegation of delegations.values()) delegation.settle();
        if (newNote !== undefined) statements.fetchNote.put(daoNumber, sourceId, newNote);
        pages.forgetAll();
      },
    };
  };
}
