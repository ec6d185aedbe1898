import type { SpaceSink } from "../facts/space-sink.ts";
import type { ProgressFacts } from "./effects.ts";

/** The same sink, telling what it has taken so far whenever it takes something. */
export function watchedFetch<Sink extends SpaceSink>(sink: Sink, tell: (facts: ProgressFacts) => void): Sink {
  let proposals = 0;
  let votes = 0;
  let logs = 0;
  const say = (): void => tell({ proposals, votes, ...(logs > 0 ? { logs } : {}) });
  const { memory } = sink;
  return {
    ...sink,
    putProposal(proposal) {
      sink.putProposal(proposal);
      proposals += 1;
      say();
    },
    putBallot(ballot, isFinal) {
      sink.putBallot(ballot, isFinal);
      votes += ballot.count;
      say();
    },
    putDelegationEvents(token, events) {
      const brought = sink.putDelegationEvents(token, events);
      logs += brought;
      say();
      return brought;
    },
    ...(memory === undefined
      ? {}
      : {
          memory: {
            ...memory,
            delegationOf(token: string) {
              const delegation = memory.delegationOf(token);
              return {
                ...delegation,
                keep(...kept: Parameters<typeof delegation.keep>) {
                  const brought = delegation.keep(...kept);
                  logs += brought;
                  say();
                  return brought;
                },
              };
            },
          },
        }),
  };
}
