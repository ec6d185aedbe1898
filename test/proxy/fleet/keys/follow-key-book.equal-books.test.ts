import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { loadKeyBook } from "../../../../proxy/fleet/keys/edit-key-book.ts";
import { followKeyBook } from "../../../../proxy/fleet/keys/follow-key-book.ts";
import { NO_POINT } from "../../../../proxy/fleet/keys/key-book.ts";
import { createAccount, setAccount } from "../../../../proxy/keys/accounts.ts";
import { createKey, revokeKey, rotateKey } from "../../../../proxy/keys/issue-keys.ts";
import { REDIS_SERVER } from "../../../support/redis-server.ts";
import { bookStand, NOW_MS, PEPPER } from "./book-stand.ts";

const PEPPERS = [PEPPER, "other".repeat(9)];

describe.skipIf(REDIS_SERVER === undefined)("every proxy", () => {
  const { server, book, edit, makeKey } = bookStand();
  const follower = () =>
    followKeyBook({ book: book(), known: NO_POINT, clocks: [() => NOW_MS], onChange: () => {} });

  it("ends with the same book as every other, whatever commands are given and whenever each one asks", async () => {
    const step = fc.record({
      do: fc.constantFrom("make", "revoke", "rotate", "tier", "limit", "account", "pepper"),
      which: fc.nat(5),
      polls: fc.subarray([0, 1]),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
        await server().ask("FLUSHALL");
        await makeKey();
        const proxies = [await follower(), await follower()];
        for (const each of steps) {
          await edit((store) => doStep(store, each)).catch((error) => {
            if (typeof error.hint !== "string") throw error;
          });
          for (const index of each.polls) await proxies[index]?.poll();
        }
        const { copy, point } = await loadKeyBook(book());
        for (const { poll, store, asked } of proxies) {
          await poll();
          expect(asked.revision()).toBe(point.revision);
          expect(store.keys()).toEqual(copy.store.keys());
          expect(store.accounts()).toEqual(copy.store.accounts());
          for (const pepper of PEPPERS) {
            expect(store.countStranded([pepper], NOW_MS)).toBe(copy.store.countStranded([pepper], NOW_MS));
          }
        }
      }),
      { numRuns: 12 },
    );
  });
});

function doStep(
  store: Parameters<typeof createAccount>[0],
  { do: name, which }: { readonly do: string; readonly which: number },
): void {
  const keys = store.keys();
  const keyId = keys[which % keys.length]?.keyId ?? "";
  const accounts = store.accounts();
  const account = accounts[which % accounts.length]?.name ?? "";
  const ring = { store, pepper: PEPPERS[which % 2] ?? PEPPER, nowMs: NOW_MS, randomBytes };
  const options = {
    account,
    terms: {},
    environment: "live" as const,
    expiresAtMs: which === 4 ? NOW_MS + 1 : null,
  };
  if (name === "make") createKey(ring, options);
  else if (name === "revoke") revokeKey(store, keyId, NOW_MS + which);
  else if (name === "rotate") rotateKey(ring, keyId, which);
  else if (name === "tier") setAccount(store, account, { tier: which < 3 ? "free" : "enterprise" });
  else if (name === "limit") setAccount(store, account, { tier: "enterprise", dailyLimit: which + 1 });
  else if (name === "account") createAccount(store, `a${which}`, { tier: "free" }, NOW_MS);
  else store.pepperIdOf(`${which}`.repeat(40));
}
