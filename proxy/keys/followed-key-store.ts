import { statSync } from "node:fs";
import type { KeyStore } from "./key-store.ts";

/** The part of the store that a server asks. */
export type AskedKeyStore = Pick<KeyStore, "findByDigest" | "close">;

/**
 * Asks the store that lies at `path` now. A file that was restored or replaced while the server runs would otherwise
 * never be read: the old one stays open, and keys revoked in the new one would go on working. Throws while the file is
 * missing or is no store, so that nobody is let in.
 */
export function followKeyStore(path: string, first: AskedKeyStore, open: () => AskedKeyStore): AskedKeyStore {
  const idOf = (): string => {
    const { dev, ino } = statSync(path, { bigint: true });
    return `${dev}:${ino}`;
  };
  let store: AskedKeyStore | undefined = first;
  let openedId = idOf();
  return {
    findByDigest(digest) {
      const id = idOf();
      if (store === undefined || id !== openedId) {
        store?.close();
        store = undefined;
        store = open();
        openedId = id;
      }
      return store.findByDigest(digest);
    },
    close: () => store?.close(),
  };
}
