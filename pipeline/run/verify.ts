import { type Verification, verifySnapshot } from "../../snapshots/store/verify-snapshot.ts";
import type { Settings } from "./settings.ts";
import { trustedKeysOf } from "./signing-key.ts";

/** Which version to verify, and how. */
export interface VerifyRequest {
  /** `undefined` is the current one. */
  readonly version: string | undefined;
  readonly isDeep: boolean;
  readonly sequenceMin: number | undefined;
  /** As given: public keys of which one must have signed; `undefined` asks for no signature. */
  readonly publicKeys: string | undefined;
}

/** `govdata verify`: every problem of a version, by file; none means that it is whole. */
export async function verifyPublished(settings: Settings, request: VerifyRequest): Promise<Verification> {
  return verifySnapshot(settings.snapshotsDirectory, {
    deep: request.isDeep,
    trustedKeys: request.publicKeys === undefined ? undefined : trustedKeysOf(request.publicKeys),
    ...(request.version === undefined ? {} : { version: request.version }),
    ...(request.sequenceMin === undefined ? {} : { sequenceMin: request.sequenceMin }),
  });
}
