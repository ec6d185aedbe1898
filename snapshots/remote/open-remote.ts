import { parseRemoteAddress, type RemoteOptions, remoteSettings } from "./remote-address.ts";
import { RemoteError, type RemoteReader, type RemoteWriter } from "./remote-store.ts";

/** Opens `s3://bucket/prefix`, or `https://…` (a mirror); throws `RemoteError` REMOTE_ADDRESS. Nothing is called yet. */
export async function openRemote(address: string, options: RemoteOptions = {}): Promise<RemoteReader> {
  const parsed = parseRemoteAddress(address);
  const settings = remoteSettings(options);
  // Each client is loaded by who needs it: the one for S3 takes a while, and most homes never call anybody.
  if (parsed.kind === "s3") return (await import("./bucket-store.ts")).openBucketStore(parsed, settings);
  return (await import("./mirror-reader.ts")).openMirror(parsed, settings);
}

/** Opens `s3://bucket/prefix` for writing; throws `RemoteError` REMOTE_ADDRESS. Nothing is called yet. */
export async function openRemoteWriter(address: string, options: RemoteOptions = {}): Promise<RemoteWriter> {
  const parsed = parseRemoteAddress(address);
  if (parsed.kind === "s3") {
    return (await import("./bucket-store.ts")).openBucketStore(parsed, remoteSettings(options));
  }
  throw new RemoteError(
    "REMOTE_ADDRESS",
    `${parsed.name} is a mirror: only s3://bucket/prefix is written to`,
  );
}
