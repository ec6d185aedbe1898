import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { openSqlite } from "../../snapshots/base/sqlite.ts";

/** An invented entity that opted out, for which tests search everything that is published. */
export interface Canary {
  readonly entityId: string;
  readonly label: string;
  readonly wallet: string;
}

const LABEL = "Canary Burrow";
const ID = "ent_canary";

/** Makes canaries: the first have the given wallets, the others wallets that occur nowhere else. */
export function makeCanaries(count: number, wallets: readonly string[]): readonly Canary[] {
  return Array.from({ length: count }, (_, index) => ({
    entityId: `${ID}${String(index).padStart(20, "0")}`,
    label: `${LABEL} ${index}`,
    wallet: wallets[index] ?? `0xca4a${index.toString(16).padStart(36, "0")}`,
  }));
}

/** The canaries as entries of a registry. */
export function canaryLines(canaries: readonly Canary[], isOptedOut: (index: number) => boolean): string {
  return canaries
    .map(
      ({ entityId, label, wallet }, index) =>
        `  - { entity_id: ${entityId}, label: "${label}", wallets: ["${wallet}"], publicApiOptOut: ${isOptedOut(index)} }\n`,
    )
    .join("");
}

/** A delegate's row with an address and no name, in JSON (escaped or not) and in CSV. */
const BARE_ROWS =
  /"address":"0x[0-9a-f]{40}","display_name":"0x[0-9a-f]{4}(…|â\u0080¦)[0-9a-f]{4}"|,0x[0-9a-f]{40},,0x[0-9a-f]{4}(…|â\u0080¦)[0-9a-f]{4},/g;

/** Counts how often bytes name a canary: ID or label as text, wallet as text in any case or as 20 bytes. */
export function createCanarySearch(canaries: readonly Canary[]) {
  const ids = new Set(canaries.map(({ entityId }) => entityId));
  const labels = new Set(canaries.map(({ label }) => label));
  const wallets = new Set(canaries.map(({ wallet }) => wallet.slice(2)));
  const heads = new Set([...wallets].map((wallet) => wallet.slice(0, 8)));
  const countOf = (text: string, pattern: RegExp, names: ReadonlySet<string>) =>
    [...text.matchAll(pattern)].filter(([match]) => names.has(match.toLowerCase().replace(/^0x/, ""))).length;
  const rawWallets = (bytes: Buffer): number => {
    let count = 0;
    for (let offset = 0; offset + 20 <= bytes.length; offset += 1) {
      const head = bytes.readUInt32BE(offset).toString(16).padStart(8, "0");
      if (heads.has(head) && wallets.has(bytes.toString("hex", offset, offset + 20))) count += 1;
    }
    return count;
  };
  return {
    /** Counts IDs and labels. */
    names(bytes: Buffer): number {
      const text = bytes.toString("latin1");
      const burrows = [...text.matchAll(/Canary Burrow \d+/gi)].filter(([label]) =>
        labels.has(label.replace(/^canary burrow/i, LABEL)),
      );
      return countOf(text, /ent_[0-9a-z]{26}/gi, ids) + burrows.length;
    },
    /** Counts wallets outside bare delegate rows. */
    wallets(bytes: Buffer): number {
      const text = bytes.toString("latin1").replaceAll(BARE_ROWS, "");
      return countOf(text, /0x[0-9a-f]{40}/gi, wallets) + rawWallets(bytes);
    },
  };
}

/** Every file below a folder, and the decompressed contents of its indexes. */
export function allBytes(directory: string): readonly { readonly path: string; readonly bytes: Buffer }[] {
  const files = readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  return files.flatMap((path) => {
    const file = { path: path.slice(directory.length + 1), bytes: readFileSync(path) };
    if (!path.endsWith("index.sqlite")) return [file];
    const index = openSqlite(path, { readonly: true });
    const rows = index
      .prepare<[], { gzip: Buffer; brotli: Buffer }>("SELECT gzip, brotli FROM documents")
      .all();
    index.close();
    const unpacked = rows.flatMap(({ gzip, brotli }) => [gunzipSync(gzip), brotliDecompressSync(brotli)]);
    return [file, { path: `${file.path} unpacked`, bytes: Buffer.concat(unpacked) }];
  });
}
