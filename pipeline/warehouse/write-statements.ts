import type { Database } from "better-sqlite3";
import { countFetched } from "./queries/count-fetched.ts";
import { dropFetched } from "./queries/drop-fetched.ts";
import { dropUnkept } from "./queries/drop-unkept.ts";
import { fetchNote } from "./queries/fetch-note.ts";
import { fetchPages } from "./queries/fetch-pages.ts";
import { keepFetched } from "./queries/keep-fetched.ts";
import { keptToken } from "./queries/kept-token.ts";
import { openDao } from "./queries/open-dao.ts";
import { openToken } from "./queries/open-token.ts";
import { putBallot } from "./queries/put-ballot.ts";
import { putDelegateList } from "./queries/put-delegate-list.ts";
import { putDelegationEvents } from "./queries/put-delegation-events.ts";
import { putProposal } from "./queries/put-proposal.ts";
import { putSpace } from "./queries/put-space.ts";
import { readHeldProposals } from "./queries/read-held-proposals.ts";
import { recordFetch } from "./queries/record-fetch.ts";
import { startFetch } from "./queries/start-fetch.ts";
import { createVoterNumbers } from "./voter-numbers.ts";

/** Everything a fetch says to the database, prepared once. */
export type WriteStatements = ReturnType<typeof prepareWrites>;

/** Prepares the statements of all fetches on one connection. */
export function prepareWrites(database: Database) {
  return {
    voters: createVoterNumbers(database),
    openDao: openDao(database),
    startFetch: startFetch(database),
    dropFetched: dropFetched(database),
    dropUnkept: dropUnkept(database),
    putSpace: putSpace(database),
    putProposal: putProposal(database),
    putBallot: putBallot(database),
    putDelegateList: putDelegateList(database),
    putDelegationEvents: putDelegationEvents(database),
    openToken: openToken(database),
    keptToken: keptToken(database),
    readHeldProposals: readHeldProposals(database),
    fetchPages: fetchPages(database),
    fetchNote: fetchNote(database),
    countFetched: countFetched(database),
    recordFetch: recordFetch(database),
    keepFetched: keepFetched(database),
  };
}
