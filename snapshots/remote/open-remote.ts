import { parseRemoteAddress, type RemoteOptions, remoteSettings } from "./remote-address.ts";
import { type RemoteReader, type RemoteWriter, remoteFailure } from "./remote-store.ts";

/** Opens `s3://bucket/prefix` or `https://…` (a mirror), without any request; throws `REMOTE_ADDRESS`. */
export async function openRemote(address: string, options: RemoteOptions = {}): Promise<RemoteReader> {
  const parsed = parseRemoteAddress(address);
  const settings = remoteSettings(options);
  // Clients are loaded on demand: the one for S3 loads slowly, and most installations need none.
  if (parsed.kind === "s3") return (await import("./bucket-store.ts")).openBucketStore(parsed, settings);
  return (await import("./mirror-reader.ts")).openMirror(parsed, settings);
}

/** Opens `s3://bucket/prefix` for writing, without any request; throws `REMOTE_ADDRESS`. */
export async function openRemoteWriter(address: string, options: RemoteOptions = {}): Promise<RemoteWriter> {
  const parsed = parseRemoteAddress(address);
  if (parsed.kind === "s3") {
    return (await import("./bucket-store.ts")).openBucketStore(parsed, remoteSettings(options));
  }
  throw remoteFailure(
    "REMOTE_ADDRESS",
    `${parsed.name} is a read-only mirror; use s3://bucket/prefix to write`,
  );
}
