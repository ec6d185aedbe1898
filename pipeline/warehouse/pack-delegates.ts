import { deflateRawSync } from "node:zlib";
import type { DelegateList } from "../facts/delegation.ts";
import { checksumOf } from "./checksum.ts";

/** The rows of a delegate list: CRC-32, then raw-deflated JSON `[address, votes, delegators, ens?]`; votes as digits, exact. */
export function packDelegates(list: DelegateList): Buffer {
  const rows = list.delegates.map(({ address, votes, delegatorsCount, ens }) =>
    ens === undefined
      ? [address, votes.toString(), delegatorsCount]
      : [address, votes.toString(), delegatorsCount, ens],
  );
  const deflated = deflateRawSync(Buffer.from(JSON.stringify(rows), "utf8"));
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32LE(checksumOf(delegateListName(list), deflated));
  return Buffer.concat([checksum, deflated]);
}

/** What a delegate list is called in its checksum and in errors. */
export function delegateListName(list: { readonly spaceId: string; readonly date: string }): string {
  return `${list.spaceId} ${list.date}`;
}
