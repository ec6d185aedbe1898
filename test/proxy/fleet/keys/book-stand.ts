import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, beforeEach } from "vitest";
import { editKeyBook } from "../../../../proxy/fleet/keys/edit-key-book.ts";
import { createKeyBook, KEY_BOOK_SCRIPTS, type KeyBook } from "../../../../proxy/fleet/keys/key-book.ts";
import { openRedisLink, type RedisCall, type RedisLink } from "../../../../proxy/fleet/redis/redis-link.ts";
import { createKey } from "../../../../proxy/keys/issue-keys.ts";
import type { KeyStore } from "../../../../proxy/keys/key-store.ts";
import { type RedisServer, startRedisServer } from "../../../support/redis-server.ts";

export const PEPPER = "p".repeat(40);
export const NOW_MS = Date.parse("2026-04-01T12:00:00Z");
export const WISH = {
  account: "acme",
  terms: { tier: "pro" as const },
  environment: "live" as const,
  expiresAtMs: null,
};

/** What the tests of a file have in common: one Redis, which is empty before each, and links to it. */
export interface BookStand {
  readonly server: () => RedisServer;
  readonly link: () => RedisLink;
  readonly book: () => KeyBook;
  /** All calls that went over the link since the test began. */
  readonly calls: () => readonly RedisCall[];
  readonly edit: <Result>(work: (store: KeyStore) => Result) => Promise<Result>;
  /** A key that is in the book, and its record. */
  readonly makeKey: (options?: Partial<typeof WISH>) => Promise<ReturnType<typeof createKey>>;
}

/** Starts one Redis for the tests of a file. */
export function bookStand(): BookStand {
  let server: RedisServer | undefined;
  let link: RedisLink | undefined;
  let calls: RedisCall[] = [];
  const need = <Value>(value: Value | undefined): Value => {
    if (value === undefined) throw new Error("not started");
    return value;
  };
  beforeAll(async () => {
    server = await startRedisServer();
    const real = await openRedisLink(server.url, { scripts: KEY_BOOK_SCRIPTS, callTimeoutMs: 60_000 });
    link = {
      close: real.close,
      call: (sent) => {
        calls.push(...sent);
        return real.call(sent);
      },
    };
  });
  beforeEach(async () => {
    await need(server).ask("FLUSHALL");
    calls = [];
  });
  afterAll(async () => {
    link?.close();
    await server?.remove();
  });
  const book = () => createKeyBook(need(link));
  const edit: BookStand["edit"] = (work) => editKeyBook(book(), { randomBytes, mayBegin: true }, work);
  return {
    server: () => need(server),
    link: () => need(link),
    book,
    calls: () => calls,
    edit,
    makeKey: (options) =>
      edit((store) =>
        createKey({ store, pepper: PEPPER, nowMs: NOW_MS, randomBytes }, { ...WISH, ...options }),
      ),
  };
}
