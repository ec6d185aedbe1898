import { statSync } from "node:fs";
import type { AskedKeyStore } from "./key-lookup.ts";

/** What following a store needs. */
export interface FollowParts {
  readonly path: string;
  readonly first: AskedKeyStore;
  readonly open: () => AskedKeyStore;
  readonly nowMs: () => number;
}

/** A change takes effect within one second (proxy.md §4); the rest of it is left to a slow request. */
const LOOK_EVERY_MS = 200;

/**
 * Asks the store that lies at `path`, and looks five times a second whether it is still the same and unchanged. A file
 * that was restored or replaced while the server runs would otherwise never be read: the old one stays open, and keys
 * revoked in the new one would go on working. Throws while the file is missing or is no store, so that nobody is let in.
 */
export function followKeyStore({ path, first, open, nowMs }: FollowParts): AskedKeyStore {
  const idOf = (): string => {
    const { dev, ino } = statSync(path, { bigint: true });
    return `${dev}:${ino}`;
  };
  let store: AskedKeyStore | undefined = first;
  let openedId = idOf();
  let revision = 0;
  let revisionOfStore: number | undefined;
  let lookedAtMs = Number.NEGATIVE_INFINITY;

  const openedNow = (): AskedKeyStore => {
    const id = idOf();
    if (store !== undefined && id === openedId) return store;
    store?.close();
    store = undefined;
    store = open();
    openedId = id;
    revisionOfStore = undefined;
    return store;
  };
  return {
    revision: () => {
      const atMs = nowMs();
      const ageMs = atMs - lookedAtMs;
      // A clock set back gives a negative age: look again rather than trust an old answer for an hour.
      if (ageMs >= 0 && ageMs < LOOK_EVERY_MS) return revision;
      const current = openedNow().revision();
      if (current !== revisionOfStore) revision += 1;
      revisionOfStore = current;
      lookedAtMs = atMs;
      return revision;
    },
    findByDigest: (digest) => openedNow().findByDigest(digest),
    close: () => store?.close(),
  };
}
