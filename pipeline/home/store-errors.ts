import { isRemoteFailure, type RemoteFailure } from "../../snapshots/remote/remote-store.ts";
import { POINTER_FILE } from "../../snapshots/store/read/read-pointer.ts";
import { isSnapshotFailure, type SnapshotFailure } from "../../snapshots/store/read/snapshot-error.ts";
import { type PipelineErrorCode, pipelineFailure } from "../facts/errors.ts";

/** Maps errors of the store and of remote storage to pipeline errors, each with a hint for the operator. */
const REFUSALS: Readonly<
  Record<
    SnapshotFailure["code"] | RemoteFailure["code"],
    { readonly code: PipelineErrorCode; readonly hint: string }
  >
> = {
  SNAPSHOT_MISSING: { code: "SNAPSHOT_MISSING", hint: "Publish first: `govdata run` or `govdata publish`." },
  SNAPSHOT_INVALID: {
    code: "SNAPSHOT_INVALID",
    hint: "`govdata verify VERSION --deep` shows what is wrong and where (default: the current version).",
  },
  SNAPSHOT_FORMAT_UNKNOWN: {
    code: "SNAPSHOT_INVALID",
    hint: "Use the program that wrote it, or publish into an empty folder (--snapshots).",
  },
  SNAPSHOT_ROLLED_BACK: {
    code: "SNAPSHOT_INVALID",
    hint: "An older version was put back by hand; publish again.",
  },
  SNAPSHOT_UNSIGNED: {
    code: "SNAPSHOT_INVALID",
    hint: "Compare the public key (GOVDATA_PUBLIC_KEY) with the output of `govdata sign-key` at the publisher.",
  },
  DOCUMENT_INVALID: {
    code: "DOCUMENT_INVALID",
    hint: "Nothing was published. This is our bug: please report it.",
  },
  PUBLISH_LOCKED: {
    code: "PUBLISH_LOCKED",
    hint: "Another publisher is running; try again when it has ended.",
  },
  PUBLISH_FAILED: {
    code: "PUBLISH_FAILED",
    hint: "Check the disk; `govdata status` says which version is published.",
  },
  REMOTE_AWAY: {
    code: "REMOTE_FAILED",
    hint: "Try again; files that were transferred are not sent again.",
  },
  REMOTE_REFUSED: {
    code: "REMOTE_FAILED",
    hint: "Check AWS_ACCESS_KEY_ID, AWS_REGION and the permissions of the key (snapshots/REMOTE.md).",
  },
  REMOTE_MISSING: { code: "REMOTE_FAILED", hint: "Check the address; `govdata push TO` publishes there." },
  REMOTE_MOVED: {
    code: "REMOTE_MOVED",
    hint: "Somebody else publishes there. Run `govdata pull` to continue from their version, or push elsewhere.",
  },
  REMOTE_STALE: {
    code: "REMOTE_FAILED",
    hint: "Somebody may be publishing there now: try again in a moment.",
  },
  REMOTE_INVALID: {
    code: "REMOTE_FAILED",
    hint: "Nothing changed here. The publisher should run `govdata verify` and push again.",
  },
  REMOTE_ADDRESS: { code: "BAD_OPTION", hint: "Use s3://bucket/prefix; only `pull` accepts https://…." },
};

/** Runs code that reads, writes or transfers versions; turns errors of the store into pipeline errors. */
export async function withStore<Result>(action: () => Result | Promise<Result>): Promise<Result> {
  try {
    return await action();
  } catch (error) {
    const isOfStore = isSnapshotFailure(error) || isRemoteFailure(error);
    // One with a hint is of the pipeline, which uses some of these codes itself.
    if (!isOfStore || error.hint !== undefined) throw error;
    const { code, hint } = REFUSALS[error.code];
    const pointerHint = isSnapshotFailure(error) ? hintOfPointer(error) : undefined;
    throw pipelineFailure(code, error.message, { hint: pointerHint ?? hint, cause: error });
  }
}

/** The hint for problems of the pointer, which `repair` fixes without publishing. */
function hintOfPointer({ code, path }: SnapshotFailure): string | undefined {
  if (path !== POINTER_FILE) return undefined;
  if (code === "SNAPSHOT_INVALID")
    return "`govdata repair` sets the pointer to the newest version in the folder.";
  if (code !== "SNAPSHOT_MISSING") return undefined;
  return `${REFUSALS[code].hint} If versions are there already, run \`govdata repair\`.`;
}
