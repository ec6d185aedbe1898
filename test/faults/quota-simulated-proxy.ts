import type { KeyLookup } from "../../proxy/keys/key-lookup.ts";
import type { DailyQuota } from "../../proxy/quota/daily-quota.ts";
import { createGroupCommit } from "../../proxy/quota/group-commit.ts";
import { openQuotaLedger, type QuotaFile } from "../../proxy/quota/sqlite/quota-ledger.ts";
import { type Admit, createAdmit, createInFlight } from "../../proxy/request/admit.ts";

/** What the next commit runs into. */
export type SimulatedFault = "busy" | "fails" | "fails-after" | "crashes" | "crashes-after";

/** Ways to break the counter on purpose: a simulator that does not notice them is worth nothing. */
export type Sabotage = "grants-without-commit" | "forgets-a-unit" | "negative-remainder" | undefined;

/** The admission core of one proxy, on a real file, whose next commit may be made to fail. */
export interface SimulatedProxy {
  readonly admit: Admit;
  fault: SimulatedFault | undefined;
  /** Units granted by commits that happened, and admissions that were released. */
  committed: number;
  released: number;
  faults: number;
  isAlive: boolean;
  /** Ends it at once: what waits is lost, and so is all it remembered. */
  readonly die: () => void;
  readonly isEmpty: () => boolean;
  readonly close: () => void;
}

const IN_FLIGHT_MAX = 200;

/** Starts one. */
export function simulatedProxy(parts: {
  readonly path: string;
  readonly nowMs: () => number;
  readonly lookup: KeyLookup;
  readonly sabotage: Sabotage;
}): SimulatedProxy {
  const ledger = openQuotaLedger(parts.path);
  const inFlight = createInFlight(IN_FLIGHT_MAX);
  const settle: QuotaFile["settle"] = async (asked, returned) => {
    if (!proxy.isAlive) throw new Error("it is dead");
    const { fault } = proxy;
    proxy.fault = undefined;
    if (fault !== undefined) proxy.faults += 1;
    if (fault === "crashes") proxy.die();
    if (fault === "fails" && parts.sabotage === "grants-without-commit") {
      return asked.map(({ units }) => ({ used: 0, granted: units }));
    }
    if (fault === "busy") throw Object.assign(new Error("locked"), { code: "SQLITE_BUSY" });
    if (fault === "fails" || fault === "crashes") throw new Error("disk I/O error");
    const answers = await ledger.settle(asked, returned);
    proxy.committed += answers.reduce((sum, { granted }) => sum + granted, 0);
    if (fault === "crashes-after") proxy.die();
    if (fault === "fails-after" || fault === "crashes-after") throw new Error("the outcome is unknown");
    const [first] = asked;
    if (parts.sabotage === "forgets-a-unit" && first !== undefined) {
      ledger.commit([], [{ ...first, units: 1 }]);
    }
    return answers;
  };
  const counter = createGroupCommit({
    ledger: { settle, close: ledger.close },
    tickMs: () => performance.now(),
    onError: () => {},
  });
  const quota: DailyQuota = {
    ...counter,
    charge: async (request) => {
      const answer = await counter.charge(request);
      if (parts.sabotage !== "negative-remainder") return answer;
      return { ...answer, remaining: answer.remaining - 1 };
    },
  };
  const proxy: SimulatedProxy = {
    admit: createAdmit({
      lookup: parts.lookup,
      quota,
      inFlight,
      nowMs: parts.nowMs,
      isServing: () => true,
      onError: () => {},
    }),
    fault: undefined,
    committed: 0,
    released: 0,
    faults: 0,
    isAlive: true,
    die: () => {
      proxy.isAlive = false;
      ledger.close();
    },
    isEmpty: () => {
      const places = Array.from({ length: IN_FLIGHT_MAX + 1 }, (_, nth) => inFlight.enter(`account-${nth}`));
      return places.filter(Boolean).length === IN_FLIGHT_MAX;
    },
    close: () => void counter.close(),
  };
  return proxy;
}
