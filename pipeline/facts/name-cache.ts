/** What was last found out about an address: its confirmed name, or that it has none. */
export interface CachedName {
  readonly name: string | undefined;
  readonly checkedAtMs: number;
}

/** Remembers names between runs. It knows no lifetime: whoever reads judges the age. Addresses in lower case. */
export interface NameCache {
  read(address: string): CachedName | undefined;
  write(address: string, entry: CachedName): void;
}
