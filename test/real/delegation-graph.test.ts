import { describe, expect, it } from "vitest";
import { createDelegateHistory } from "../../pipeline/score/delegates/delegate-history.ts";
import { GRAPH_ACCOUNTS_MAX } from "../../snapshots/format/limits.ts";
import { realArchive, WITHOUT_REAL_DATA } from "../support/real-archive.ts";
import { readArchive } from "./archive-facts.ts";

const archive = realArchive();

const title = archive === undefined ? WITHOUT_REAL_DATA : "who delegates to whom in Nouns";

describe.skipIf(archive === undefined)(title, () => {
  it("follows every vote of the contract back to an account that holds it", async () => {
    const history = createDelegateHistory(await readArchive(archive ?? "").factsOf("nouns.eth"));
    const { ranking, delegations: traced } = history.tracedAt(0) ?? {};
    expect([ranking?.delegates.length, ranking?.total]).toEqual([193, 947n]);
    expect([traced?.delegatorsCount, traced?.tracedVotes]).toEqual([217, 947n]);
    expect(traced?.strong).toHaveLength(GRAPH_ACCOUNTS_MAX);
    const folded = traced?.weak.reduce((count, row) => count + row.delegatorsCount, 0);
    expect(folded).toBe(117);
  });
});
