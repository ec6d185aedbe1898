import { invariant } from "../../base/invariant.ts";
import type { TrackedDao } from "../../facts/tracked.ts";
import type { OpenSpaceFetch } from "../../warehouse/warehouse.ts";
import type { FetchSaid, Put } from "./messages.ts";
import type { ThreadPool } from "./thread-pool.ts";

function take(fetch: OpenSpaceFetch, one: Put): void {
  switch (one.put) {
    case "space":
      fetch.putSpace(one.space);
      break;
    case "proposal":
      fetch.putProposal(one.proposal);
      break;
    case "ballot":
      invariant(fetch.putPackedBallot !== undefined, "an archive's fetch takes packed ballots");
      fetch.putPackedBallot(one.ballot);
      break;
    case "delegate-list":
      fetch.putDelegateList(one.list);
      break;
    case "rejection":
      fetch.reject(one.rejection);
      break;
    case "more-rejections":
      for (let more = 0; more < one.count; more += 1)
        fetch.reject({ file: "", line: undefined, code: one.code, message: "" });
      break;
  }
}

/**
 * Has a thread read one DAO of an archive into a fetch, which `begin` opens when the first of it comes: threads read
 * side by side, and only one of them at a time has the warehouse open.
 */
export async function fetchInThread(input: {
  readonly dao: TrackedDao;
  readonly directory: string;
  readonly threads: ThreadPool;
  readonly begin: () => Promise<OpenSpaceFetch>;
}): Promise<void> {
  const { dao, directory, threads, begin } = input;
  await threads.run({ kind: "fetch", dao, directory }, async (body) => {
    const { puts, voters } = body as FetchSaid;
    const fetch = await begin();
    for (const one of puts) take(fetch, one);
    return voters === undefined ? undefined : fetch.numberVoters(voters);
  });
}
