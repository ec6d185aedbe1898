import { inflateRawSync } from "node:zlib";
import type { ListedDelegate } from "../facts/delegation.ts";
import { checksumOf } from "./checksum.ts";
import { corrupt } from "./corrupt.ts";

/** A list of a million delegates is a tenth of this. */
const LIST_BYTES_MAX = 1024 ** 3;

/** The rows that `packDelegates` wrote; throws WAREHOUSE_CORRUPT naming the list where the bytes are not that. */
export function unpackDelegates(name: string, packed: Uint8Array): readonly ListedDelegate[] {
  const bytes = Buffer.from(packed.buffer, packed.byteOffset, packed.byteLength);
  const deflated = bytes.subarray(4);
  if (bytes.length < 4 || bytes.readUInt32LE(0) !== checksumOf(name, deflated)) {
    throw corrupt(`delegate list ${name}: its checksum does not match`);
  }
  const rows: unknown = JSON.parse(inflateRawSync(deflated, { maxOutputLength: LIST_BYTES_MAX }).toString());
  if (!Array.isArray(rows)) throw corrupt(`delegate list ${name}: it is no list`);
  return rows.map((row: unknown) => {
    const delegate = delegateOf(row);
    if (delegate === undefined) throw corrupt(`delegate list ${name}: a row cannot be read`);
    return delegate;
  });
}

function delegateOf(row: unknown): ListedDelegate | undefined {
  if (!Array.isArray(row)) return undefined;
  const [address, votes, delegatorsCount, ens]: readonly unknown[] = row;
  if (typeof address !== "string" || typeof votes !== "string" || typeof delegatorsCount !== "number") {
    return undefined;
  }
  return {
    address,
    votes: BigInt(votes),
    delegatorsCount,
    ens: typeof ens === "string" ? ens : undefined,
  };
}
