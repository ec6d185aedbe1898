import { RemoteError } from "./remote-error.ts";
import type { RemoteReader, RemoteWriter } from "./remote-store.ts";

/** How a remote place is called; every field has a default that suits production. */
export interface RemoteOptions {
  /** Settings of the SDK (AWS_REGION, AWS_ENDPOINT_URL, AWS_ACCESS_KEY_ID …); those of the process where absent. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** How often a call for content is tried; the swap of a pointer is tried once, always. */
  readonly attemptsMax?: number;
  readonly connectMs?: number;
  /** No byte for so long: the call has failed. */
  readonly silenceMs?: number;
}

/** Opens `s3://bucket/prefix`, or `https://…` (a mirror, read only); throws `RemoteError` REMOTE_ADDRESS. */
export async function openRemote(_address: string, _options: RemoteOptions = {}): Promise<RemoteReader> {
  throw new RemoteError("REMOTE_ADDRESS", "is not built yet");
}

/** Opens `s3://bucket/prefix` for writing; throws `RemoteError` REMOTE_ADDRESS. */
export async function openRemoteWriter(
  _address: string,
  _options: RemoteOptions = {},
): Promise<RemoteWriter> {
  throw new RemoteError("REMOTE_ADDRESS", "is not built yet");
}
