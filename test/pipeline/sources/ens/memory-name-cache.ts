import type { CachedName, NameCache } from "../../../../pipeline/facts/dao-facts.ts";

/** A cache that lives as long as the process. */
export function createMemoryNameCache(): NameCache {
  const entries = new Map<string, CachedName>();
  return {
    read: (address) => entries.get(address),
    write: (address, entry) => void entries.set(address, entry),
  };
}
